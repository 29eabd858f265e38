"""Tables 1 and 2 of the article on stop points (see docs/stop-points.md): the share of failing runs among 150, with stop points at calls. Its programs were
written anew with a method for each access to a shared field, so that a call there is an access here: the second set of stop points has both."""
import json
import os
import shutil
import subprocess
import time

from .common import UserError
from .summary import table

RUNS = 150
# The best share of failing runs in either table, in percent; "deadlocked" where runs that did not end are counted.
PUBLISHED = {
    "account": "30", "bluetooth_driver": "6", "carter01": "94 deadlocked", "circular_buffer": "69", "deadlock01": "57 deadlocked", "lazy01": "66",
    "queue": "100", "reorder_3": "8", "reorder_10": "7.3", "stack": "61", "token_ring": "25", "twostage_1": "8.7", "twostage_100": "0", "wronglock_1": "29",
}
SEARCHES = {
    "random": ["--scheduler", "random"],
    "first": ["--scheduler", "systematic", "--classes", "interleavings", "--pick", "first"],
    "unexplored": ["--scheduler", "systematic", "--classes", "interleavings", "--pick", "random"],
    "delays": ["--scheduler", "systematic", "--delays", "0..100"],
}
STOPS = {"calls": ["calls"], "calls and accesses": ["calls", "accesses"]}


def plain_share(program):
    """Without the runtime: what ends with a status other than 0 fails, what does not end within a second is a deadlock."""
    failing = 0
    for _ in range(RUNS):
        try:
            failing += subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1).returncode != 0
        except subprocess.TimeoutExpired:
            failing += 1
    return 100 * failing / RUNS


def search(build, folder, program, options, stops):
    """The share of failing runs, how many there were, and milliseconds per run. Runs before the search began anew count, too."""
    shutil.rmtree(folder, ignore_errors=True)
    command = [os.path.join(build, "bin/rff-fuzz"), "-o", folder, "--quiet", "--no-plain-run", "--no-audit", "--minimize", "0", "--seed", "1", "-n", str(RUNS)]
    for stop in stops:
        command += ["--stop-at", stop]
    run = subprocess.run(command + options + ["--", program], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode not in (0, 1):
        raise UserError(f"{' '.join(command)} ended with status {run.returncode}: {run.stderr.strip()}")
    with open(os.path.join(folder, "stats.json")) as file:
        stats = json.load(file)
    runs = stats["schedules"]
    explored = stats.get("systematic")
    failing = sum(finding["count"] for finding in stats["findings"])
    return {"share": 100 * failing / runs, "runs": runs, "classes": explored["classes"] if explored else 0, "milliseconds": 1000 * stats["seconds_running"] / runs,
            "reason": ", ".join(explored["reasons"]) if explored else "", "complete": bool(explored) and explored["verdict"].startswith("complete")}


def visited_twice(build, folder, program, options):
    """The number of interleavings that the search of the same plan visits twice, by the choices that its runs made."""
    name = "systematic" + ":" + ",".join(f"{key[2:]}={value}" for key, value in zip(options[2::2], options[3::2]))
    patched = os.path.join(folder, "patched", os.path.basename(program) + ".patched")
    command = [os.path.join(build, "test-bin/trials"), "-k", "-s", os.path.join(folder, "stop-points.bin"), name, "1", "1", str(RUNS), patched]
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode != 0:
        raise UserError(f"{' '.join(command)} ended with status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout.splitlines()[0])["repeated"]


def show(result):
    text = f"{result['share']:.3g} %"
    if result["complete"]:
        return text + f" of all {result['classes']}"
    return text + (f" of {result['runs']}: {result['reason']}" if result["runs"] < RUNS else "")


def tables(build, output):
    """The lines of both tables, and how many interleavings were visited twice."""
    lines, twice, slowest, slowest_program = [], 0, 0, ""
    began = time.monotonic()
    plain = {}
    for name, stops in STOPS.items():
        rows = []
        for subject, published in PUBLISHED.items():
            program = os.path.join(build, "subjects", subject)
            if not os.path.exists(program):
                raise UserError(f"there is no {program}; run scripts/build first")
            print(f"{subject}, stop points at {name} …", flush=True)
            if subject not in plain:
                plain[subject] = plain_share(program)
            results, folder = {}, os.path.join(output, "run")
            for key, options in SEARCHES.items():
                results[key] = search(build, folder, program, options, stops)
                if options[1] == "systematic":
                    twice += visited_twice(build, folder, program, options)
            worst = max(r["milliseconds"] for r in results.values())
            if worst > slowest:
                slowest, slowest_program = worst, subject
            rows.append([subject, f"{plain[subject]:.3g} %"] + [show(results[key]) for key in SEARCHES] + [f"{worst:.2g}", published + " %"])
        lines += ["", f"Stop points at {name}; failing runs among at most {RUNS}:", ""]
        lines += table(["program", "plain", "random", "first", "random unexplored", "delays", "ms/run", "published best"], rows)
    lines += ["", f"Visited twice: {twice}. The slowest run took {slowest:.3g} ms ({slowest_program}). All of it: {time.monotonic() - began:.0f} s."]
    return lines, twice
