"""SIGKILL at random moments, while the worker accepts, sends and stores."""

import random
import shutil
import subprocess
import tempfile
import time

from driver import cache, steps
from driver.drain import drain
from driver.report import Outcome, Report
from driver.worker import PATIENCE, Worker
from vendors.books import NUMBERS
from vendors.offers import Offers
from vendors.server import Server

# The lives of one cache before it is drained and deleted, so that faults also strike new caches.
LIVES = 25
RATE = 0.25
# A life ends after a random number of accepted actions and a random moment more. A limit in seconds
# alone would let a slow machine do less, and prove less.
MOST_ACCEPTED = 30
MOMENT = 0.02
# The end of a life whose worker waits, because too much is pending or a server is down.
LONGEST = 1


def kill(executable, cycles, seed, jobs=2):
    report = Report("kill", seed, ["run", "kill", "--cycles", str(cycles), "--seed", str(seed)])
    groups = [(executable, seed, number, min(LIVES, cycles - number * LIVES))
              for number in range((cycles + LIVES - 1) // LIVES)]
    report.gather(group, groups, jobs)
    # About a third of what is usual.
    report.demand(killed=cycles, accepted=cycles * 5, faults=cycles, changes_of_user=cycles,
                  consents_set=cycles // 3, lists_looked_at=cycles // 2,
                  users_erased=cycles // 20, routes_set=cycles // 8, migration_steps=cycles // 8,
                  presentations=cycles // 4, presentations_recorded=cycles // 8, files_fetched=cycles // 20,
                  sockets_authenticated=cycles // 2, live_updates=cycles * 5,
                  sockets_ended_by_the_vendor=cycles // 20)
    return report


def group(executable, seed, number, lives):
    """The lives of one cache, with their findings and counts."""
    generator = random.Random("%d/%d" % (seed, number))
    folder = tempfile.mkdtemp(prefix="fault-")
    outcome = Outcome("group %d" % number)
    try:
        with Server(generator.getrandbits(32), RATE) as server:
            # Half of the groups, so that the other half has no reason for a rejection.
            server.braze.refuses_poison = server.atomic.refuses_poison = number % 2 == 1
            server.books.also = ["atomic"]
            server.books.offers = Offers(server.books)
            killed = 0
            for life in range(1, lives + 1):
                wrong, was_killed = one_life(executable, server, folder, life, generator)
                killed += was_killed
                outcome.trial("life %d: %s" % (life, text) for text in wrong)
            outcome.findings += drain(executable, server, folder, lives + 1)
            outcome.findings += list(server.books.offers.faults(folder))
            outcome.notes = {**server.books.notes(), "killed": killed}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return outcome


def one_life(executable, server, folder, life, generator):
    """The findings, and whether the kill ended the life."""
    worker = Worker(
        executable, "loop", server.books, folder=folder, port=server.port, life=life, campaigns="yes",
        live="yes", **{"from": life * NUMBERS}, seed=generator.getrandbits(31))
    server.books.offers.opened()
    findings = []
    # One life in six ends before it is ready, so that kills also strike the opening.
    if generator.random() < 1 / 6:
        wait(worker, generator.uniform(0, 0.03))
    elif worker.wait_for("ready") is None:
        if worker.process.poll() is None:
            findings.append("not ready after %d s: %s" % (PATIENCE, worker.said[-3:]))
    else:
        wait_for_accepted(worker, generator.randrange(MOST_ACCEPTED + 1))
        wait(worker, generator.uniform(0, MOMENT))
    early = worker.process.poll()
    worker.kill()
    if early is not None:
        findings.append("ended by itself with %s: %s %s" % (
            early, worker.said[-2:], " / ".join(worker.complaints[:6])))
    return [*findings, *cache.faults(folder), *steps.faults(folder), *server.books.offers.faults(folder)], early is None


def wait_for_accepted(worker, count):
    end = time.monotonic() + LONGEST
    for _ in range(count):
        if worker.wait_for("accepted", max(0, end - time.monotonic())) is None:
            return


def wait(worker, seconds):
    try:
        worker.process.wait(seconds)
    except subprocess.TimeoutExpired:
        # The worker still runs at the end of its time, as it should.
        pass
