"""What every benchmark needs: where things are, errors that a user can cause, the machine it ran on."""
import os
import platform
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class UserError(Exception):
    """One line: what is wrong and what to do."""


def report_user_errors(name):
    """Decorates a subcommand's main: a UserError ends in one line and status 2."""

    def wrap(function):
        def run(arguments):
            try:
                return function(arguments)
            except UserError as error:
                print(f"bench {name}: {error}", file=sys.stderr)
                return 2

        return run

    return wrap


def duration(text):
    """'60', '60s', '5m' or '1h' in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not match:
        raise UserError(f"'{text}' is not a duration; write for example 60s or 5m")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def show_duration(seconds):
    seconds = int(seconds)
    if seconds >= 3600:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
    return f"{seconds // 60} min {seconds % 60:02d} s" if seconds >= 60 else f"{seconds} s"


def environment(fuzzer):
    """What a reader must know about the machine; no names of hosts or people."""
    try:
        version = subprocess.run([fuzzer, "--version"], capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        version = ""
    return {
        "machine": platform.machine(),
        "emulated": platform.machine() != "x86_64",
        "processors": os.cpu_count(),
        "kernel": platform.release(),
        "fuzzer": version,
    }
