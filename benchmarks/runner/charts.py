"""Line charts and diagrams as SVG, drawn by gnuplot."""
import shutil
import subprocess
from dataclasses import dataclass, field

from .common import UserError

COLOURS = {"rff": "#0072b2", "pos": "#d55e00", "pct": "#009e73", "random": "#cc79a7"}
SPARE = ["#56b4e9", "#e69f00", "#000000", "#999999"]
WIDTH, HEIGHT = 640, 400


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

    def commands(self):
        lines = [f"set title {quoted(self.title)} font ',15' noenhanced", f"set xlabel {quoted(self.x_label)}", f"set ylabel {quoted(self.y_label)}",
                 "set key top left Left reverse noenhanced", "set grid ytics", "set border 3", "set tics nomirror out"]
        if self.log_x:
            lines += ["set logscale x", "set format x '%g'"]
        lines += ["set logscale y", "set format y '%g'"] if self.log_y else ["set yrange [0:*]"]
        plots = []
        for i, (name, points, steps) in enumerate(self.series):
            lines += [f"$series{i} << END"] + [f"{x} {y}" for x, y in points] + ["END"]
            how = "steps" if steps else "linespoints pointtype 7 pointsize 0.4"
            plots.append(f"$series{i} with {how} linewidth 2 linecolor '{self.colour(name)}' title {quoted(name)}")
        return lines + ["plot " + ", ".join(plots)]


class Drawing:
    """Lines and words at places in a frame of WIDTH by HEIGHT; y grows downwards."""

    def __init__(self):
        self.lines = []

    def line(self, x1, y1, x2, y2, width=1):
        self.lines.append(f"set arrow from {x1:.1f},{y1:.1f} to {x2:.1f},{y2:.1f} nohead linewidth {width} linecolor '#333333'")

    def text(self, x, y, content, align="left", size=12):
        self.lines.append(f"set label {quoted(content)} at {x:.1f},{y:.1f} {align} font ',{size}' noenhanced")

    def commands(self):
        frame = ["unset border", "unset tics", "unset key", "set margins 0,0,0,0", f"set xrange [0:{WIDTH}]", f"set yrange [{HEIGHT}:0]"]
        return frame + self.lines + ["plot NaN"]


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def require_gnuplot():
    if shutil.which("gnuplot") is None:
        raise UserError("charts need gnuplot: apt-get install gnuplot-nox")


def write(path, charts):
    """One or more charts side by side in one file."""
    require_gnuplot()
    lines = ["set encoding utf8", f"set terminal svg size {WIDTH * len(charts)},{HEIGHT} font 'sans-serif,12' background 'white'",
             f"set output {quoted(path)}", f"set multiplot layout 1,{len(charts)}"]
    for chart in charts:
        lines += ["reset"] + chart.commands()
    done = subprocess.run(["gnuplot", "-"], input="\n".join(lines) + "\nunset multiplot\n", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise UserError(f"gnuplot could not draw {path}: {' '.join(done.stderr.split())}")
