"""Plots as SVG files. The same data gives the same file."""
import os
import sys

try:
    import matplotlib
except ImportError:  # Debian's package belongs to Debian's interpreter, which may not be the first one on PATH
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    raise SystemExit("the plots need matplotlib (Debian: python3-matplotlib)")
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "raddle", "font.size": 10, "axes.grid": True, "grid.color": "#dddddd",
                            "axes.axisbelow": True, "figure.constrained_layout.use": True, "svg.fonttype": "none"})
from matplotlib import pyplot, ticker  # noqa: E402

STYLES = ["-", "--", ":"]
COLOURS = ["#1f5fa8", "#c4511d", "#3a7d34", "#7a4a9c", "#8a6d1a", "#2b8a8a", "#b03060", "#555555"]


def style_of(line, count):
    """The colour and dashes of a line. Two lines that coincide can both be seen."""
    dashes = line // len(COLOURS) if count > len(COLOURS) else line % 2
    return {"color": COLOURS[line % len(COLOURS)], "linestyle": STYLES[dashes], "linewidth": 1.6}


def whole_numbers(axis):
    axis.set_major_locator(ticker.MaxNLocator(nbins=5, integer=True))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


class Plots:
    """Draws into one folder; every method returns the line of Markdown that shows the plot."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, figure, name, text):
        figure.savefig(self.folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
        pyplot.close(figure)
        return f"![{text}]({self.folder.name}/{name}.svg)\n"

    def lines(self, name, text, panels, x, y, logx=False, logy=False, steps=False, wide=False):
        """`panels`: for each title the lines, name -> list of (x, y)."""
        figure, axes = pyplot.subplots(1, len(panels), figsize=(10, 5.5) if wide else (1.5 + 4.2 * len(panels), 3.6), squeeze=False)
        for axis, (title, lines) in zip(axes[0], panels.items()):
            for i, (label, points) in enumerate(lines.items()):
                style = {"drawstyle": "steps-post"} if steps else {"marker": "o", "markersize": 3}
                if not steps and len(points) > 40:
                    style = {}
                axis.plot([p[0] for p in points], [p[1] for p in points], label=label, **style_of(i, len(lines)), **style)
            axis.set(title=title, xlabel=x, ylabel=y)
            if logx:
                axis.set_xscale("log")
            else:
                whole_numbers(axis.xaxis)
            if logy:
                axis.set_yscale("log")
            if wide:
                axis.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
            else:
                axis.legend(fontsize=8)
        return self.save(figure, name, text)

    def named_bars(self, name, text, names, groups, y, logy=False):
        """One group of bars for each name; `groups`: label -> a height (or None) for each name."""
        figure, axis = pyplot.subplots(figsize=(max(6, 0.5 * len(names) + 2), 4))
        width = 0.9 / len(groups)
        for i, (label, heights) in enumerate(groups.items()):
            at = [(k + i * width, h) for k, h in enumerate(heights) if h is not None]
            axis.bar([p[0] for p in at], [p[1] for p in at], width, label=label, color=COLOURS[i])
        axis.set_xticks([k + 0.45 - width / 2 for k in range(len(names))], names, rotation=60, ha="right", fontsize=8)
        axis.set(ylabel=y)
        if logy:
            axis.set_yscale("log")
        axis.legend(fontsize=8)
        return self.save(figure, name, text)

    def heat(self, name, text, rows, columns, values, label):
        """`values[row][column]`: a number, or None for a blank cell."""
        from matplotlib.colors import LogNorm
        figure, axis = pyplot.subplots(figsize=(2.6 + 0.36 * len(columns), 1.8 + 0.2 * len(rows)))
        table = [[float("nan") if v is None else max(v, 1) for v in row] for row in values]
        colours = pyplot.get_cmap("viridis_r").copy()
        colours.set_bad("#f0f0f0")
        image = axis.imshow(table, aspect="auto", norm=LogNorm(), cmap=colours)
        axis.set_xticks(range(len(columns)), columns, rotation=70, ha="right", fontsize=8)
        axis.set_yticks(range(len(rows)), rows, fontsize=7)
        axis.grid(False)
        figure.colorbar(image, label=label)
        return self.save(figure, name, text)
