"""A plot with two logarithmic axes as SVG: lines with marks and error bars, with the name of each at its right end."""
import math
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 130, 20, 55
COLOURS = "#1f5fa8", "#c4511d", "#3a7d34", "#7a4a9c"
STYLE = ("text{font:13px sans-serif;fill:#222} .grid{stroke:#ddd} .axis{stroke:#222} "
         ".line{fill:none;stroke-width:2}")


class Axes:
    """Maps values to the page; both ends of y are powers of ten."""

    def __init__(self, points):
        xs, ys = [p[0] for p in points], [y for _, mean, error in points for y in (mean, mean + error)]
        self.x = math.log2(min(xs)), max(math.log2(max(xs)), math.log2(min(xs)) + 1)
        low = math.floor(math.log10(min(ys)))
        self.y = low, max(low + 1, math.ceil(math.log10(max(ys))))

    def right(self, x):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log2(x) - self.x[0]) / (self.x[1] - self.x[0])

    def down(self, y):
        part = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(1.0, max(0.0, part))


def frame(axes, ticks, x_title, y_title):
    floor, wall = HEIGHT - BOTTOM, WIDTH - RIGHT
    out = []
    for power in range(axes.y[0], axes.y[1] + 1):
        y = axes.down(10.0**power)
        out.append(f'<line class="grid" x1="{LEFT}" x2="{wall}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:,g}</text>')
    for tick in ticks:
        x = axes.right(tick)
        out.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{floor}" y2="{floor + 5}"/>')
        out.append(f'<text x="{x:.1f}" y="{floor + 20}" text-anchor="middle">{tick:g}</text>')
    out.append(f'<path class="axis" fill="none" d="M{LEFT} {TOP}V{floor}H{wall}"/>')
    out.append(f'<text x="{(LEFT + wall) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{escape(x_title)}</text>')
    turned = f"translate(16 {(TOP + floor) / 2}) rotate(-90)"
    out.append(f'<text transform="{turned}" text-anchor="middle">{escape(y_title)}</text>')
    return out


def line(axes, name, points, colour, label_y):
    path = " ".join(f"{axes.right(x):.1f},{axes.down(y):.1f}" for x, y, _ in points)
    out = [f'<polyline class="line" stroke="{colour}" points="{path}"/>']
    for x, y, error in points:
        at, top, bottom = axes.right(x), axes.down(y + error), axes.down(max(y - error, 1e-9))
        out.append(f'<line stroke="{colour}" x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>')
        out.append(f'<circle fill="{colour}" cx="{at:.1f}" cy="{axes.down(y):.1f}" r="4"/>')
    out.append(f'<text x="{WIDTH - RIGHT + 10}" y="{label_y + 4:.1f}" style="fill:{colour}">{escape(name)}</text>')
    return out


def plot(lines, x_title, y_title):
    """`lines`: for each name its points (x, y, error of y), x rising."""
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
           f"<style>{STYLE}</style>", f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    if lines:
        axes = Axes([p for points in lines.values() for p in points])
        out += frame(axes, sorted({p[0] for points in lines.values() for p in points}), x_title, y_title)
        taken = []
        for i, (name, points) in enumerate(lines.items()):
            label = axes.down(points[-1][1])
            while any(abs(label - other) < 16 for other in taken):  # names must not overlap
                label += 16
            taken.append(label)
            out += line(axes, name, points, COLOURS[i % len(COLOURS)], label)
    return "\n".join(out) + "\n</svg>\n"
