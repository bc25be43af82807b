"""Starts the process under fault, reads its output and kills it. It kills only its own children."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

from driver import stopping
from driver.report import REPOSITORY, Missing
from vendors.books import NUMBERED

# A worker without a line for this long counts as hung.
PATIENCE = 20
PRODUCT = "FaultWorker"
# Those of `install-engage`: what it has built with its scratch path `.build/shipped` is used again.
OPTIONS = (
    "--static-swift-stdlib -Xswiftc -Xfrontend"
    " -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors"
    " -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld"
    " -Xlinker -z -Xlinker pack-relative-relocs").split()


def build(product=PRODUCT, package=REPOSITORY):
    """Builds the worker, or `engage`, and returns the path of the executable."""
    environment = dict(os.environ, ENGAGEMENT_WORKSHOP="1")
    command = ["swift", "build", "-c", "release", *OPTIONS, "--product", product,
               "--package-path", str(package),
               "--scratch-path", os.path.join(package, ".build", "shipped")]
    print("building %s, which takes minutes the first time" % product, file=sys.stderr, flush=True)
    try:
        made = subprocess.run(command, env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing("swift: https://www.swift.org/install") from None
    if made.returncode:
        raise RuntimeError("%s does not build:\n%s%s" % (product, made.stdout, made.stderr))
    where = subprocess.run([*command, "--show-bin-path"], env=environment, capture_output=True,
                           text=True, check=True)
    return os.path.join(where.stdout.strip(), product)


class Worker:
    """One life of the worker. Its lines go into the books at once."""

    def __init__(self, executable, mode, books=None, prefix=(), environment=None, **options):
        self.books = books
        self.lines = queue.Queue()
        self.said = []
        self.last_word = time.monotonic()
        arguments = [executable, mode]
        for name, value in options.items():
            arguments += ["--" + name.replace("_", "-"), str(value)]
        self.process = subprocess.Popen(
            [*prefix, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **(environment or {})},
            # A separate process group, so that a kill ends the worker and its tracer alone.
            start_new_session=True)
        stopping.GROUPS.add(self.process.pid)
        self.complaints = []
        self.readers = [threading.Thread(target=self._listen, daemon=True),
                        threading.Thread(target=self._overhear, daemon=True)]
        for reader in self.readers:
            reader.start()

    def _listen(self):
        for raw in self.process.stdout:
            # An incomplete last line does not count.
            if not raw.endswith(b"\n"):
                break
            line = raw.decode(errors="replace").rstrip("\n")
            self.last_word = time.monotonic()
            self.said.append(line)
            if self.books is not None:
                enter(line, self.books)
            self.lines.put(line)
        self.lines.put(None)

    def _overhear(self):
        for raw in self.process.stderr:
            if len(self.complaints) < 50:
                self.complaints.append(raw.decode(errors="replace").rstrip("\n"))

    def wait_for(self, start, patience=PATIENCE):
        """The next line with this start; None if the worker ended or was silent too long."""
        end = time.monotonic() + patience
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return None
            if line is None:
                self.lines.put(None)
                return None
            if line.startswith(start):
                return line

    def say(self, line):
        try:
            self.process.stdin.write((line + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def kill(self):
        """Kills the worker and reads the rest of its output."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return self.ended()

    def ended(self):
        code = self.process.wait()
        stopping.GROUPS.discard(self.process.pid)
        for reader in self.readers:
            reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass
        return code

    def finish(self, limit=60):
        """Waits until the worker ends. Returns the fault of its end, or None.

        A worker that is silent for too long or does not end in time is killed and counts as hung.
        """
        end = time.monotonic() + limit
        while self.process.poll() is None:
            silent = time.monotonic() - self.last_word > PATIENCE
            if silent or time.monotonic() > end:
                self.kill()
                return "hung after %r" % (self.said[-1] if self.said else "no output")
            time.sleep(0.002)
        code = self.ended()
        if code:
            return "ended with %s: %s" % (code, " / ".join(self.complaints[:6]) or "no output")
        return None


def changes(lines):
    """The number of changes of user that these lines of a worker begin."""
    return sum(line.split(" ")[0] == "change" for line in lines)


def enter(line, books):
    """Enters a line of the worker into the books."""
    word, _, rest = line.partition(" ")
    if word == "try":
        number, provider, user, verb, target = rest.split(" ", 4)
        books.tried(int(number), provider, user, verb,
                    int(target) if verb in NUMBERED else target)
    elif word == "accepted":
        books.accepted(int(rest))
    elif word == "refused":
        number, code = rest.split(" ", 1)
        books.refused(int(number), code)
    elif word == "change":
        books.changes(True)
        if rest:
            books.people.changing(rest)
    elif word in ("opened", "changed"):
        books.changes(False)
        if rest:
            books.people.changed(rest)
    elif word == "consent":
        books.people.consent(*rest.split(" "))
    elif word == "route":
        books.routes.line(*rest.split(" "))
    elif word == "stage":
        books.routes.stage(*rest.split(" "))
    elif word == "erase":
        books.people.erasing(rest == "done")
    elif word == "lists":
        user, _, ids = rest.partition(" ")
        books.people.shown(user, set(filter(None, ids.split(","))))
    elif word == "abandoned":
        books.abandoned(rest)
    elif word == "present":
        books.offers.presented(*rest.split(" "))
    elif word == "recorded":
        books.offers.was_recorded(rest)
    elif word in ("dismissed", "closed"):
        books.offers.gone(rest)
    elif word == "finding":
        books.finding("the worker: " + rest)


class Checker:
    """A worker that opens folders in sequence and prints their contents."""

    def __init__(self, executable):
        self.executable = executable
        self.worker = None

    def check(self, folder):
        """Returns (the contents, None) or (None, the fault of the worker)."""
        if self.worker is None:
            self.worker = Worker(self.executable, "check")
        self.worker.say(str(folder))
        line = self.worker.wait_for("{")
        if line is not None:
            return json.loads(line), None
        worker, self.worker = self.worker, None
        if worker.process.poll() is None and time.monotonic() - worker.last_word >= PATIENCE:
            worker.kill()
            return None, "the worker hung"
        code = worker.kill()
        return None, "the worker crashed (%s): %s" % (code, " / ".join(worker.complaints[:6]))

    def close(self):
        if self.worker:
            self.worker.kill()
            self.worker = None
