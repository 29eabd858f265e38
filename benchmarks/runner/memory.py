"""Resident memory of a campaign's processes over its schedules: neither the fuzzer nor the fork server may grow without bound."""
import argparse
import json
import os
import subprocess
import sys
import time

SUMMARY = "resident memory of fuzzer and fork server over the schedules of a campaign"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def processes_below(pid):
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                children.setdefault(int(fields[1]), []).append(int(entry))
            except OSError:
                pass  # it has just ended
    found, waiting = [], [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def resident_kilobytes(pid):
    """Private memory: what is mapped from files, or shared with the parent before the first write, is not growth."""
    try:
        with open(f"/proc/{pid}/status") as file:
            lines = dict(line.split(":", 1) for line in file if ":" in line)
        return int(lines.get("RssAnon", "0 kB").split()[0])
    except OSError:
        return 0


def role(pid):
    """A campaign has a fuzzer (rff-fuzz and afl-fuzz) and fork servers; runs come and go below those and do not count."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().decode(errors="replace").split("\0")
    except OSError:
        return None
    text = " ".join(words)
    if "afl-fuzz" in text:
        return "afl-fuzz"
    return "rff-fuzz" if "rff-fuzz" in text else "fork server"


def sample(campaign):
    """Kilobytes by role; of the fork server's processes the oldest, since its children are runs."""
    sizes = {}
    for pid in sorted(processes_below(campaign)):
        name = role(pid)
        if name is not None:
            sizes.setdefault(name, resident_kilobytes(pid))
    return sizes


def schedules_so_far(output):
    try:
        with open(os.path.join(output, "stats.json")) as file:
            return json.load(file)["schedules"]
    except (OSError, ValueError, KeyError):
        return 0


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench memory", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--subject", default="account")
    parser.add_argument("-n", type=int, default=100_000, help="schedules (default 100,000)")
    parser.add_argument("--every", type=float, default=5, help="seconds between samples (default 5)")
    parser.add_argument("--output", default=os.path.join(ROOT, "build/bench-memory"))
    options = parser.parse_args(arguments)
    command = [os.path.join(options.build, "bin/rff-fuzz"), "--force", "--quiet", "--seed", "1", "-n", str(options.n), "-o", options.output, "--",
               os.path.join(options.build, "subjects", options.subject)]
    campaign = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    roles = ["rff-fuzz", "afl-fuzz", "fork server"]
    print(f"{'schedules':>10}" + "".join(f"{name + ', KiB':>18}" for name in roles))
    samples = []
    while campaign.poll() is None:
        time.sleep(options.every)
        sizes = sample(campaign.pid)
        if len(sizes) == len(roles):
            samples.append((schedules_so_far(options.output), [sizes[name] for name in roles]))
            print(f"{samples[-1][0]:>10}" + "".join(f"{size:>18}" for size in samples[-1][1]), flush=True)
    if len(samples) > 1:
        half = samples[len(samples) // 2]
        print("growth over the second half, KiB: " + ", ".join(f"{name} {samples[-1][1][i] - half[1][i]}" for i, name in enumerate(roles)))
    return 0 if campaign.returncode in (0, 1) else campaign.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
