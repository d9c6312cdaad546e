"""Headless Chromium for the tests of pages: a small client of the WebDriver protocol (https://www.w3.org/TR/webdriver2/).

    with Browser(folder) as browser:
        browser.open(page)
        browser.run("return document.title")
"""
import base64
import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from common import Failure

KEYS = {"enter": "\ue007", "escape": "\ue00c"}
TIMEOUT_S = 60


class Browser:
    def __init__(self, folder, width=1280, height=900, dark=False, scripts=True):
        self.folder, self.session, self.width, self.height = Path(folder), None, width, height
        self.log = open(self.folder / "chromedriver.log", "w")
        self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        env=dict(os.environ, HOME=str(self.folder)))
        try:
            self.port = self.wait_for_port()
            self.start(dark, scripts)
        except BaseException:
            self.close()
            raise

    def wait_for_port(self):
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failure("chromedriver did not start")

    def start(self, dark, scripts):
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                 "--disable-component-update", "--disable-sync", "--disable-quic", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--force-device-scale-factor=1",
                 # every name of a host fails, so the page cannot load anything
                 "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={self.width},{self.height}",
                 f"--user-data-dir={self.folder}/profile"]
        if dark:
            flags.append("--force-dark-mode")
        options = {"args": flags}
        if not scripts:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        made = self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self.session = made["sessionId"]
        self.size(self.width, self.height)

    def call(self, method, path, body=None):
        where = f"http://127.0.0.1:{self.port}/session" + (f"/{self.session}" if self.session else "") + path
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(where, data=data, method=method, headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise Failure(f"browser: {path}: {json.load(e)['value']['message']}") from e

    def open(self, page):
        self.call("POST", "/url", {"url": Path(page).resolve().as_uri()})

    def run(self, script, *args):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args):
        """Runs a script that calls `done(value)` later; returns the value."""
        return self.call("POST", "/execute/async", {"script": "const done = arguments[arguments.length - 1];" + script, "args": list(args)})

    def settle(self):
        """Two frames later everything that was asked for is drawn."""
        self.wait("requestAnimationFrame(() => requestAnimationFrame(() => done(1)))")

    def size(self, width, height):
        """Makes the page, without the frame of the window, that large."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def devtools(self, command, **params):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def media(self, **features):
        """media(prefers_color_scheme="dark"), media(type="print")"""
        kind = features.pop("type", "")
        self.devtools("Emulation.setEmulatedMedia", media=kind,
                      features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def keys(self, text):
        """Presses keys where the focus is."""
        strokes = [{"type": t, "value": c} for c in text for t in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]})
        self.settle()

    def point(self, x, y, click=False):
        """Moves the mouse, and clicks."""
        moves = [{"type": "pointerMove", "x": int(x), "y": int(y)}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})
        self.settle()

    def click(self, selector):
        """Clicks in the middle of the first element."""
        x, y = self.run("const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'nearest', behavior: 'instant'});"
                        "const b = e.getBoundingClientRect(); return [b.x + Math.min(b.width / 2, 200), b.y + b.height / 2]", selector)
        self.point(x, y, click=True)

    def errors(self):
        """What the page has complained about since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] != "INFO"]

    def screenshot(self, path, whole=False):
        if whole:
            height = self.run("return document.documentElement.scrollHeight")
            self.size(self.width, min(height, 6000))
        Path(path).write_bytes(base64.b64decode(self.call("GET", "/screenshot")))
        if whole:
            self.size(self.width, self.height)

    def close(self):
        try:
            if self.session:
                self.call("DELETE", "")
        except OSError:
            pass
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
