"""The plots of a results file: bugs found over schedules, how the schedules grow with the size of a subject, and average ranks."""
import os
import re

from . import charts, ranks


def draw_results(results, folder):
    rows = [r for r in results["rows"] if r["expect"] != "none"]
    if rows:
        charts.write(os.path.join(folder, "cumulative.svg"), [cumulative(rows, results["schedulers"])])
    families = scaling_families(rows)
    if families:
        charts.write(os.path.join(folder, "scaling.svg"), [scaling(n, sizes, results["schedulers"]) for n, sizes in families.items()])
    limit = results["settings"]["schedules"]
    ranked = ranks.average_ranks(rows, results["schedulers"], limit) if limit else None
    if ranked:
        charts.write(os.path.join(folder, "ranks.svg"), [ranks.Diagram(ranked)])


def cumulative(rows, schedulers):
    """Over schedules (log scale): the mean number of bugs found by then."""
    chart = charts.Chart("Bugs found", "schedules", "bugs found, mean over trials", log_x=True)
    longest = max((t for r in rows for c in r["cells"].values() for t, _ in c["sample"]), default=1)
    for scheduler in schedulers:
        steps = {}
        for row in rows:
            cell = row["cells"].get(scheduler)
            for time, found in cell["sample"] if cell else []:
                if found:
                    steps[time] = steps.get(time, 0) + 1 / len(cell["sample"])
        total, points = steps.pop(1, 0), []
        points.append((1, total))
        for time in sorted(steps):
            total += steps[time]
            points.append((time, total))
        chart.add(scheduler, points + [(longest, total)], steps=True)
    return chart


def scaling_families(rows):
    """Subjects called base_N with at least three sizes N."""
    families = {}
    for row in rows:
        match = re.fullmatch(r"(.+)_(\d+)", row["subject"])
        if match:
            families.setdefault(match[1], {})[int(match[2])] = row
    return {name: sizes for name, sizes in families.items() if len(sizes) >= 3}


def scaling(name, sizes, schedulers):
    chart = charts.Chart(name, "size", "schedules to the bug, mean", log_x=True, log_y=True)
    for scheduler in schedulers:
        points = [(n, row["cells"][scheduler]["mean"]) for n, row in sorted(sizes.items()) if "mean" in row["cells"].get(scheduler, {})]
        if points:
            chart.add(scheduler, points)
    return chart
