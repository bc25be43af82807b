"""Power failures. Every possible state of the disk must contain everything accepted."""

import os
import random
import shutil
import subprocess
import tempfile

from crash.model import MODELS, Trace, read
from driver import cache
from driver.report import ROOT, Missing, Outcome, Report
from driver.strace import Scratch
from driver.worker import Checker, Worker, changes
from vendors.books import key_of, row_key
from vendors.server import Server

# The number of states from one recording. Each recording is of another run of the worker.
STATES = 125
ACTIONS = 60
LIMIT = 60


def recorder():
    """Compiles the recorder and returns the path of the library."""
    folder = os.path.join(ROOT, ".build")
    os.makedirs(folder, exist_ok=True)
    library = os.path.join(folder, "record.so")
    try:
        made = subprocess.run(
            ["cc", "-std=gnu11", "-O2", "-shared", "-fPIC", "-o", library,
             os.path.join(ROOT, "crash/record.c"), "-lpthread"], capture_output=True, text=True)
    except FileNotFoundError:
        raise Missing("cc: install the package gcc (Debian)") from None
    if made.returncode:
        raise RuntimeError("the recorder does not compile:\n" + made.stderr)
    return library


def power(executable, states, seed, jobs=2):
    library = recorder()
    report = Report("power", seed, ["run", "power", "--states", str(states), "--seed", str(seed)])
    parts = [(executable, library, seed, number, min(STATES, states - number * STATES))
             for number in range((states + STATES - 1) // STATES)]
    report.gather(part, parts, jobs)
    return report


def part(executable, library, seed, number, states):
    """Records one run of the worker, and checks possible states of its disk."""
    generator = random.Random("%d/%d" % (seed, number))
    outcome = Outcome("recording %d" % number)
    # Half of the recordings are of a worker without a network, so that all its actions are pending.
    with Scratch() as folder, Scratch() as other, Server(seed, 0.1) as server:
        server.is_away = number % 2 == 0
        log = os.path.join(other, "log")
        worker = Worker(
            executable, "script", server.books, folder=folder, port=server.port, life=1,
            seed=generator.getrandbits(31), actions=ACTIONS, **{"from": 1000},
            environment={"LD_PRELOAD": library, "FAULT_FOLDER": folder, "FAULT_LOG": log})
        wrong = worker.finish(LIMIT)
        if wrong:
            outcome.findings.append("the worker " + wrong)
        trace = Trace(read(log), folder)
        outcome.notes = {"recorded calls": len(trace.records)}
        if not any(record.kind == "S" for record in trace.records):
            outcome.findings.append("nothing was ever synced")
        checker = Checker(executable)
        try:
            for index, point in enumerate(trace.points(generator, states)):
                model = MODELS[index % len(MODELS)]
                outcome.trial("call %d of %d, %s: %s" % (point, len(trace.records), model, text)
                              for text in state(trace, point, model, generator, checker, server))
        finally:
            checker.close()
    return outcome


def state(trace, point, model, generator, checker, server):
    """The findings in one state of the disk."""
    image = tempfile.mkdtemp(prefix="fault-")
    try:
        trace.image(point, model, generator, image)
        refused = {key_of(provider, None, verb, target)
                   for provider, verb, target, _ in cache.rejected(image)
                   if provider == "vibes" and isinstance(target, str)}
        found, wrong = checker.check(image)
        if wrong:
            yield wrong
            return
        if found.get("error"):
            yield "it does not open: %s, %s" % (found["error"], found["detail"])
            return
        if found.get("recovery"):
            yield "a power failure alone caused damage: %s" % found["recovery"]
        if changes(trace.lines(point)) <= 1:
            yield from cache.devices(image)
        if found["health"] != "sound":
            yield "health: %s" % found["health"]
        yield from lost(trace, point, pending_keys(found) | refused, server)
    finally:
        shutil.rmtree(image, ignore_errors=True)


def lost(trace, point, known, server):
    """The accepted actions that are neither in the cache nor at their vendor."""
    accepted = {line.split()[1] for line in trace.lines(point) if line.startswith("accepted ")}
    with server.books.lock:
        effects = server.books.effects(until=trace.time(point))
        keys = {number: server.books.tries[int(number)].key for number in accepted}
    for number in sorted(accepted, key=int):
        key = keys[number]
        is_moot = key.provider == "vibes" and server.books.owner(key) is None
        if key not in known and not effects[key] and not is_moot:
            yield "LOST: number %s, accepted before (%s)" % (number, " ".join(map(str, key)))


def pending_keys(found):
    """The pending actions of a cache, by their keys."""
    return {row_key(row) for row in found["pending"]}
