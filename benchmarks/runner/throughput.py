"""Schedules a second beside a bare fork of the same process, and what an event, a switch and a thread cost, on both carriers."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

SUMMARY = "schedules a second beside the fork ceiling; cost of events, switches and threads"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBJECTS = ["account", "reorder_3", "bounded_buffer_right", "work_steal_queue", "qsort_mt", "safestack", "reorder_100", "twostage_100"]
TURNS = 5
CHECK_MEMORY = "1;64;"  # as the launcher asks the runtime for --check memory
CROWDS = [2, 10, 100, 1000]
DECIDERS = ["urw", "bpos", "surw", "ql", "ql-rf", "delay", "pos", "pct", "rff"]
EVENTS = [100, 1000, 10_000, 100_000, 1_000_000]


def patched(build, program, folder):
    out = os.path.join(folder, os.path.basename(program) + ".patched")
    subprocess.run([os.path.join(build, "bin/rff-instrument"), "-o", out, program], check=True, stdout=subprocess.DEVNULL)
    return out


def measure_all(build, command, carrier, seconds, schedulers, checks="", snapshot="off"):
    """What build/test-bin/rate says; what it shares with the runtime is in memory and all functions are bound, as the fuzzer has it."""
    environment = dict(os.environ, RFF_CARRIER=carrier, TMPDIR="/dev/shm", LD_BIND_NOW="1", RFF_SNAPSHOT=snapshot, **({"RFF_CHECKS": checks} if checks else {}))
    done = subprocess.run([os.path.join(build, "test-bin/rate"), ",".join(schedulers), str(seconds), *command], check=True, stdout=subprocess.PIPE, env=environment)
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure(build, command, carrier, seconds, scheduler="pos", checks=""):
    return measure_all(build, command, carrier, seconds, [scheduler], checks)[0]


def slope(build, command, carrier, seconds, kind, few, many, per_unit, scheduler):
    """Nanoseconds for one more unit of work: the difference of two sizes, so that fork and start-up cancel. In turns, since machines change their speed."""
    differences = []
    for _ in range(TURNS):
        times = [1 / measure(build, [command, kind, str(count)], carrier, seconds / TURNS, scheduler)["schedules_per_second"] for count in (few, many)]
        differences.append(times[1] - times[0])
    return statistics.median(differences) / ((many - few) * per_unit) * 1e9


def checked_slopes(build, command, seconds, kind, few, many):
    """The same without and with --check memory, on fibers, in turns of one measurement."""
    differences = {"": [], CHECK_MEMORY: []}
    for _ in range(TURNS):
        for checks, list_of in differences.items():
            times = [1 / measure(build, [command, kind, str(count)], "fiber", seconds / TURNS, "steady", checks)["schedules_per_second"] for count in (few, many)]
            list_of.append(times[1] - times[0])
    return [statistics.median(list_of) / ((many - few) * 2) * 1e9 for list_of in differences.values()]


def check(build, work, options, names):
    """What --check memory costs: schedules a second of the subjects, an access, a block."""
    rows = {}
    print(f"\n{'with --check memory':<34}{'without':>10}{'with':>10}{'share':>8}{'faults':>10}{'faults, with':>14}")
    for name in names:
        program = patched(build, os.path.join(build, "subjects", name), options.output)
        without, checked = (measure(build, [program], "fiber", options.seconds, checks=checks) for checks in ("", CHECK_MEMORY))
        a, b = without["schedules_per_second"], checked["schedules_per_second"]
        rows[name] = {"without": a, "with": b, "faults": without["faults"], "faults_with": checked["faults"]}
        print(f"{name + ', schedules/s':<34}{a:>10.0f}{b:>10.0f}{b / a:>8.2f}{without['faults']:>10.0f}{checked['faults']:>14.0f}", flush=True)
    for label, kind, few, many in (("private access, ns", "events", 1000, 101000), ("private access to the heap, ns", "heap", 1000, 101000),
                                   ("block (malloc and free), ns", "blocks", 100, 5100)):
        a, b = checked_slopes(build, work, options.seconds, kind, few, many)
        rows[label] = {"without": a, "with": b}
        print(f"{label:<34}{a:>10.1f}{b:>10.1f}", flush=True)
    return rows


def in_place(build, options, names):
    """Runs in place beside runs in children and bare forks, in turns of one measurement."""
    rows = {}
    print(f"\n{'in place':<24}{'way':<7}{'bare fork/s':>12}{'forked/s':>11}{'in place/s':>12}{'per bare fork':>15}{'per forked':>12}{'retired':>9}")
    for name in names:
        program = patched(build, os.path.join(build, "subjects", name), options.output)
        for way in ("uffd", "copy"):
            row = measure_all(build, [program], "fiber", options.seconds, ["pos"], snapshot=way)[0]
            rows[f"{name} {way}"] = row
            rate = row["schedules_per_second"]
            print(f"{name:<24}{row['way'] if len(row['way']) < 7 else 'none':<7}{row['bare_forks_per_second']:>12.0f}{row['forked_per_second']:>11.0f}{rate:>12.0f}"
                  f"{rate / row['bare_forks_per_second']:>15.2f}{rate / row['forked_per_second']:>12.2f}{row['retired']:>9}", flush=True)
    return rows


def plain_slope(command, kind, few, many, per_unit):
    """The same for the program by itself, without our runtime."""
    differences = []
    for _ in range(TURNS):
        times = []
        for count in (few, many):
            begin = time.perf_counter()
            subprocess.run([command, kind, str(count)], check=True)
            times.append(time.perf_counter() - begin)
        differences.append(times[1] - times[0])
    return statistics.median(differences) / ((many - few) * per_unit) * 1e9


def decisions(build, command, carrier, seconds):
    """Nanoseconds for an event at which the same thread goes on, and what it takes longer if another one does."""
    alone, mixed = measure_all(build, [command, "decisions", "10000"], carrier, seconds, ["steady", "random"])
    times = [1e9 / row["schedules_per_second"] for row in (alone, mixed)]
    return (times[0] - 1e9 / alone["bare_forks_per_second"]) / alone["points"], (times[1] - times[0]) / (mixed["switches"] - alone["switches"])


def scheduler_costs(build, work, seconds):
    """Nanoseconds that a decision of each scheduler takes longer than one of `random`, on fibers, in turns of one measurement. The schedules have no estimates
    and no learned costs, so tables are empty."""
    print(f"\n{'a decision beside random, ns':<30}{'two threads':>12}")
    rows = measure_all(build, [work, "decisions", "10000"], "fiber", seconds, ["random", *DECIDERS])
    times = [1e9 / row["schedules_per_second"] / row["points"] for row in rows]
    costs = {name: time - times[0] for name, time in zip(DECIDERS, times[1:])}
    for name, cost in costs.items():
        print(f"{name:<30}{cost:>12.0f}", flush=True)
    return costs


def growth(build, work, carrier, seconds):
    """How the length of a run grows with threads and events, in lengths of a bare fork of the same process."""
    rows = []
    for kind, label, sizes, units in (("crowd", "threads changing a word", CROWDS, lambda n: n * 13), ("queue", "threads at one lock", CROWDS, lambda n: n * 43),
                                      ("waiting", "threads wait, two work", CROWDS, lambda n: 100_000),
                                      ("events", "private accesses", EVENTS, lambda n: n * 2)):
        for size in sizes:
            row = measure(build, [work, kind, str(size)], carrier, seconds)
            rows.append({"kind": kind, "size": size, "carrier": carrier, **row})
            runs = row["schedules_per_second"]
            print(f"{size:>8} {label:<26}{carrier:<9}{runs:>12.1f}{row['bare_forks_per_second'] / runs:>12.1f}{1e9 / runs / units(size):>12.0f}{row['faults']:>10.0f}", flush=True)
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench throughput", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=float, default=2, help="for each measurement (default 2)")
    parser.add_argument("--only", default="", help="comma-separated subjects")
    parser.add_argument("--part", default="subjects,in_place,costs,schedulers,growth,check", help="comma-separated parts (default all)")
    parser.add_argument("--output", default=os.path.join(ROOT, "build/bench-throughput"))
    options = parser.parse_args(arguments)
    os.makedirs(options.output, exist_ok=True)
    parts = options.part.split(",")
    result = {"subjects": {}, "costs": {}, "growth": []}
    if "subjects" in parts:
        print(f"{'subject':<24}{'carrier':<9}{'events':>8}{'points':>8}{'bare fork/s':>12}{'schedules/s':>13}{'share':>8}{'faults, bare':>14}{'faults':>8}")
    for name in (options.only.split(",") if options.only else SUBJECTS) if "subjects" in parts else []:
        program = patched(options.build, os.path.join(options.build, "subjects", name), options.output)
        for carrier in ("fiber", "thread"):
            row = measure(options.build, [program], carrier, options.seconds)
            result["subjects"].setdefault(name, {})[carrier] = row
            forks, runs = row["bare_forks_per_second"], row["schedules_per_second"]
            print(f"{name:<24}{carrier:<9}{row['events']:>8}{row['points']:>8}{forks:>12.0f}{runs:>13.0f}{runs / forks:>8.2f}{row['bare_faults']:>14.0f}{row['faults']:>8.0f}", flush=True)
    work = patched(options.build, os.path.join(options.build, "throughput/work"), options.output)
    if "costs" in parts:
        print(f"\n{'cost of one':<34}{'fiber':>10}{'thread':>10}")
    for label, kind, few, many, per_unit, scheduler in (
            ("private access, ns", "events", 1000, 101000, 2, "pos"),
            ("thread (create, run, join), ns", "threads", 2, 102, 1, "pos"),
            ("write and read over a pipe, ns", "pipes", 100, 5100, 2, "steady")) if "costs" in parts else []:
        row = {c: slope(options.build, work, c, options.seconds, kind, few, many, per_unit, scheduler) for c in ("fiber", "thread")}
        result["costs"][label] = row
        print(f"{label:<34}{row['fiber']:>10.0f}{row['thread']:>10.0f}", flush=True)
    if "costs" in parts:
        plain = plain_slope(os.path.join(options.build, "throughput/work"), "pipes", 1000, 101000, 2)
        result["costs"]["write and read over a pipe without the runtime, ns"] = plain
        print(f"{'the same without the runtime, ns':<34}{plain:>10.0f}{plain:>10.0f}", flush=True)
        both = [decisions(options.build, work, c, options.seconds) for c in ("fiber", "thread")]
        for label, fiber, thread in zip(("decision to go on, ns", "hand-over to another thread, ns"), *both):
            result["costs"][label] = {"fiber": fiber, "thread": thread}
            print(f"{label:<34}{fiber:>10.0f}{thread:>10.0f}", flush=True)
    if "schedulers" in parts:
        result["schedulers"] = scheduler_costs(options.build, work, options.seconds)
    if "growth" in parts:
        print(f"\n{'size of a run':<35}{'carrier':<9}{'schedules/s':>12}{'bare forks':>12}{'ns an event':>12}{'faults':>10}")
        for carrier in ("fiber", "thread"):
            result["growth"] += growth(options.build, work, carrier, options.seconds)
    if "in_place" in parts:
        result["in_place"] = in_place(options.build, options, options.only.split(",") if options.only else SUBJECTS)
    if "check" in parts:
        result["check"] = check(options.build, work, options, options.only.split(",") if options.only else SUBJECTS)
    with open(os.path.join(options.output, "throughput.json"), "w") as file:
        json.dump(result, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
