"""Average ranks of schedulers over rows, and how far apart two of them must be to differ (Demšar, JMLR 2006: Friedman ranks, Nemenyi test)."""
import math
from dataclasses import dataclass

from . import charts, regret, survival

SIGNIFICANT = 0.05
STEPS = 400  # of the numerical integral
BAR, LINE = 9, 20  # distances between bars, and between names


@dataclass
class Ranks:
    average: dict  # scheduler → average rank, the best first
    rows: int
    critical: float  # a smaller difference may be chance

    def text(self):
        listed = ", ".join(f"{name} {value:.2f}" for name, value in self.average.items())
        return f"Average rank over {self.rows} rows: {listed}; differences below {self.critical:.2f} may be chance (Nemenyi, p < {SIGNIFICANT})"

    def groups(self):
        """The largest sets of neighbours that the test cannot tell apart, as (first, last) in order of rank."""
        values, found = list(self.average.values()), []
        for i in range(len(values)):
            j = max(j for j in range(i, len(values)) if values[j] - values[i] < self.critical)
            if j > i and not (found and found[-1][1] >= j):
                found.append((i, j))
        return found


def ranks_of(values):
    """1 for the smallest; equal values share the mean of their places."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]


def average_ranks(rows, schedulers, limit):
    """Over the rows with a bug and trials of every scheduler, by the mean number of schedules, the limit where nothing was found."""
    rows = [r for r in rows if r["expect"] != "none" and all(r["cells"].get(s, {}).get("trials") for s in schedulers)]
    if not rows or len(schedulers) < 2:
        return None
    sums = [0.0] * len(schedulers)
    for row in rows:
        means = [survival.mean(regret.times(row["cells"][s], limit)) for s in schedulers]
        sums = [a + b for a, b in zip(sums, ranks_of(means))]
    order = sorted(zip(schedulers, sums), key=lambda pair: pair[1])
    k, n = len(schedulers), len(rows)
    return Ranks({s: total / n for s, total in order}, n, nemenyi(k) * math.sqrt(k * (k + 1) / (6 * n)))


def nemenyi(k, level=SIGNIFICANT):
    """The quantile of the range of k standard normal values, over the root of 2."""
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if range_probability(middle, k) < 1 - level else (low, middle)
    return low / math.sqrt(2)


def range_probability(width, k):
    """The probability that k standard normal values lie within this width: the integral over the largest of them, by Simpson's rule."""
    def density(z):
        return k * math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (normal(z) - normal(z - width)) ** (k - 1)

    step = 16 / STEPS
    return step / 3 * sum(density(-8 + i * step) * (1 if i in (0, STEPS) else 4 if i % 2 else 2) for i in range(STEPS + 1))


def normal(z):
    return math.erfc(-z / math.sqrt(2)) / 2


class Diagram:
    """The ranks on a line; a bar joins schedulers that the test cannot tell apart."""

    def __init__(self, ranks):
        self.ranks = ranks

    def commands(self):
        left, right, axis = 150, charts.WIDTH - 150, 84
        names, values = zip(*self.ranks.average.items())
        drawing = charts.Drawing()

        def at(rank):
            return left + (right - left) * (rank - 1) / max(len(names) - 1, 1)

        drawing.text(charts.WIDTH / 2, 22, f"Average rank over {self.ranks.rows} rows", "center", 15)
        drawing.line(at(1), 44, at(1 + self.ranks.critical), 44, 2)
        drawing.text(at(1) - 6, 44, f"critical difference {self.ranks.critical:.2f}", "right", 10)
        drawing.line(at(1), axis, at(len(names)), axis)
        for rank in range(1, len(names) + 1):
            drawing.line(at(rank), axis, at(rank), axis - 5)
            drawing.text(at(rank), axis - 13, rank, "center")
        groups = self.ranks.groups()
        for i, (first, last) in enumerate(groups):
            y = axis + 8 + BAR * i
            drawing.line(at(values[first]) - 3, y, at(values[last]) + 3, y, 4)
        below, half = axis + 26 + BAR * len(groups), (len(names) + 1) // 2
        for i, (name, value) in enumerate(zip(names, values)):
            y = below + LINE * (i if i < half else len(names) - 1 - i)
            side, x, align = (left - 10, left - 14, "right") if i < half else (right + 10, right + 14, "left")
            drawing.line(at(value), axis, at(value), y)
            drawing.line(at(value), y, side, y)
            drawing.text(x, y, f"{name} {value:.2f}", align)
        return drawing.commands()
