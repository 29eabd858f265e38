"""A test as it runs without RFF: the program again and again under the system's scheduler, each time with a random input."""
import os
import random
import resource
import signal
import subprocess
import time

# A run that has not ended by then hangs; the longest of a subject that ends takes a tenth of a second.
LONGEST_RUN = 2.0


def random_input(source):
    """Numbers, small ones above all, or a few random bytes: what somebody who knows the program would draw."""
    if source.random() < 0.25:
        return bytes(source.randrange(1, 256) for _ in range(source.randrange(0, 8)))
    return b" ".join(str(source.randrange(-(most // 2), most)).encode() for most in source.choices((100, 1000, 1 << 32, 1 << 64), k=source.choice((1, 1, 3))))


class Stress:
    """Runs trials in the place of a launcher of campaigns: each goes on until a run fails or the budget ends."""

    together = 1

    def __init__(self, seconds):
        self.seconds, self.stopped = seconds, False

    def run(self, trial):
        source = random.Random(trial.number)
        started, runs, kind = time.monotonic(), 0, None
        while not kind and not self.stopped and time.monotonic() - started < self.seconds:
            kind = failure(trial.subject.command, source)
            runs += 1
        seconds = round(time.monotonic() - started, 3)
        name, side, number = trial.key()
        record = {"subject": name, "scheduler": side, "trial": number, "found": kind is not None, "schedules": runs, "seconds": seconds, "wall_seconds": seconds}
        return None if self.stopped else [record | ({"kind": kind} if kind else {})]

    def stop(self):
        self.stopped = True


def failure(command, source):
    """How one run fails, if it does."""
    arguments = [os.fsdecode(random_input(source)) if a.startswith("@@") else a for a in command]
    given = None if arguments != command else random_input(source)
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, preexec_fn=no_core)
    try:
        process.communicate(given, timeout=LONGEST_RUN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return "hang"
    return signal.Signals(-process.returncode).name if process.returncode < 0 else None


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
