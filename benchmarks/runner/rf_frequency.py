"""How evenly a campaign explores: how often each reads-from combination was exercised, with feedback (rff) and without (pos)."""
import argparse
import json
import math
import os
import subprocess

from . import charts, manifest
from .common import ROOT, UserError, report_user_errors
from .summary import table
from .trial import direct_launcher, scheduler_list

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


def counts(options, launcher, command, scheduler):
    """How often each combination was seen, most frequent first."""
    program, *arguments = command
    seed = str(options.seed)
    run = subprocess.run([launcher.fuzzer, "-k", scheduler, seed, seed, str(options.schedules), launcher.patch(program), *arguments],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
    if run.returncode != 0 or not lines:
        raise UserError(f"the search with {scheduler} failed with status {run.returncode}")
    return sorted(json.loads(lines[-1])["rf_combination_counts"], reverse=True)


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
    launcher = direct_launcher(options.fuzzer, options.output)
    rows, drawn = [], []
    for scheduler in scheduler_list(options.schedulers):
        print(f"{scheduler}: {options.schedules} schedules of {subject.name} …", flush=True)
        frequencies = counts(options, launcher, subject.command, scheduler)
        number, share, entropy, relative = evenness(frequencies)
        rows.append([scheduler, number, f"{100 * share:.2f} %", f"{entropy:.2f}", f"{relative:.3f}"])
        chart = charts.Chart(f"{subject.name}, {scheduler}", "combination, by frequency", "times seen", log_x=True, log_y=True)
        chart.add(scheduler, list(enumerate(frequencies, 1)), steps=True)
        drawn.append(chart)
    charts.write(os.path.join(options.output, "rf-frequency.svg"), drawn)
    text = "\n".join(table(["scheduler", "combinations", "most frequent", "entropy (bits)", "of maximum"], rows)) + "\n"
    with open(os.path.join(options.output, "rf-frequency.md"), "w") as file:
        file.write(text)
    print(text)
    print(f"Written to {options.output}: rf-frequency.md, rf-frequency.svg")
    return 0
