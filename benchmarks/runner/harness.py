"""Runs a second inside one process, beside the fork server's and a bare fork's, measured in turns."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from runner import throughput

SUMMARY = "runs a second inside one process, beside the fork server and a bare fork"
SUBJECTS = ["account", "reorder_3", "reorder_100", "work_steal_queue"]
TURNS = 3


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench harness", description=__doc__)
    parser.add_argument("--build", default=os.path.join(throughput.ROOT, "build"))
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement")
    parser.add_argument("--scheduler", default="pos")
    options = parser.parse_args(arguments)
    print(f"{'subject':<20}{'in process/s':>14}{'fork server/s':>15}{'bare forks/s':>14}{'ratio':>8}{'empty run, us':>15}")
    subprocess.run(["ninja", "-C", options.build, "in_process_subjects"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        for name in SUBJECTS:
            program = throughput.patched(options.build, os.path.join(options.build, "subjects", name), folder)
            inside, served, forks, empty = [], [], [], []
            for _ in range(TURNS):
                done = subprocess.run([os.path.join(options.build, "throughput", f"in_process_{name}"), str(options.seconds), options.scheduler],
                                      check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                row = json.loads(done.stdout.splitlines()[-1])
                inside.append(row["runs_per_second"])
                empty.append(row["empty_run_us"])
                row = throughput.measure(options.build, [program], "fiber", options.seconds, options.scheduler)
                served.append(row["schedules_per_second"])
                forks.append(row["bare_forks_per_second"])
            a, b, c = (statistics.median(values) for values in (inside, served, forks))
            print(f"{name:<20}{a:>14.0f}{b:>15.0f}{c:>14.0f}{a / b:>8.1f}{statistics.median(empty):>15.2f}", flush=True)
    return 0
