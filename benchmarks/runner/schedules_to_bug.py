"""Schedules until the first bug: every subject, every scheduler, several trials. Results are kept trial by trial, so that the same command
continues after an interruption."""
import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from . import manifest, ranks, summary
from .common import ROOT, UserError, duration, environment, report_user_errors, show_duration
from .plots import draw_results
from .trial import Launcher, Scheduler, Trial, batches, direct_launcher, scheduler_list

SUMMARY = "how many schedules each scheduler needs to find each bug"


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench schedules-to-bug", description=__doc__)
    parser.add_argument("--trials", type=int, default=20, metavar="N")
    parser.add_argument("--schedulers", default="rff,pos,pct,random", metavar="LIST", help="of `paper` and what rff-fuzz --help-schedulers lists, with parameters; `all`")
    parser.add_argument("--budget", default="60s", metavar="TIME", help="per trial (default 60s)")
    parser.add_argument("--schedules", type=int, metavar="N", help="also stop a trial after N schedules")
    parser.add_argument("--manifest", default=manifest.DEFAULT, metavar="FILE", help="the subjects (default: those of this repository)")
    parser.add_argument("--only", metavar="PATTERNS", help="subjects whose name matches, for example 'reorder_*,stack'")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), metavar="N", help="trials side by side")
    parser.add_argument("--output", default=os.path.join(ROOT, "build", "bench", "schedules-to-bug"), metavar="DIR")
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "subjects"), metavar="DIR", help="where the subjects are built")
    parser.add_argument("--fuzzer", default=os.path.join(ROOT, "build", "bin", "rff-fuzz"), metavar="PROGRAM")
    parser.add_argument("--fuzzer-options", default="", metavar="OPTIONS", help="passed on to every campaign")
    parser.add_argument("--direct", action="store_true", help="drive the fork server without AFL++: quicker to start, same schedules")
    parser.add_argument("--no-table", action="store_true", help="print only what is written where")
    parser.add_argument("--report-only", action="store_true", help="run nothing, write the report of what is there")
    return parser.parse_args(arguments)


def settings_of(options):
    return {"budget": duration(options.budget), "schedules": options.schedules, "fuzzer_options": options.fuzzer_options, "direct": options.direct}


class Journal:
    """The finished trials, one JSON object per line, appended as they end."""

    def __init__(self, folder, settings):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "trials.jsonl")
        settings_path = os.path.join(folder, "settings.json")
        if os.path.exists(settings_path):
            with open(settings_path) as file:
                before = json.load(file)
            if before != settings:
                raise UserError(f"{folder} holds trials with other settings ({before}); choose another --output or remove it")
        with open(settings_path, "w") as file:
            json.dump(settings, file)
        self.records = []
        if os.path.exists(self.path):
            with open(self.path) as file:
                # A line cut short by a crash is a trial that never ended.
                self.records = [json.loads(line) for line in file if line.endswith("}\n")]

    def finished(self):
        return {(r["subject"], r["scheduler"], r["trial"]) for r in self.records if "error" not in r}

    def add(self, record):
        self.records.append(record)
        with open(self.path, "a") as file:
            file.write(json.dumps(record) + "\n")

    def current(self):
        """The last record of each trial: a repeated trial replaces the one that ended in an error."""
        return list({(r["subject"], r["scheduler"], r["trial"]): r for r in self.records}.values())


