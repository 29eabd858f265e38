"""Schedules a second beside a bare fork of the same process, and what an event, a switch and a thread cost, on both carriers."""
import argparse
import itertools
import json
import os
import subprocess
import sys
import time

from runner.fork_server import ForkServer, schedule

SUMMARY = "schedules a second beside the fork ceiling; cost of events, switches and threads"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBJECTS = ["account", "reorder_3", "bounded_buffer_right", "work_steal_queue", "qsort_mt", "safestack", "reorder_100", "twostage_100"]
RANDOM_WALK = 3
LEAST_RUNS = 3
CROWDS = [2, 10, 100, 1000]
EVENTS = [100, 1000, 10_000, 100_000, 1_000_000]


def rate(server, cases, seconds):
    """Runs a second over the given time, and page faults a run; never the same test case twice in a row, so that nothing comes from the cache."""
    for case in itertools.islice(cases, 3):
        server.run(case)
    runs, faults, start = 0, server.faults_of_children(), time.perf_counter()
    while True:
        server.run(next(cases))
        runs += 1
        elapsed = time.perf_counter() - start
        if elapsed >= seconds and runs >= LEAST_RUNS:
            return runs / elapsed, (server.faults_of_children() - faults) / runs


def bare_forks():
    """Test cases that cannot be decoded: the child leaves at once. What remains is fork, exit, wait and the protocol."""
    for n in itertools.count():
        yield b"no schedule %d" % n


def schedules(scheduler=1):
    for seed in itertools.count():
        yield schedule(seed, scheduler)


def check_format(build, folder):
    """A schedule the runtime cannot read would measure bare forks twice."""
    path = os.path.join(folder, "empty.bin")
    with open(path, "wb") as file:
        file.write(schedule(1))
    subprocess.run([os.path.join(build, "bin/rff-replay"), "--show", path], check=True, stdout=subprocess.DEVNULL)


def patched(build, program, folder):
    out = os.path.join(folder, os.path.basename(program) + ".patched")
    subprocess.run([os.path.join(build, "bin/rff-instrument"), "-o", out, program], check=True, stdout=subprocess.DEVNULL)
    return out


def measure(launcher, command, carrier, seconds, scheduler=1):
    server = ForkServer(launcher, command, carrier)
    try:
        return rate(server, bare_forks(), seconds), rate(server, schedules(scheduler), seconds)
    finally:
        server.close()


def slope(launcher, command, carrier, seconds, kind, few, many, per_unit, scheduler=1):
    """Nanoseconds for one more unit of work: the difference of two sizes, so that fork and start-up cancel."""
    times = []
    for count in (few, many):
        _, runs = measure(launcher, [command, kind, str(count)], carrier, seconds, scheduler)
        times.append(1 / runs[0])
    return (times[1] - times[0]) / ((many - few) * per_unit) * 1e9


def growth(launcher, work, carrier, seconds):
    """How the length of a run grows with threads and events, in lengths of a bare fork of the same process."""
    rows = []
    for kind, label, sizes, units in (("crowd", "threads changing a word", CROWDS, lambda n: n * 13), ("queue", "threads at one lock", CROWDS, lambda n: n * 43),
                                      ("events", "private accesses", EVENTS, lambda n: n * 2)):
        for size in sizes:
            (forks, _), (runs, faults) = measure(launcher, [work, kind, str(size)], carrier, seconds)
            rows.append({"kind": kind, "size": size, "carrier": carrier, "bare_forks_per_second": forks, "schedules_per_second": runs, "faults": faults})
            print(f"{size:>8} {label:<26}{carrier:<9}{runs:>12.1f}{forks / runs:>12.1f}{1e9 / runs / units(size):>12.0f}{faults:>10.0f}", flush=True)
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench throughput", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=float, default=2, help="for each measurement (default 2)")
    parser.add_argument("--only", default="", help="comma-separated subjects")
    parser.add_argument("--part", default="subjects,costs,growth", help="comma-separated parts (default all)")
    parser.add_argument("--output", default=os.path.join(ROOT, "build/bench-throughput"))
    options = parser.parse_args(arguments)
    os.makedirs(options.output, exist_ok=True)
    check_format(options.build, options.output)
    launcher = os.path.join(options.build, "bin/rff-launch")
    parts = options.part.split(",")
    result = {"subjects": {}, "costs": {}, "growth": []}
    if "subjects" in parts:
        print(f"{'subject':<24}{'carrier':<9}{'bare fork/s':>12}{'schedules/s':>13}{'share':>8}{'faults, bare':>14}{'faults':>8}")
    for name in (options.only.split(",") if options.only else SUBJECTS) if "subjects" in parts else []:
        program = patched(options.build, os.path.join(options.build, "subjects", name), options.output)
        for carrier in ("fiber", "thread"):
            (forks, bare_faults), (runs, faults) = measure(launcher, [program], carrier, options.seconds)
            result["subjects"].setdefault(name, {})[carrier] = {"bare_forks_per_second": forks, "schedules_per_second": runs, "bare_faults": bare_faults, "faults": faults}
            print(f"{name:<24}{carrier:<9}{forks:>12.0f}{runs:>13.0f}{runs / forks:>8.2f}{bare_faults:>14.0f}{faults:>8.0f}", flush=True)
    work = patched(options.build, os.path.join(options.build, "throughput/work"), options.output)
    if "costs" in parts:
        print(f"\n{'cost of one':<34}{'fiber':>10}{'thread':>10}")
    for label, kind, few, many, per_unit, scheduler in (
            ("private access, ns", "events", 1000, 101000, 2, 1),
            ("decision (half of them switch), ns", "switches", 100, 2100, 2, RANDOM_WALK),
            ("thread (create, run, join), ns", "threads", 2, 102, 1, 1)) if "costs" in parts else []:
        row = {c: slope(launcher, work, c, options.seconds, kind, few, many, per_unit, scheduler) for c in ("fiber", "thread")}
        result["costs"][label] = row
        print(f"{label:<34}{row['fiber']:>10.0f}{row['thread']:>10.0f}", flush=True)
    if "growth" in parts:
        print(f"\n{'size of a run':<35}{'carrier':<9}{'schedules/s':>12}{'bare forks':>12}{'ns an event':>12}{'faults':>10}")
        for carrier in ("fiber", "thread"):
            result["growth"] += growth(launcher, work, carrier, options.seconds)
    with open(os.path.join(options.output, "throughput.json"), "w") as file:
        json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
