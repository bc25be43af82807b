"""The output of a command: progress, findings, and one line at the end."""

import collections
import concurrent.futures
import multiprocessing
import pathlib
import shlex
import subprocess
import sys
import time

from driver import stopping

# The interval of progress lines without a terminal, in seconds.
NOW_AND_THEN = 60
ROOT = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = ROOT.parents[1]


class Missing(Exception):
    """A tool is not installed. The message names its package."""


def commit():
    """The tested commit, with a `+` if the tree differs from it."""
    git = ["git", "-C", str(REPOSITORY)]
    try:
        name = subprocess.run(
            [*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        dirt = subprocess.run(
            [*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
        return name.stdout.strip() + ("+" if dirt.stdout.strip() else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


class Outcome:
    """The results of some trials, made in a separate process."""

    def __init__(self, where):
        self.where = where
        self.trials = 0
        self.findings = []
        self.notes = {}
        self.skipped = []

    def trial(self, findings=()):
        self.trials += 1
        self.findings += findings


class Report:
    """The results of one command."""

    # The reports that a stopped command still has to print.
    unclosed = []

    def __init__(self, name, seed, how_to_repeat):
        self.name, self.seed, self.how_to_repeat = name, seed, how_to_repeat
        self.trials = 0
        self.findings = []
        self.skipped = []
        self.notes = collections.Counter()
        self.started = self.told = time.monotonic()
        self.stopped = None
        self.unclosed.append(self)

    def gather(self, work, arguments, jobs):
        """Runs the work for all arguments, `jobs` at a time, and adds the outcomes."""
        with concurrent.futures.ProcessPoolExecutor(jobs, initializer=stopping.listen) as pool:
            left = [pool.submit(stopping.unless_stopped, work, *each) for each in arguments]
            parts = len(left)
            try:
                while left:
                    outcome = left[0].result()
                    del left[0]
                    self.add(outcome)
                    self.progress(parts - len(left), parts)
            except stopping.Stopped:
                # The signal may have reached a part first.
                stopping.hear_no_more()
                for process in multiprocessing.active_children():
                    process.terminate()
                pool.shutdown(cancel_futures=True)
                for future in left:
                    if future.done() and not future.cancelled() and not future.exception():
                        self.add(future.result())
                raise

    def add(self, outcome):
        self.trials += outcome.trials
        self.findings += [(outcome.where, text) for text in outcome.findings]
        self.notes.update(outcome.notes)
        self.skipped += outcome.skipped

    def progress(self, done, of):
        """Prints the progress: always on a terminal, at intervals elsewhere."""
        is_terminal = sys.stderr.isatty()
        if not is_terminal and time.monotonic() - self.told < NOW_AND_THEN:
            return
        self.told = time.monotonic()
        print("%s%s: %d of %d parts, %d trials, %d findings, %.0f s" % (
            "\r" if is_terminal else "", self.name, done, of, self.trials, len(self.findings),
            self.told - self.started), end=" " if is_terminal else "\n", file=sys.stderr, flush=True)

    def demand(self, **least):
        """Adds a finding for each count below its least: what did not take place proves nothing."""
        for name, number in least.items():
            name = name.replace("_", " ")
            if self.notes[name] < number:
                self.findings.append(("", "only %d %s; at least %d prove something" % (
                    self.notes[name], name, number)))

    def skip(self, what, why):
        self.skipped.append("%s skipped: %s" % (what, why))

    def close(self):
        """Prints the results and returns the number of findings."""
        self.unclosed.remove(self)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
        for where, text in self.findings[:20]:
            print("%s: FINDING%s: %s" % (self.name, " at %s" % where if where else "", text))
        if len(self.findings) > 20:
            print("%s: and %d more" % (self.name, len(self.findings) - 20))
        if self.findings:
            print("%s: again with: %s" % (self.name, shlex.join(self.how_to_repeat)))
        for line in self.skipped:
            print("%s: %s" % (self.name, line))
        notes = "".join(", %d %s" % (count, name) for name, count in self.notes.items())
        if self.stopped:
            print("%s: stopped by %s before its end" % (self.name, self.stopped))
        print("%s: %d findings in %d trials%s, seed %d, commit %s, %.0f s" % (
            self.name, len(self.findings), self.trials, notes, self.seed, commit(),
            time.monotonic() - self.started), flush=True)
        return len(self.findings)