class Progress:
    """One live line on a terminal, a line now and then elsewhere. The estimate uses what each subject and scheduler took so far."""

    def __init__(self, trials, journal, jobs):
        self.left, self.total, self.jobs = {t.key() for t in trials}, len(trials), jobs
        self.seconds = {}
        for record in journal.records:
            self.note(record)
        self.last_shown, self.terminal, self.errors = 0.0, sys.stderr.isatty(), 0

    def note(self, record):
        self.seconds.setdefault((record["subject"], record["scheduler"]), []).append(record["wall_seconds"])

    def ended(self, record):
        self.left.discard((record["subject"], record["scheduler"], record["trial"]))
        self.errors += "error" in record
        self.note(record)
        if self.terminal or time.monotonic() - self.last_shown > 10 or not self.left:
            self.show(record)

    def time_left(self):
        means = {k: sum(v) / len(v) for k, v in self.seconds.items()}
        usual = sum(means.values()) / len(means)
        return sum(means.get(key[:2], usual) for key in self.left) / self.jobs

    def show(self, record):
        self.last_shown = time.monotonic()
        outcome = record.get("error") or (f"{record['kind']} after {record['schedules']}" if record["found"] else "nothing")
        text = f"{self.total - len(self.left)}/{self.total} trials, {show_duration(self.time_left())} left, {self.errors} errors | "
        text += f"{record['subject']} {record['scheduler']} #{record['trial']}: {outcome}"
        print(("\r\033[K" + text[:150]) if self.terminal else text, end="" if self.terminal else "\n", file=sys.stderr, flush=True)


def run_trials(trials, journal, launcher, jobs):
    progress = Progress(trials, journal, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(launcher.run, batch) for batch in batches(trials, launcher.together)]
        try:
            for future in as_completed(futures):
                for record in future.result() or []:
                    journal.add(record)
                    progress.ended(record)
        except BaseException:
            for future in futures:
                future.cancel()
            launcher.stop()
            raise
    if progress.terminal:
        print(file=sys.stderr)


def write_report(options, subjects, schedulers, journal):
    rows = summary.summarise(subjects, schedulers, journal.current())
    if not rows:
        raise UserError(f"{options.output} holds no trials of these subjects and schedulers")
    results = {"settings": settings_of(options), "environment": environment(options.fuzzer), "schedulers": schedulers, "rows": rows}
    with open(os.path.join(options.output, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    text = summary.markdown(rows, schedulers)
    if options.schedules and len(schedulers) > 1:
        text += f"\nSchedules: geometric mean of the rows' means, {options.schedules} where nothing was found. Rows that are significantly better or worse by the log-rank test:\n\n"
        text += "\n".join(summary.overview(rows, schedulers, options.schedules, schedulers[0])) + "\n"
        ranked = ranks.average_ranks(rows, schedulers, options.schedules)
        text += f"\n{ranked.text()}\n" if ranked else ""
    with open(os.path.join(options.output, "results.md"), "w") as file:
        file.write(text)
    draw_results(results, options.output)
    if not options.no_table:
        print(text)
    print(f"Written to {options.output}: results.json, results.md, *.svg")


@report_user_errors("schedules-to-bug")
def main(arguments):
    options = parse(arguments)
    if options.trials < 1 or options.jobs < 1:
        raise UserError("--trials and --jobs must be at least 1")
    schedulers = scheduler_list(options.schedulers)
    subjects = manifest.load(options.manifest, options.programs, options.only)
    journal = Journal(options.output, settings_of(options))
    if not options.report_only:
        if not os.access(options.fuzzer, os.X_OK):
            raise UserError(f"there is no {options.fuzzer}; run scripts/build first")
        # Trial by trial, not subject by subject: an interrupted benchmark is then a smaller benchmark of everything.
        trials = [Trial(s, Scheduler(label), number) for number in range(1, options.trials + 1) for s in subjects for label in schedulers]
        finished = journal.finished()
        todo = [t for t in trials if t.key() not in finished]
        folder, seconds = os.path.join(options.output, "campaigns"), duration(options.budget)
        if options.direct:
            launcher = direct_launcher(options.fuzzer, folder, seconds, options.schedules)
        else:
            launcher = Launcher(options.fuzzer, folder, seconds, options.schedules, options.fuzzer_options.split())
        run_trials(todo, journal, launcher, options.jobs)
    write_report(options, subjects, schedulers, journal)
    return 0
