"""Seconds to the bug under libFuzzer (Debian's clang) and with rff-fuzz, process start included, for the twelve subjects of the published
comparison of schedules from bytes. Each subject is the body of a fuzz target, a shared library, and an ordinary program."""
import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from runner import throughput

SUMMARY = "seconds to the bug of twelve fuzz targets under libFuzzer, and of the same programs with rff-fuzz"
# Name, source, whether accesses are reported (else only primitives), definitions.
SUBJECTS = [
    ("bigshot_p", "subjects/order/bigshot.c", True, []),
    ("bounded_buffer", "subjects/atomicity/bounded_buffer.c", True, []),
    ("lazy", "subjects/order/lazy.c", True, []),
    ("stringbuffer", "subjects/atomicity/stringbuffer.cc", True, []),
    ("workstealqueue_mutex_1", "subjects/lock-free/work_steal_queue.c", True, ["VARIANT=1"]),
    ("workstealqueue_mutex_3", "subjects/lock-free/work_steal_queue.c", True, ["VARIANT=3"]),
    ("deadlock_1", "subjects/deadlock/deadlock01.c", True, []),
    ("phase_1", "bodies/phase_1.c", True, []),
    ("interleave", "bodies/interleave.c", False, []),
    ("checkpoints", "bodies/interleave.c", False, ["CHECKPOINTS"]),
    ("triangular", "bodies/triangular_yields.c", False, []),
    ("singleton_b", "bodies/singleton_b.c", False, []),
]
LIBFUZZER_FOUND = 77  # its exit status
ACCESSES = ["-fsanitize=thread", "-mllvm", "-tsan-instrument-read-before-write=1", "-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp"]


def library(build, name):
    return next(path for pattern in ("lib", "harness", "*") for path in sorted(glob.glob(os.path.join(build, pattern, name))))


def build_target(build, folder, row, clang):
    """Returns the fuzz target and the program of a subject."""
    name, source, accesses, definitions = row
    benchmarks = os.path.join(throughput.ROOT, "benchmarks")
    path = lambda file: os.path.join(folder, file)
    runtime = os.path.dirname(library(build, "libsched.so"))
    compiler = clang + "++" if source.endswith(".cc") else clang
    run = lambda *command: subprocess.run(command, check=True, cwd=benchmarks)
    with open(path("main.h"), "w") as header:
        header.write('#ifdef __cplusplus\nextern "C" int subject_main();\n#endif\n')
    defined = ["-D" + d for d in definitions]
    run(compiler, "-g", "-O1", "-w", "-fPIC", *(ACCESSES if accesses else ["-fsanitize=fuzzer-no-link"]), "-include", path("main.h"), "-Dmain=subject_main", *defined,
        "-c", source, "-o", path(name + ".o"))
    callbacks = [library(build, "librff_callbacks.a")] if accesses else []
    run(compiler, "-shared", path(name + ".o"), *callbacks, "-L" + runtime, "-lsched", "-Wl,-z,now", "-pthread", "-o", path(f"lib{name}.so"))
    for helper in ("fuzz_target", "fresh_variables"):
        run(clang, "-O1", "-c", f"bodies/{helper}.c", "-I" + os.path.join(throughput.ROOT, "harness/include"), "-o", path(helper + ".o"))
    run(clang + "++", "-fsanitize=fuzzer", path("fuzz_target.o"), path("fresh_variables.o"), "-L" + folder, "-l" + name, "-Wl,-u,rff_feedback",
        library(build, "librff_harness.a"), "-L" + runtime, "-lsched", "-Wl,-z,now", "-pthread", f"-Wl,-rpath,{folder}:{runtime}", "-o", path(name))
    run(compiler, "-g", "-O1", "-w", *defined, source, "-pthread", "-o", path(name + ".program"))
    return path(name), path(name + ".program")


def seconds(command, folder, environment=None):
    """Returns the seconds of a command and its exit status; 60 seconds at most."""
    begin = time.perf_counter()
    try:
        status = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, env=environment).returncode
    except subprocess.TimeoutExpired:
        status = 0
    return time.perf_counter() - begin, status


def fuzz(build, program, folder, seed):
    """Returns the seconds of a campaign until its first finding, and whether there was one."""
    out = os.path.join(folder, "campaign")
    shutil.rmtree(out, ignore_errors=True)
    took, status = seconds([os.path.join(build, "bin/rff-fuzz"), "--until-bug", "--time", "60", "--seed", str(seed), "--force", "-o", out, "--", program], folder)
    return took, status == 1


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench engines", description=__doc__)
    parser.add_argument("--build", default=os.path.join(throughput.ROOT, "build"))
    parser.add_argument("--runs", type=int, default=30, help="of each subject (default 30)")
    parser.add_argument("--only", default="", help="comma-separated subjects")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--encodings", default="stay,index", help="of bytes (default stay,index)")
    parser.add_argument("--campaigns", type=int, default=0, help="of rff-fuzz for each subject (default none)")
    options = parser.parse_args(arguments)
    if shutil.which(options.clang) is None:
        sys.exit(f"bench: no {options.clang}: install clang and its libFuzzer")
    encodings = options.encodings.split(",")
    print(f"{'subject':<24}{'-runs=0':>9}" + "".join(f"{e + ': found':>15}{'median':>9}{'worst':>8}" for e in encodings) + f"{'rff-fuzz: found':>17}{'median':>9}")
    for row in SUBJECTS:
        if options.only and row[0] not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            target, program = build_target(options.build, folder, row, options.clang)
            empty = statistics.median(seconds([target, "-runs=0"], folder)[0] for _ in range(5))
            line = f"{row[0]:<24}{empty:>9.2f}"
            for encoding in encodings:
                took, found = [], 0
                for seed in range(1, options.runs + 1):
                    one, status = seconds([target, f"-seed={seed}", "-len_control=0", "-max_len=200"], folder, dict(os.environ, BYTES_MEAN=encoding))
                    took.append(one)
                    found += status == LIBFUZZER_FOUND
                line += f"{found:>12}/{options.runs:<2}{statistics.median(took):>9.2f}{max(took):>8.2f}"
            campaigns = [fuzz(options.build, program, folder, seed) for seed in range(options.campaigns)]
            if campaigns:
                line += f"{sum(found for _, found in campaigns):>14}/{options.campaigns:<2}{statistics.median(took for took, _ in campaigns):>9.2f}"
            print(line, flush=True)
    return 0
