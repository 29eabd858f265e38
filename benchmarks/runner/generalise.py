"""How the search does on programs that it was not tuned on. Two tables, each by kind: generated programs with a planted bug (benchmarks/generator),
and the subjects of this repository, divided by a hash of their names into development rows, which a change of the search may be tuned on, and test rows,
which nobody looks at while changing it. Generated programs from number 1000 on are test programs; those below are for development."""
import argparse
import hashlib
import json
import os
import sys

from generator import build as generator

from . import manifest, ranks, regret, schedules_to_bug, survival
from .common import ROOT, UserError, report_user_errors
from .summary import show_number, table
from .trial import scheduler_list

SUMMARY = "the search on generated programs and on held-out subjects, and its regret"
FIRST_TEST_PROGRAM = 1000


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench generalise", description=__doc__)
    parser.add_argument("--schedulers", default="rff,paper,pos,pct,random", metavar="LIST", help="the first one is the default search; `all`")
    parser.add_argument("--programs", type=int, default=500, metavar="N", help="generated programs (default 500)")
    parser.add_argument("--trials", type=int, default=20, metavar="N")
    parser.add_argument("--schedules", type=int, default=500, metavar="N", help="at most, for each trial (default 500)")
    parser.add_argument("--development", action="store_true", help="the programs and rows for development only")
    parser.add_argument("--generated-only", action="store_true", help="without the subjects of this repository")
    parser.add_argument("--fixed", action="store_true", help="the mended forms of the generated programs: nothing may be found")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N", help="trials side by side")
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "bench", "generalise"), metavar="DIR")
    parser.add_argument("--fuzzer", default=os.path.join(ROOT, "build", "bin", "rff-fuzz"), metavar="PROGRAM")
    return parser.parse_args(arguments)


def is_development(name):
    """Half of the subjects, by their names."""
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 0


def run(options, path, output):
    """Runs or continues the trials of a manifest; returns the rows."""
    arguments = ["--direct", "--trials", str(options.trials), "--schedules", str(options.schedules), "--budget", "120s", "--schedulers", ",".join(scheduler_list(options.schedulers)),
                 "--jobs", str(options.jobs), "--manifest", path, "--output", output, "--fuzzer", options.fuzzer, "--no-table"]
    if schedules_to_bug.main(arguments) != 0:
        raise UserError(f"the trials of {path} failed")
    with open(os.path.join(output, "results.json")) as file:
        return json.load(file)["rows"]


def generated(options):
    first = 0 if options.development else FIRST_TEST_PROGRAM
    part = "development" if options.development else "test"
    name = part + ("-fixed" if options.fixed else "")
    print(f"generating {options.programs} programs", file=sys.stderr)
    path = generator.build(os.path.join(options.output, "programs-" + name), range(first, first + options.programs), options.fixed, options.jobs)
    return run(options, path, os.path.join(options.output, "generated-" + name))


def kind_of(row):
    return row["subject"].split("_", 1)[1]


def part_of(row):
    return "development" if is_development(row["subject"]) else "test"


def by_group(rows, group, schedulers, limit):
    """A table: for each group the geometric mean over its rows of the mean number of schedules, the limit where nothing was found."""
    groups = {}
    for row in rows:
        groups.setdefault(group(row), []).append(row)
    groups = dict(sorted(groups.items())) | {"all": rows}
    lines = []
    for name, members in groups.items():
        cells = []
        for s in schedulers:
            cells.append(show_number(survival.geometric_mean([survival.mean(regret.times(r["cells"][s], limit)) for r in members])))
        lines.append([name, str(len(members)), *cells])
    found = [f"{sum(r['cells'][s]['found'] for r in rows) / sum(r['cells'][s]['trials'] for r in rows):.1%}" for s in schedulers]
    seconds = [f"{sum(r['cells'][s]['seconds'] for r in rows) / sum(r['cells'][s]['trials'] for r in rows):.2f}" for s in schedulers]
    lines += [["found", "", *found], ["seconds a trial", "", *seconds]]
    return table(["", "rows", *schedulers], lines)


def show_regret(rows, schedulers, limit):
    if len(schedulers) < 2:
        return []
    default = schedulers[0]
    found = regret.regrets(rows, default, limit)
    lines = [f"Regret of {default}: geometric mean {survival.geometric_mean([r[0] for r in found]):.2f}"]
    worst = regret.worst(found)
    if worst:
        lines[0] += f", worst {worst[0]:.2f} ({worst[1]}: {show_number(worst[2])} against {show_number(worst[3])} of {worst[4]})"
    ranked = ranks.average_ranks(rows, schedulers, limit)
    lines += [ranked.text()] if ranked else []
    worse = regret.significantly_worse(rows, default)
    lines.append(f"Significantly worse (log-rank, Holm-corrected): {', '.join(f'{s} than {o}' for s, o in worse) or 'nowhere'}")
    return lines


def section(title, rows, group, schedulers, limit):
    rows = [r for r in rows if all(r["cells"].get(s, {}).get("trials") for s in schedulers)]
    buggy = [r for r in rows if r["expect"] != "none"]
    lines = [f"## {title}", ""]
    if buggy:
        lines += [*by_group(buggy, group, schedulers, limit), "", *show_regret(buggy, schedulers, limit)]
    correct = [r for r in rows if r["expect"] == "none"]
    if correct:
        alarms = [r["subject"] for r in correct if any(c["found"] for c in r["cells"].values())]
        schedules = sum(c["schedules_run"] for r in correct for c in r["cells"].values())
        lines.append(f"{len(correct)} correct programs, {schedules} schedules: {len(alarms)} false alarms {' '.join(alarms)}".rstrip())
    return lines + [""]


@report_user_errors("generalise")
def main(arguments):
    options = parse(arguments)
    if options.programs < 1 or options.trials < 1 or options.jobs < 1:
        raise UserError("--programs, --trials and --jobs must be at least 1")
    if options.development and options.programs > FIRST_TEST_PROGRAM:
        raise UserError(f"there are {FIRST_TEST_PROGRAM} programs for development; give --programs {FIRST_TEST_PROGRAM} or fewer")
    schedulers = scheduler_list(options.schedulers)
    lines = section("Generated programs" + " for development" * options.development, generated(options), kind_of, schedulers, options.schedules)
    if not options.generated_only and not options.fixed:
        rows = run(options, manifest.DEFAULT, os.path.join(options.output, "subjects"))
        if options.development:
            rows = [r for r in rows if is_development(r["subject"])]
        lines += section("Subjects", rows, part_of, schedulers, options.schedules)
    text = "\n".join(lines)
    with open(os.path.join(options.output, "results.md"), "w") as file:
        file.write(text)
    print(text)
    print(f"Written to {options.output}: results.md")
    return 0
