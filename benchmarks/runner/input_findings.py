"""Whether what fuzzed inputs find can be trusted: each finding replays from its one file, with the first inputs and the campaign deleted, on either carrier, and so does
its smallest form; and a long campaign of each correct twin finds nothing, and no run that another run contradicts."""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile

from . import manifest
from .common import ROOT, UserError, report_user_errors

SUMMARY = "whether findings with inputs replay from their files, and correct twins stay clean"

FORMS = ("schedule.bin", "minimized.bin")
CARRIERS = ("fiber", "thread")


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench input-findings", description=__doc__)
    parser.add_argument("--replays", type=int, default=100, metavar="N", help="of each form on each carrier (default 100; 0: none)")
    parser.add_argument("--runs", type=int, default=100_000, metavar="N", help="of each correct twin (default 100,000; 0: none)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--manifest", default=os.path.join(ROOT, "benchmarks", "subjects", "inputs", "manifest.json"), metavar="FILE")
    parser.add_argument("--only", metavar="PATTERNS", help="subjects whose name matches, for example 'mx,rax_*'")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "subjects"), metavar="DIR", help="where the subjects are built")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), metavar="DIR", help="where rff-fuzz and rff-replay are")
    return parser.parse_args(arguments)


def campaign(options, subject, output, limits):
    """Returns what its stats.json says."""
    way = ["--input-as", "argument"] if any(a.startswith("@@") for a in subject.command) else []
    command = [os.path.join(options.bin, "rff-fuzz"), "--inputs", "none", *way, "--quiet", "--seed", str(options.seed), *limits, "-o", output, "--", *subject.command]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    try:
        with open(os.path.join(output, "stats.json")) as file:
            return json.load(file)
    except OSError as error:
        raise UserError(f"{subject.name}: {(done.stderr or done.stdout).strip()}") from error


def reproduced(options, file, carrier):
    """How many replays of so many are the recorded run, event by event, with its failure."""
    command = [os.path.join(options.bin, "rff-replay"), "--quick", "--runs", str(options.replays), "--carrier", carrier, file]
    text = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    found = re.search(r"(\d+) of \d+ reproduced \((\d+) the same run event by event\)", text)
    return min(int(found.group(1)), int(found.group(2))) if found else 0


def check_replays(options, subject, folder):
    """One line of the table; the campaign is deleted before the first replay."""
    output = os.path.join(folder, "campaign")
    campaign(options, subject, output, ["--until-bug", "-t", "120"])
    findings = sorted(os.listdir(os.path.join(output, "findings"))) if os.path.isdir(os.path.join(output, "findings")) else []
    if not findings:
        raise UserError(f"{subject.name}: nothing found in two minutes")
    files = {form: os.path.join(folder, form) for form in FORMS}
    for form, file in files.items():
        source = os.path.join(output, "findings", findings[0], form)
        shutil.copy(source if os.path.exists(source) else os.path.join(output, "findings", findings[0], FORMS[0]), file)
    patched = os.path.join(folder, "patched")
    shutil.copytree(os.path.join(output, "patched"), patched)
    shutil.rmtree(output)
    shutil.copytree(patched, os.path.join(output, "patched"))
    return [reproduced(options, files[form], carrier) for form in FORMS for carrier in CARRIERS]


def check_twin(options, subject, folder):
    stats = campaign(options, subject, os.path.join(folder, "twin"), ["-n", str(options.runs)])
    return [stats["schedules"], len(stats["findings"]), stats["unstable"], stats["lost"]]


@report_user_errors("input-findings")
def main(arguments):
    options = parse(arguments)
    subjects = manifest.load(options.manifest, options.programs, options.only)
    wrong = 0
    if options.replays > 0:
        print("| finding | " + " | ".join(f"{form}, {carrier}" for form in FORMS for carrier in CARRIERS) + " |\n|---" + "|---" * 4 + "|")
        for s in [s for s in subjects if s.expect != "none"]:
            with tempfile.TemporaryDirectory() as folder:
                counts = check_replays(options, s, folder)
            wrong += any(c != options.replays for c in counts)
            print(f"| `{s.name}` | " + " | ".join(f"{c} of {options.replays}" for c in counts) + " |", flush=True)
    if options.runs > 0:
        print("\n| twin | runs | findings | unstable | lost |\n|---|---|---|---|---|")
        for s in [s for s in subjects if s.expect == "none"]:
            with tempfile.TemporaryDirectory() as folder:
                counts = check_twin(options, s, folder)
            wrong += counts[0] < options.runs or any(counts[1:])
            print(f"| `{s.name}` | " + " | ".join(f"{c:,}" for c in counts) + " |", flush=True)
    return 1 if wrong else 0
