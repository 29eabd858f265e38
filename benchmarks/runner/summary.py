"""From trials to a table: per subject and scheduler the mean, the deviation and how often the bug was found; who is best; what was published."""
from . import survival

SIGNIFICANT = 0.05
PUBLISHED = {"rff": "RFF", "pos": "POS", "pct3": "PCT3", "period": "PERIOD"}


def summarise(subjects, schedulers, records):
    """A list of rows, one per subject that has at least one trial."""
    rows, records_of = [], {}
    for record in records:
        records_of.setdefault((record["subject"], record["scheduler"]), []).append(record)
    for subject in subjects:
        cells = {}
        for scheduler in schedulers:
            own = records_of.get((subject.name, scheduler))
            if own:
                cells[scheduler] = cell(own, subject.expect)
        if cells:
            rows.append({
                "subject": subject.name, "expect": subject.expect, "cells": cells, "best": best(cells) if subject.expect != "none" else [],
                "published": subject.published, "figures": subject.figures,
            })
    return rows


def cell(records, expect):
    done = [r for r in records if "error" not in r]
    found = [r for r in done if r["found"]]
    result = {
        "trials": len(done), "errors": len(records) - len(done), "found": len(found),
        "sample": [(r["schedules"], r["found"]) for r in done],
        "other_kinds": sorted({r["kind"] for r in found} - {expect}),
        "unstable": sum(r.get("unstable") or 0 for r in done),
        "schedules_run": sum(r["schedules_run"] for r in done), "seconds": sum(r["wall_seconds"] for r in done),
    }
    if found:
        times = [r["schedules"] for r in found]
        result |= {"mean": survival.mean(times), "deviation": survival.deviation(times)}
    return result


def ranked(cells):
    """Schedulers from the best to the worst: found more often, then sooner."""
    return sorted((s for s in cells if cells[s]["found"]), key=lambda s: (-cells[s]["found"] / cells[s]["trials"], cells[s]["mean"]))


def best(cells):
    """The leading scheduler and those that the log-rank test cannot tell from it. Empty if that is everybody."""
    order = ranked(cells)
    if not order:
        return []
    leader = cells[order[0]]["sample"]
    group = [s for s in cells if s == order[0] or survival.log_rank(leader, cells[s]["sample"]) >= SIGNIFICANT]
    return group if len(group) < len(cells) else []


def significantly_worse(rows, one, other):
    """Subjects on which scheduler `one` is significantly worse than `other`."""
    names = []
    for row in rows:
        cells = row["cells"]
        if row["expect"] == "none" or one not in cells or other not in cells or ranked({one: cells[one], other: cells[other]})[:1] != [other]:
            continue
        if survival.log_rank(cells[one]["sample"], cells[other]["sample"]) < SIGNIFICANT:
            names.append(row["subject"])
    return names


def against_published(rows, scheduler):
    """Geometric means (ours, published) over the rows where both found the bug in every trial, and the number of rows."""
    pairs = []
    for row in rows:
        own = row["cells"].get(scheduler)
        figure = row["figures"].get("rff")
        if own and figure and 0 < own["trials"] == own["found"] and "rff" not in row["figures"].get("missed", []):
            pairs.append((own["mean"], figure))
    if not pairs:
        return None
    return survival.geometric_mean([p[0] for p in pairs]), survival.geometric_mean([p[1] for p in pairs]), len(pairs)


def show_number(value):
    return f"{value:.1f}" if value < 9.95 and value != int(value) else f"{value:.0f}"


def show_cell(cell_, bold):
    if cell_ is None:
        return ""
    if not cell_["trials"]:
        return "error"
    if not cell_["found"]:
        return f"- (0/{cell_['trials']})"
    text = f"{show_number(cell_['mean'])} ± {show_number(cell_['deviation'])}"
    if cell_["found"] < cell_["trials"]:
        text += f" ({cell_['found']}/{cell_['trials']})"
    if cell_["other_kinds"]:
        text += " †"
    return f"**{text}**" if bold else text


def show_figure(figures, tool):
    if tool not in figures:
        return ""
    if figures[tool] is None:
        return "-"
    return f"{figures[tool]}{'*' if tool in figures.get('missed', []) else ''}"


