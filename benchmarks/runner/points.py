"""How many events of real programs remain scheduling points once it is known which code touches memory that threads share."""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

SUMMARY = "events and scheduling points of pigz, xz, zstd and sqlite3"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def library_folders(debian):
    return [f for f in glob.glob(os.path.join(debian, "*/tree/**/x86_64-linux-gnu"), recursive=True) if os.path.isdir(f)]


def compile_database(folders, folder):
    """The program of our own that uses sqlite3 from two threads; None without the library or a compiler for it."""
    library = next((p for f in folders for p in glob.glob(os.path.join(f, "libsqlite3.so.0"))), None)
    compiler = shutil.which("x86_64-linux-gnu-gcc") or shutil.which("gcc")
    if library is None or compiler is None:
        return None
    program = os.path.join(folder, "database")
    source = os.path.join(ROOT, "benchmarks/throughput/database.c")
    subprocess.run([compiler, "-O1", "-g", "-o", program, source, library, "-lpthread", "-Wl,--allow-shlib-undefined"], check=True)
    return program


def measure(build, command, libraries, schedules, folder, folders):
    out = os.path.join(folder, "out")
    environment = dict(os.environ, LD_LIBRARY_PATH=":".join(folders))
    subprocess.run([os.path.join(build, "bin/rff-fuzz"), "--quiet", "--force", "--no-audit", "--minimize", "0", "--scheduler", "pos", "--seed", "1",
                    "-n", str(schedules), "--libs", libraries, "-o", out, "--", *command], check=True, stdout=subprocess.DEVNULL, env=environment)
    with open(os.path.join(out, "stats.json")) as file:
        return json.load(file)


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench points", description=__doc__)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--schedules", type=int, default=12, help="for each program (default 12); the first ones learn")
    options = parser.parse_args(arguments)
    debian = os.path.join(options.build, "test-debian")
    folders = library_folders(debian)
    if not folders:
        print(f"bench: no Debian packages in {debian}; the tests of rff-instrument fetch them: ctest --test-dir {options.build} -R DebianTest", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rff-points-") as folder:
        text = os.path.join(folder, "text")
        with open(text, "w") as file:
            file.writelines(f"line {i} of a text that repeats itself: {i * i}\n" for i in range(150))
        program = {name: os.path.join(debian, package, "tree/usr/bin", name) for name, package in (("pigz", "pigz"), ("xz", "xz-utils"), ("zstd", "zstd"))}
        rows = [("pigz with libz", [program["pigz"], "-p", "2", "-b", "128", "-c", text], "libz*"),
                ("xz with liblzma", [program["xz"], "-T2", "--block-size=4096", "-0", "-c", text], "liblzma*"),
                ("zstd", [program["zstd"], "-T2", "-1", "-c", text], "none")]
        database = compile_database(folders, folder)
        if database:
            rows.append(("libsqlite3, shared cache", [database], "libsqlite3*"))
        print(f"{'program':<26}{'events a run':>14}{'points a run':>14}{'share':>9}")
        for name, command, libraries in rows:
            stats = measure(options.build, command, libraries, options.schedules, folder, folders)
            events, points = stats["events_per_schedule"], stats["scheduling_points"]
            print(f"{name:<26}{events:>14.0f}{points:>14.0f}{points / events:>9.2%}", flush=True)
    return 0
