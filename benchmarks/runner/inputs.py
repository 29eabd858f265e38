"""Inputs and schedules together, beside each of them alone: every subject that fails for some inputs under some schedules only, with several seeds. Nothing of the input
is given: each campaign begins with the empty one. Trials are kept, so that the same command continues after an interruption."""
import argparse
import os
from dataclasses import dataclass

from . import manifest
from .common import ROOT, UserError, duration, report_user_errors
from .schedules_to_bug import Journal, run_trials
from .stress import Stress
from .trial import Launcher, Scheduler, Trial

SUMMARY = "how long fuzzed inputs and schedules take to find each bug, together and alone"

SIDES = {"together": [], "input-only": ["--input-only"], "schedule-only": ["--schedule-only"]}
STRESS = "stress"  # the program itself with random inputs, beside them


@dataclass(frozen=True)
class Side(Scheduler):
    """What is fuzzed, in the place of a scheduler."""

    as_argument: bool = False

    def options(self):
        return ["--inputs", "none", *SIDES[self.label], *(["--input-as", "argument"] if self.as_argument else [])]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench inputs", description=__doc__)
    parser.add_argument("--trials", type=int, default=10, metavar="N", help="seeds 1 to N")
    parser.add_argument("--sides", default=",".join((*SIDES, STRESS)), metavar="LIST", help="of: " + ", ".join((*SIDES, STRESS)))
    parser.add_argument("--budget", default="30s", metavar="TIME", help="per trial (default 30s)")
    parser.add_argument("--manifest", default=os.path.join(ROOT, "benchmarks", "subjects", "inputs", "manifest.json"), metavar="FILE")
    parser.add_argument("--only", metavar="PATTERNS", help="subjects whose name matches, for example 'mx,rax_*'")
    parser.add_argument("--right", action="store_true", help="the twins without the bug, too: 1,000 runs of each trial must find nothing")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="trials side by side; more than one makes the seconds longer")
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "bench", "inputs"), metavar="DIR")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "subjects"), metavar="DIR", help="where the subjects are built")
    parser.add_argument("--fuzzer", default=os.path.join(ROOT, "build", "bin", "rff-fuzz"), metavar="PROGRAM")
    return parser.parse_args(arguments)


def cell(records):
    """`found/trials, mean runs, mean seconds` of those that found the bug."""
    errors = [r["error"] for r in records if "error" in r]
    if errors:
        return "error: " + errors[0]
    found = [r for r in records if r["found"]]
    if records[0]["scheduler"] == STRESS:
        return stress_cell(records)
    if not found:
        return f"0/{len(records)}"
    runs = sum(r["schedules"] for r in found) / len(found)
    seconds = sum(r["seconds"] for r in found) / len(found)
    return f"{len(found)}/{len(records)}, {runs:,.0f}, {seconds:.1f} s"


def stress_cell(records):
    """Runs that failed of all, and how many an hour would have."""
    runs = sum(r["schedules"] for r in records)
    hour = runs / max(sum(r["seconds"] for r in records), 1e-3) * 3600
    return f"{sum(r['found'] for r in records)} of {runs:,} runs ({hour:,.0f} an hour)"


def table(subjects, sides, records):
    lines = ["| subject | " + " | ".join(sides) + " |", "|---" * (len(sides) + 1) + "|"]
    for s in subjects:
        cells = [cell([r for r in records if (r["subject"], r["scheduler"]) == (s.name, side)]) for side in sides]
        lines.append(f"| `{s.name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


@report_user_errors("inputs")
def main(arguments):
    options = parse(arguments)
    sides = options.sides.split(",")
    if unknown := [side for side in sides if side not in (*SIDES, STRESS)]:
        raise UserError(f"there is no side '{unknown[0]}'; there are: {', '.join((*SIDES, STRESS))}")
    if options.trials < 1 or options.jobs < 1:
        raise UserError("--trials and --jobs must be at least 1")
    subjects = [s for s in manifest.load(options.manifest, options.programs, options.only) if options.right or s.expect != "none"]
    journal = Journal(options.output, {"budget": duration(options.budget)})
    trials = [Trial(s, Side(side, any(a.startswith("@@") for a in s.command)), number) for number in range(1, options.trials + 1) for s in subjects for side in sides]
    finished = journal.finished()
    left = [t for t in trials if t.key() not in finished]
    run_trials([t for t in left if t.scheduler.label != STRESS], journal,
               Launcher(options.fuzzer, os.path.join(options.output, "campaigns"), duration(options.budget)), options.jobs)
    run_trials([t for t in left if t.scheduler.label == STRESS], journal, Stress(duration(options.budget)), options.jobs)
    wanted = {t.key() for t in trials}
    text = table(subjects, sides, [r for r in journal.current() if (r["subject"], r["scheduler"], r["trial"]) in wanted])
    with open(os.path.join(options.output, "results.md"), "w") as file:
        file.write(text)
    print(text, end="")
    return 0