def markdown(rows, schedulers, reference="rff", baseline="pos"):
    buggy = [r for r in rows if r["expect"] != "none"]
    correct = [r for r in rows if r["expect"] == "none"]
    lines = []
    if buggy:
        lines += table(["subject", "expected", *schedulers, *(f"published {v}" for v in PUBLISHED.values())], [
            [r["subject"], r["expect"], *(show_cell(r["cells"].get(s), s in r["best"]) for s in schedulers),
             *(show_figure(r["figures"], tool) for tool in PUBLISHED)]
            for r in buggy
        ])
        lines += ["", "Schedules to the first bug, mean ± standard deviation over the trials that found it; (found/trials) where some did not. Bold: the",
                  f"best, and what the log-rank test (p < {SIGNIFICANT}) cannot tell from it. † also findings of another kind than expected. Published figures are for",
                  "orientation only: they are for the original programs, ours are new programs with the same kind of bug.", ""]
        lines += conclusions(buggy, schedulers, reference, baseline)
    if correct:
        alarms = [(r["subject"], s) for r in correct for s, c in r["cells"].items() if c["found"]]
        schedules = sum(c["schedules_run"] for r in correct for c in r["cells"].values())
        lines.append(f"- {len(correct)} correct programs, {schedules} schedules: {len(alarms)} false alarms" +
                     (": " + ", ".join(f"{n} ({s})" for n, s in alarms) if alarms else ""))
    errors = sum(c["errors"] for r in rows for c in r["cells"].values())
    if errors:
        lines.append(f"- {errors} trials ended in an error of the tool and are not counted")
    return "\n".join(lines) + "\n"


def conclusions(rows, schedulers, reference, baseline):
    lines = []
    for s in schedulers:
        cells = [r["cells"][s] for r in rows if r["cells"].get(s, {}).get("trials")]
        average = sum(c["found"] / c["trials"] for c in cells)
        lines.append(f"- {s}: finds {average:.1f} of {len(cells)} bugs on average")
    if reference in schedulers and baseline in schedulers:
        worse, better = significantly_worse(rows, reference, baseline), significantly_worse(rows, baseline, reference)
        lines.append(f"- {reference} significantly better than {baseline} on {len(better)} rows, significantly worse on {len(worse)}" +
                     (": " + ", ".join(worse) if worse else ""))
    comparison = against_published(rows, reference)
    if comparison:
        lines.append(f"- geometric mean over the {comparison[2]} rows with a published figure of RFF that both found in every trial: "
                     f"{comparison[0]:.1f}, published {comparison[1]:.1f}")
    return lines


def overview(rows, schedulers, limit, reference="rff"):
    """A table with one line for each scheduler: over all rows with a bug, where a trial that found nothing counts with the limit."""
    rows = [r for r in rows if r["expect"] != "none" and all(r["cells"].get(s, {}).get("trials") for s in schedulers)]
    lines = []
    for s in schedulers:
        cells = [r["cells"][s] for r in rows]
        means = [survival.mean([schedules if found else limit for schedules, found in c["sample"]]) for c in cells]
        trials = sum(c["trials"] for c in cells)
        compared = [len(significantly_worse(rows, s, reference)), len(significantly_worse(rows, reference, s))] if s != reference else ["", ""]
        lines.append([s, f"{survival.geometric_mean(means):.1f}", f"{sum(c['found'] for c in cells)}/{trials}",
                      f"{sum(c['seconds'] for c in cells) / trials:.2f}", *compared])
    return table(["scheduler", "schedules", "found", "s a trial", f"{reference} better", f"{reference} worse"], lines)


def table(header, rows):
    """A Markdown table whose source reads well, too."""
    widths = [max(len(str(line[i])) for line in [header, *rows]) for i in range(len(header))]
    show = lambda line: "| " + " | ".join(str(c).ljust(w) for c, w in zip(line, widths)) + " |"
    return [show(header), "|" + "|".join("-" * (w + 2) for w in widths) + "|", *(show(r) for r in rows)]
