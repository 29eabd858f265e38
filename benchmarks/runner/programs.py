"""A short campaign on programs of Debian that compute with threads: what a schedule costs, and that nothing is found or unstable. Programs that are
not installed are named; `apt-get install pigz pbzip2 lbzip2 plzip x264 imagemagick` brings them all."""
import argparse
import json
import os
import random
import shutil
import subprocess
import tempfile

from .common import ROOT, UserError, report_user_errors

SUMMARY = "schedules a second of pigz, pbzip2, lbzip2, plzip, x264 and ImageMagick"


def write_inputs(folder):
    """A text of 400 kB, six frames of a film of 228 kB and a picture of 2.3 MB."""
    draw = random.Random(3)
    words = ["".join(draw.choice("abcdefghijklmnop") for _ in range(draw.randint(2, 9))) for _ in range(3000)]
    with open(os.path.join(folder, "text"), "w") as file:
        file.write(" ".join(draw.choice(words) for _ in range(80000))[:400000])
    with open(os.path.join(folder, "film.yuv"), "wb") as file:
        file.write(bytes(draw.randrange(256) if draw.random() < 0.2 else i * 7 % 256 for i in range(176 * 144 * 3 // 2 * 6)))
    with open(os.path.join(folder, "picture.ppm"), "wb") as file:
        file.write(b"P6 1000 780 255\n" + bytes((i * i // 977 + i // 3) % 256 for i in range(1000 * 780 * 3)))


# The name of the row, the command, and the libraries to patch in addition to those that must be.
ROWS = [("pigz", ["pigz", "-k", "-c", "-p", "3", "-b", "128", "text"], ""),
        ("pigz with libz", ["pigz", "-k", "-c", "-p", "3", "-b", "128", "text"], "libz*"),
        ("pbzip2", ["pbzip2", "-k", "-c", "-p3", "-b1", "text"], ""),
        ("lbzip2", ["lbzip2", "-k", "-c", "-n", "3", "text"], ""),
        ("plzip", ["plzip", "-k", "-c", "-n", "3", "-1", "text"], ""),
        ("x264", ["x264", "--threads", "3", "--input-res", "176x144", "-o", "/dev/null", "film.yuv"], ""),
        ("x264 with libx264", ["x264", "--threads", "3", "--input-res", "176x144", "-o", "/dev/null", "film.yuv"], "libx264*"),
        ("ImageMagick", ["convert-im6.q16", "picture.ppm", "-colorspace", "Lab", "null:"], ""),
        ("ImageMagick, all of it", ["convert-im6.q16", "picture.ppm", "-colorspace", "Lab", "null:"], "*Magick*")]


def campaign(build, command, libraries, seconds, folder):
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    choice = ["--libs", libraries] if libraries else []
    run = subprocess.run([os.path.join(build, "bin/rff-fuzz"), "--quiet", "--seed", "1", "-t", f"{seconds}s", *choice, "-o", out, "--", *command],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder)
    if run.returncode > 1:  # a campaign without a schedule is no result
        raise UserError(f"{' '.join(command)}: exit status {run.returncode}: {run.stderr.strip()[-200:]}")
    with open(os.path.join(out, "stats.json")) as file:
        return json.load(file), len(os.listdir(os.path.join(out, "findings")))


@report_user_errors("programs")
def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench programs", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=int, default=30, metavar="N", help="for each program (default 30)")
    options = parser.parse_args(arguments)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="rff-programs-") as folder:
        write_inputs(folder)
        print(f"{'program':<24}{'by itself':>10}{'schedules':>11}{'a second':>10}{'events':>12}{'points':>9}{'search':>8}{'unstable':>10}{'findings':>10}")
        for name, command, libraries in ROWS:
            program = shutil.which(command[0])
            if program is None:
                print(f"{name:<24}not installed")
                continue
            stats, findings = campaign(options.build, [program, *command[1:]], libraries, options.seconds, folder)
            busy = stats["seconds_running"] + stats["seconds_analysing"]
            share = stats["seconds_analysing"] / busy if busy else 0
            bad += findings + stats["unstable"]
            print(f"{name:<24}{stats['plain_seconds']:>8.2f} s{stats['schedules']:>11}{stats['schedules_per_second']:>10.2f}{stats['events_per_schedule']:>12.0f}"
                  f"{stats['scheduling_points']:>9.0f}{share:>8.0%}{stats['unstable']:>10}{findings:>10}", flush=True)
    return 1 if bad else 0
