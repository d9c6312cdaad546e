"""Shows the output of the program: the driver keeps it in a file, since the program must not see a terminal.

It is shown whenever the program stops: the part of the file that is new, and the text that the program has in the
buffer of its stdout.
"""
import gdb

from . import process

WRITE_BASE = 32  # the offset of _IO_write_base in a FILE, which is part of libc's binary interface


class Output:
    def __init__(self, names):
        self.names = names
        self.restart()

    def restart(self):
        self.shown = {name: 0 for name in self.names}
        self.early = b""  # text that was shown from the buffer, and was not in the file then

    def buffered(self):
        stream = process.symbol("_IO_2_1_stdout_")
        try:
            words = process.memory(stream + WRITE_BASE, 16) if stream else bytes(16)
            base, end = (int.from_bytes(words[i:i + 8], "little") for i in (0, 8))
            return process.memory(base, end - base) if 0 < end - base <= 1 << 20 else b""
        except gdb.MemoryError:
            return b""

    def show(self, running):
        text = b""
        for name in self.names:
            with open(name, "rb") as f:
                f.seek(self.shown[name])
                text += f.read()
                self.shown[name] = f.tell()
        buffer, known = self.buffered() if running else b"", self.early
        if buffer.startswith(known):
            text += buffer[len(known):]
        else:  # the program has written it to the file since
            text = text.replace(known, b"", 1) + buffer
        self.early = buffer
        if text:
            gdb.write(text.decode(errors="replace") + ("" if text.endswith(b"\n") else "\n"))
