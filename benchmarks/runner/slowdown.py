"""Processor time of one schedule beside that of the program by itself, both on one core and in turns: the compute subjects, the grid program, or any command
given after --."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile

from .common import ROOT, UserError, report_user_errors
from .survival import geometric_mean

SUMMARY = "processor time of a schedule against the program by itself"
SUBJECTS = ["black_scholes", "annealing", "nbody", "stencil", "blocked_lu", "dedup_pipeline", "kmeans", "ray_tiles", "motion_search"]
LEARNING = 3  # schedules after which few new scheduling points are found


def processor_seconds(command, folder):
    """User and system time of a command and of all that it waited for, on one core."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["taskset", "-c", "0", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise UserError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(build, command, schedules, turns, folder):
    """Medians over some turns: the machine's speed changes, for both sides alike. Start and learning cancel out in the difference of two numbers of schedules."""
    patched = os.path.join(folder, os.path.basename(command[0]) + ".patched")
    subprocess.run([os.path.join(build, "bin/rff-instrument"), "-o", patched, command[0]], check=True, stdout=subprocess.DEVNULL)

    def run(count):
        return processor_seconds([os.path.join(build, "test-bin/trials"), "-k", "pos", "1", "1", str(count), patched, *command[1:]], folder)

    rows = [(processor_seconds(command, folder), (run(LEARNING + schedules) - run(LEARNING)) / schedules) for _ in range(turns)]
    alone, one = (statistics.median(column) for column in zip(*rows))
    return alone, one, statistics.median(schedule / program for program, schedule in rows)


def compute_commands(build, size, folder):
    programs = [os.path.join(build, "subjects", name) for name in SUBJECTS]
    missing = next((p for p in programs if not os.path.exists(p)), None)
    if missing:
        raise UserError(f"there is no {missing}; run ninja -C {build} compute_subjects")
    grid = os.path.join(folder, "grid")
    compiler = shutil.which("x86_64-linux-gnu-gcc") or shutil.which("gcc")
    if compiler is None:
        raise UserError("no C compiler for x86_64; run scripts/setup")
    subprocess.run([compiler, "-O1", "-g", "-pthread", "-o", grid, os.path.join(ROOT, "benchmarks/subjects/compute/grid.c")], check=True)
    return [[program, str(size)] for program in programs] + [[grid]]


@report_user_errors("slowdown")
def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench slowdown", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--schedules", type=int, default=5, metavar="N", help="for each measurement (default 5)")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="measurements of each side (default 5)")
    parser.add_argument("--size", type=int, default=100, metavar="N", help="of the compute subjects, in percent (default 100)")
    parser.add_argument("command", nargs="*", help="a program and its arguments, in place of the compute subjects")
    options = parser.parse_args(arguments)
    if options.schedules < 1 or options.turns < 1:
        raise UserError("--schedules and --turns must be at least 1")
    with tempfile.TemporaryDirectory(prefix="rff-slowdown-") as folder:
        if options.command:
            program = shutil.which(options.command[0])
            if program is None:
                raise UserError(f"there is no program {options.command[0]}")
            commands = [[program, *[os.path.abspath(a) if os.path.exists(a) else a for a in options.command[1:]]]]
        else:
            commands = compute_commands(options.build, options.size, folder)
        print(f"{'program':<18}{'by itself':>12}{'one schedule':>14}{'ratio':>8}")
        ratios = []
        for command in commands:
            alone, one, ratio = measure(options.build, command, options.schedules, options.turns, folder)
            ratios.append(ratio)
            print(f"{os.path.basename(command[0]):<18}{alone * 1000:>9.1f} ms{one * 1000:>11.1f} ms{ratio:>8.1f}", flush=True)
        if len(ratios) > 1:
            print(f"geometric mean {geometric_mean(ratios):.1f}, at worst {max(ratios):.1f}")
    return 0
