"""How long rff-instrument takes and how much memory it needs, for each file and per 100,000 sites."""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

SUMMARY = "time and memory of rff-instrument over real programs and libraries"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LEAST_SITES = 1000  # below that it is the start of the process that is measured
X86_64 = 62


def is_candidate(path):
    """An ELF file for x86_64 that is an executable or a shared library, and no link to one."""
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        header = file.read(20)
    return len(header) == 20 and header[:5] == b"\x7fELF\x02" and header[16] in (2, 3) and header[18] == X86_64


def find(folder):
    """What the tests of Debian's packages have unpacked."""
    found = [path for path in glob.glob(os.path.join(folder, "**"), recursive=True) if is_candidate(path)]
    return sorted(found, key=os.path.getsize)


def patch(instrument, path, folder):
    """Processor seconds (one thread does the work), peak memory in bytes and the report; None if the file was refused."""
    report = os.path.join(folder, "report.json")
    child = subprocess.Popen([instrument, "-o", os.path.join(folder, "patched"), "--json", report, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    message = child.stderr.read().decode().strip()
    child.stderr.close()
    if child.returncode != 0:
        print(f"{os.path.basename(path)}: {message}", file=sys.stderr)
        return None
    with open(report) as file:
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, json.load(file)


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench rewriting", description=__doc__)
    parser.add_argument("files", nargs="*", help="what to patch (default: the packages that the tests have unpacked below the build folder)")
    parser.add_argument("--instrument", default=os.path.join(ROOT, "build", "bin", "rff-instrument"))
    options = parser.parse_args(arguments)
    files = options.files or find(os.path.join(ROOT, "build", "test-debian"))
    if not files:
        print("nothing to patch: name files, or run build/test-bin/instrument_debian_test first", file=sys.stderr)
        return 2
    print(f"{'file':<28}{'sites':>9}{'patched':>9}{'s':>8}{'MiB':>8}{'s/100k':>9}{'MiB/100k':>10}{'file MiB':>10}")
    total_sites = total_seconds = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            result = patch(options.instrument, path, folder)
            if result is None or result[2]["sites_found"] < (0 if options.files else LEAST_SITES):
                continue
            seconds, memory, report = result
            sites, mib = report["sites_found"], memory / 2**20
            total_sites += sites
            total_seconds += seconds
            print(f"{os.path.basename(path):<28}{sites:>9}{report['percent']:>8.2f}%{seconds:>8.2f}{mib:>8.0f}{seconds * 1e5 / sites:>9.2f}"
                  f"{mib * 1e5 / sites:>10.0f}{os.path.getsize(path) / 2**20:>10.1f}", flush=True)
    if total_sites:
        print(f"{'all':<28}{total_sites:>9}{'':>9}{total_seconds:>8.2f}{'':>8}{total_seconds * 1e5 / total_sites:>9.2f}")
    return 0
