"""The systematic search on programs whose trace classes are known (benchmarks/systematic/family.c): whether it counts them all, each once, and what
that takes. Beside it the bare rate of forks, measured in the same minute. Then the tables of the article on stop points (stop_points.py)."""
import argparse
import json
import math
import os
import subprocess
import time

from . import stop_points
from .common import ROOT, UserError, report_user_errors
from .summary import table

SUMMARY = "the systematic search on programs whose trace classes are known"
TRACES, READS_FROM = "traces", "reads-from"
# Kind, N, the classes to explore, their number.
PROGRAMS = [(*program[:2], TRACES, program[2]) for program in [
    ("readers", 8, 2**8), ("readers", 13, 2**13), ("last_zero", 5, 64), ("last_zero", 10, 3328), ("last_zero", 15, 147456),
    ("increments", 3, 36), ("increments", 4, math.factorial(4) ** 2), ("locked", 6, math.factorial(6)), ("counters", 10, 121), ("counters", 32, 33**2),
    ("reorder", 3, math.factorial(4) ** 2), ("philosophers", 3, 7), ("philosophers", 8, 2**8 - 1),
]] + [(*program[:2], READS_FROM, program[2]) for program in [
    ("readers", 8, 2**8), ("last_zero", 10, 3328), ("increments", 4, 5**3), ("locked", 6, math.factorial(6)), ("counters", 100, 101**2),
    ("reorder", 100, 101**2), ("philosophers", 8, 2**8 - 1),
]]


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench systematic", description=__doc__)
    parser.add_argument("--most", type=int, default=200000, metavar="N", help="leave out programs with more classes (default 200000)")
    parser.add_argument("--part", choices=["all", "classes", "tables"], default="all", help="programs with known classes, or the tables with stop points")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="DIR")
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "bench", "systematic"), metavar="DIR")
    return parser.parse_args(arguments)


def explore(build, patched, kind, n, classes):
    began = time.monotonic()
    command = [os.path.join(build, "test-bin/trials"), "-k", f"systematic:classes={classes}", "1", "1", "1000000", patched, kind, str(n)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = run.stdout.read()
    _, status, usage = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode != 0:
        raise UserError(f"the search on {kind} {n} ended with status {run.returncode}")
    return json.loads(line.splitlines()[0]), time.monotonic() - began, usage.ru_maxrss


def bare_rate(build, patched):
    rate = subprocess.run([os.path.join(build, "test-bin/rate"), "random", "1", patched, "readers", "8"], capture_output=True, text=True, check=True)
    return json.loads(rate.stdout.splitlines()[0])["bare_forks_per_second"]


def known_classes(options):
    """The lines of the table, and the number of wrong rows."""
    program = os.path.join(options.build, "systematic", "family")
    if not os.path.exists(program):
        raise UserError(f"there is no {program}; run scripts/build first")
    patched = os.path.join(options.output, "family.patched")
    subprocess.run([os.path.join(options.build, "bin/rff-instrument"), "-o", patched, program], check=True, stdout=subprocess.DEVNULL)
    bare = bare_rate(options.build, patched)
    rows, wrong = [], 0
    for kind, n, classes, expected in PROGRAMS:
        if expected > options.most:
            continue
        print(f"{kind} {n}: {expected} {classes} …", flush=True)
        result, seconds, kilobytes = explore(options.build, patched, kind, n, classes)
        right = result["finished"] and not result["reason"] and result["classes"] == expected
        wrong += not right
        rows.append([f"{kind} {n}", classes, expected, result["classes"] if right else f"{result['classes']} {result['reason']}", result["redundant"], result["failing"],
                     f"{seconds:.1f}", f"{result['schedules'] / seconds:.0f}", f"{kilobytes / 1024:.0f}"])
    return table(["program", "classes", "number", "explored", "redundant", "fail", "s", "runs/s", "MiB"], rows) + ["", f"Bare forks: {bare:.0f}/s."], wrong


@report_user_errors("systematic")
def main(arguments):
    options = parse(arguments)
    os.makedirs(options.output, exist_ok=True)
    lines, wrong = [], 0
    if options.part != "tables":
        lines, wrong = known_classes(options)
    if options.part != "classes":
        more, twice = stop_points.tables(options.build, options.output)
        lines += more
        wrong += twice > 0
    text = "\n".join(lines) + "\n"
    print(text)
    with open(os.path.join(options.output, "results.md"), "w") as file:
        file.write(text)
    return 1 if wrong else 0
