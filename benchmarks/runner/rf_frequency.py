"""How evenly a campaign explores: how often each reads-from combination was exercised, with feedback (rff) and without (pos)."""
import argparse
import json
import math
import os
import subprocess

from . import manifest, svg
from .common import ROOT, UserError, report_user_errors
from .summary import table

SUMMARY = "how evenly the reads-from combinations of one subject are explored"


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench rf-frequency", description=__doc__)
    parser.add_argument("--subject", default="safestack")
    parser.add_argument("--schedules", type=int, default=10000)
    parser.add_argument("--schedulers", default="pos,rff")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--manifest", default=manifest.DEFAULT, metavar="FILE")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "subjects"), metavar="DIR")
    parser.add_argument("--fuzzer", default=os.path.join(ROOT, "build", "bin", "rff-fuzz"), metavar="PROGRAM")
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "bench", "rf-frequency"), metavar="DIR")
    return parser.parse_args(arguments)


def counts(options, command, scheduler):
    """How often each combination was seen, most frequent first: `rf_combination_counts` in the campaign's stats.json."""
    folder = os.path.join(options.output, scheduler)
    status = subprocess.run(
        [options.fuzzer, "-n", str(options.schedules), "--seed", str(options.seed), "--scheduler", scheduler, "--quiet", "--force",
         "-o", folder, "--", *command], stdin=subprocess.DEVNULL).returncode
    if status not in (0, 1):
        raise UserError(f"the campaign with {scheduler} failed with status {status}")
    with open(os.path.join(folder, "stats.json")) as file:
        stats = json.load(file)
    if "rf_combination_counts" not in stats:
        raise UserError("this rff-fuzz does not write rf_combination_counts into stats.json; build a newer one")
    return sorted(stats["rf_combination_counts"], reverse=True)


def evenness(frequencies):
    """Number of combinations, share of the most frequent, entropy in bits, and entropy over its maximum."""
    total = sum(frequencies)
    entropy = -sum(f / total * math.log2(f / total) for f in frequencies)
    most = math.log2(len(frequencies)) if len(frequencies) > 1 else 1
    return len(frequencies), frequencies[0] / total, entropy, entropy / most


@report_user_errors("rf-frequency")
def main(arguments):
    options = parse(arguments)
    if not os.access(options.fuzzer, os.X_OK):
        raise UserError(f"there is no {options.fuzzer}; run scripts/build first")
    [subject] = manifest.load(options.manifest, options.programs, options.subject)[:1]
    os.makedirs(options.output, exist_ok=True)
    rows, charts = [], []
    for scheduler in options.schedulers.split(","):
        frequencies = counts(options, subject.command, scheduler)
        number, share, entropy, relative = evenness(frequencies)
        rows.append([scheduler, number, f"{100 * share:.2f} %", f"{entropy:.2f}", f"{relative:.3f}"])
        chart = svg.Chart(f"{subject.name}, {scheduler}", "combination, by frequency", "times seen", log_x=True, log_y=True)
        chart.add(scheduler, list(enumerate(frequencies, 1)), steps=True)
        charts.append(chart)
    svg.write(os.path.join(options.output, "rf-frequency.svg"), charts)
    text = "\n".join(table(["scheduler", "combinations", "most frequent", "entropy (bits)", "of maximum"], rows)) + "\n"
    with open(os.path.join(options.output, "rf-frequency.md"), "w") as file:
        file.write(text)
    print(text)
    print(f"Written to {options.output}: rf-frequency.md, rf-frequency.svg")
    return 0
