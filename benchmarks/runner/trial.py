"""One trial: one campaign of rff-fuzz against one subject, until the first bug or the end of the budget."""
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from .manifest import Subject


@dataclass(frozen=True)
class Scheduler:
    """A scheduler as the user names it, `pct:depth=5`, or `paper` (rff's search as published)."""

    label: str

    def options(self):
        return ["--paper"] if self.label == "paper" else ["--scheduler", self.label]


ALL = "rff,paper,pos,bpos,pct,random,urw,surw,ql,ql-rf,delay,period"


def scheduler_list(text):
    """The labels of a list as users type it; `all` stands for every scheduler."""
    return (ALL if text == "all" else text).split(",")


@dataclass(frozen=True)
class Trial:
    subject: Subject
    scheduler: Scheduler
    number: int
    count: int = 1  # this one and those after it, in one process

    def key(self):
        return (self.subject.name, self.scheduler.label, self.number)


def batches(trials, size):
    """The trials in their order, where consecutive ones of a subject and scheduler are taken together, up to `size` of them."""
    result, open_batches = [], {}
    for trial in trials:
        what = trial.key()[:2]
        batch = open_batches.get(what)
        if batch and len(batch) < size and batch[-1].number + 1 == trial.number:
            batch.append(trial)
        else:
            open_batches[what] = [trial]
            result.append(open_batches[what])
    return [Trial(batch[0].subject, batch[0].scheduler, batch[0].number, len(batch)) for batch in result]


class Launcher:
    """Starts campaigns and, when interrupted, ends those it started."""

    together = 1  # trials in one process

    def __init__(self, fuzzer, folder, seconds, schedules=None, extra=()):
        self.fuzzer, self.folder, self.seconds, self.schedules, self.extra = fuzzer, folder, seconds, schedules, list(extra)
        self.running, self.lock, self.stopped = set(), threading.Lock(), False

    def command(self, trial, output):
        # A correct program has no bug to stop at: there the number of schedules is the limit.
        limit = self.schedules or (1000 if trial.subject.expect == "none" else None)
        command = [self.fuzzer, "--until-bug", "-t", f"{self.seconds:g}", "--seed", str(trial.number), "--quiet", "--force",
                   "--minimize", "0"]
        command += ["-n", str(limit)] if limit else []
        return command + trial.scheduler.options() + self.extra + ["-o", output, "--", *trial.subject.command]

    def run(self, trial):
        """The records of the trial and those taken with it: what goes into the results file."""
        output = os.path.join(self.folder, *map(str, trial.key()))
        os.makedirs(os.path.dirname(output), exist_ok=True)
        if os.path.exists(output + ".log"):
            os.unlink(output + ".log")
        started = time.monotonic()
        # Appending: what the program under test writes must not overwrite what the driver does.
        with open(output + ".log", "a") as log, self.lock:
            if self.stopped:
                return None
            process = subprocess.Popen(
                self.command(trial, output), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
            self.running.add(process)
        try:
            status = process.wait(timeout=2 * self.seconds * trial.count + 120)
        except subprocess.TimeoutExpired:
            self.end(process)
            status = "did not end"
        finally:
            with self.lock:
                self.running.discard(process)
        if self.stopped:
            return None
        return self.records(trial, output, status, time.monotonic() - started)

    def records(self, trial, output, status, seconds):
        return [self.record(trial, output, status, seconds)]

    def record(self, trial, output, status, seconds):
        name, scheduler, number = trial.key()
        record = {"subject": name, "scheduler": scheduler, "trial": number, "wall_seconds": round(seconds, 3)}
        try:
            if status not in (0, 1):
                raise ValueError(f"status {status}")
            with open(os.path.join(output, "stats.json")) as file:
                record |= outcome(json.load(file))
        except (OSError, ValueError, KeyError) as error:
            return record | {"error": f"{type(error).__name__}: {error}; {last_line(output + '.log')}"}
        shutil.rmtree(output, ignore_errors=True)
        os.unlink(output + ".log")
        return record

    def end(self, process):
        try:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def stop(self):
        with self.lock:
            self.stopped = True
            processes = list(self.running)
        for process in processes:
            self.end(process)


class DirectLauncher(Launcher):
    """Trials without AFL++ and without a campaign around them: the same core, the same runtime, the same fork-server protocol, so the same
    number of schedules, at a fraction of the start-up cost. Findings are not confirmed in a process of their own."""

    together = 5

    def __init__(self, driver, instrument, folder, seconds, schedules):
        super().__init__(driver, folder, seconds, schedules)
        self.instrument, self.patched, self.patching = instrument, {}, threading.Lock()

    def command(self, trial, output):
        limit = self.schedules or (1000 if trial.subject.expect == "none" else 1 << 30)
        program, *arguments = trial.subject.command
        seeds = [str(trial.number), str(trial.number + trial.count - 1)]
        seconds = f"{self.seconds * trial.count:g}"
        return ["timeout", seconds, self.fuzzer, trial.scheduler.label, *seeds, str(limit), self.patch(program), *arguments]

    def patch(self, program):
        with self.patching:
            if program not in self.patched:
                target = os.path.abspath(os.path.join(self.folder, "patched", os.path.basename(program)))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                subprocess.run([self.instrument, "-o", target, program], stdout=subprocess.DEVNULL, check=True)
                self.patched[program] = target
            return self.patched[program]

    def records(self, trial, output, status, seconds):
        with open(output + ".log", errors="replace") as log:
            results = {result["seed"]: result for result in map(json.loads, (line for line in log if line.startswith("{") and line.endswith("}\n")))}
        if status == 124:
            error = "out of time; give the trials more of it or fewer schedules"
        else:
            error = f"status {status}; {last_line(output + '.log')}"
        os.unlink(output + ".log")
        name, scheduler, first = trial.key()
        records = []
        for number in range(first, first + trial.count):
            record = {"subject": name, "scheduler": scheduler, "trial": number, "wall_seconds": round(seconds / trial.count, 3)}
            result = results.get(number)
            if result is None:
                records.append(record | {"error": error})
                continue
            record |= {key: result[key] for key in ("found", "schedules", "kind", "rf_pairs", "rf_combinations")}
            records.append(record | {"schedules_run": result["schedules"]})
        return records


def direct_launcher(fuzzer, folder, seconds=0, schedules=None):
    """The driver and the instrumenter of the build that the fuzzer belongs to."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(fuzzer)))
    return DirectLauncher(os.path.join(build, "test-bin", "trials"), os.path.join(build, "bin", "rff-instrument"), folder, seconds, schedules)


def outcome(stats):
    """What a campaign's stats.json says about the first bug. A missing key is an error, never "nothing found"."""
    first = min(stats["findings"], key=lambda f: f["first_schedule"], default=None)
    result = {
        "found": first is not None,
        "schedules": first["first_schedule"] if first else stats["schedules"],
        "schedules_run": stats["schedules"],
        "seconds": stats.get("seconds"),
        "rf_pairs": stats.get("rf_pairs"),
        "rf_combinations": stats.get("rf_combinations"),
        "unstable": stats.get("unstable"),
    }
    return result | ({"kind": first["kind"], "summary": first.get("summary", "")} if first else {})


def last_line(path):
    try:
        with open(path, errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
        return lines[-1] if lines else "no output"
    except OSError:
        return "no output"
