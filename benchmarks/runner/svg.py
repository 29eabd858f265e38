"""Line and bar charts as SVG, drawn by hand: no dependency."""
import math
from dataclasses import dataclass, field
from html import escape

COLOURS = {"rff": "#0072b2", "pos": "#d55e00", "pct": "#009e73", "random": "#cc79a7"}
SPARE = ["#56b4e9", "#e69f00", "#000000", "#999999"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 20, 40, 55


@dataclass
class Chart:
    title: str
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False
    series: list = field(default_factory=list)  # of (name, points, steps: bool)

    def add(self, name, points, steps=False):
        self.series.append((name, points, steps))

    def colour(self, name):
        others = [n for n, _, _ in self.series if n not in COLOURS]
        return COLOURS.get(name) or SPARE[others.index(name) % len(SPARE)]

    def draw(self, x_offset=0):
        xs = [p[0] for _, points, _ in self.series for p in points]
        ys = [p[1] for _, points, _ in self.series for p in points]
        x_axis = Axis(xs, self.log_x, x_offset + LEFT, x_offset + WIDTH - RIGHT)
        y_axis = Axis(ys, self.log_y, HEIGHT - BOTTOM, TOP, from_zero=True)
        parts = [text(x_offset + WIDTH / 2, 22, self.title, anchor="middle", size=15)]
        parts += self.frame(x_axis, y_axis, x_offset)
        for name, points, steps in self.series:
            parts.append(line(points, x_axis, y_axis, self.colour(name), steps))
            if not steps:
                parts += [f'<circle cx="{x_axis.at(x):.1f}" cy="{y_axis.at(y):.1f}" r="3" fill="{self.colour(name)}"/>' for x, y in points]
        for i, (name, _, _) in enumerate(self.series):
            y = TOP + 14 + 16 * i
            parts.append(f'<rect x="{x_offset + LEFT + 8}" y="{y - 8}" width="12" height="8" fill="{self.colour(name)}"/>')
            parts.append(text(x_offset + LEFT + 26, y, name))
        return "\n".join(parts)

    def frame(self, x_axis, y_axis, x_offset):
        bottom, left = HEIGHT - BOTTOM, x_offset + LEFT
        parts = [f'<path d="M{left},{TOP} V{bottom} H{x_offset + WIDTH - RIGHT}" fill="none" stroke="#333"/>']
        for value in x_axis.ticks():
            x = x_axis.at(value)
            parts.append(f'<path d="M{x:.1f},{bottom} v5" stroke="#333"/>')
            parts.append(text(x, bottom + 18, show(value), anchor="middle"))
        for value in y_axis.ticks():
            y = y_axis.at(value)
            parts.append(f'<path d="M{left},{y:.1f} H{x_offset + WIDTH - RIGHT}" stroke="#ddd"/>')
            parts.append(text(left - 8, y + 4, show(value), anchor="end"))
        parts.append(text(x_offset + WIDTH / 2, HEIGHT - 12, self.x_label, anchor="middle"))
        parts.append(text(x_offset + 18, HEIGHT / 2, self.y_label, anchor="middle", rotate=True))
        return parts


class Axis:
    """Maps values to positions between `start` and `end`, on a linear or a logarithmic scale."""

    def __init__(self, values, logarithmic, start, end, from_zero=False):
        self.logarithmic, self.start, self.end = logarithmic, start, end
        low, high = min(values, default=1), max(values, default=1)
        if logarithmic:
            self.low, self.high = math.floor(math.log10(max(low, 1e-9))), math.ceil(math.log10(max(high, 1e-9)))
        else:
            self.low, self.high = (min(0, low) if from_zero else low), high
        if self.low == self.high:
            self.high = self.low + 1

    def at(self, value):
        place = math.log10(max(value, 1e-9)) if self.logarithmic else value
        return self.start + (self.end - self.start) * (place - self.low) / (self.high - self.low)

    def ticks(self):
        if self.logarithmic:
            return [10.0**e for e in range(self.low, self.high + 1)]
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2))
        step *= next(m for m in (1, 2, 5, 10) if (self.high - self.low) / (step * m) <= 6)
        first = math.ceil(self.low / step)
        return [i * step for i in range(first, math.floor(self.high / step) + 1)]


def line(points, x_axis, y_axis, colour, steps):
    path = []
    for i, (x, y) in enumerate(points):
        px, py = f"{x_axis.at(x):.1f}", f"{y_axis.at(y):.1f}"
        path.append(f"M{px},{py}" if i == 0 else f"H{px} V{py}" if steps else f"L{px},{py}")
    return f'<path d="{" ".join(path)}" fill="none" stroke="{colour}" stroke-width="2"/>'


def text(x, y, content, anchor="start", size=12, rotate=False):
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if rotate else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"{turn}>{escape(content)}</text>'


def show(value):
    if value >= 1e6:
        return f"{value:.0e}".replace("e+0", "e")
    return f"{value:g}"


def write(path, charts):
    """One or more charts side by side in one file."""
    width = WIDTH * len(charts)
    body = "\n".join(chart.draw(i * WIDTH) for i, chart in enumerate(charts))
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" '
                   f'font-family="sans-serif">\n<rect width="{width}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n')
