"""SIGKILL at every call that writes, one at a time."""

import os

from driver import cache, strace
from driver.drain import drain
from driver.report import Outcome, Report
from driver.worker import Worker, changes
from vendors.server import Server

# The number of actions in each trial's script.
ACTIONS = 24
LIMIT = 30


def calls(executable, positions, seed, jobs=2):
    strace.require()
    report = Report("calls", seed, ["run", "calls", "--positions", str(positions), "--seed",
                                    str(seed)])
    counts = count(executable, seed, report)
    trials = [(executable, seed, call, number)
              for call in strace.WRITING
              for number in strace.positions(counts[call], positions)]
    report.gather(trial, trials, jobs)
    # The last calls of one kind may come after the end of a shorter script.
    report.demand(killed=len(trials) * 8 // 10)
    return report


def count(executable, seed, report):
    """Counts the calls of the script without a fault."""
    outcome = Outcome("counting")
    with strace.Scratch() as folder, strace.Scratch() as other, Server(seed) as server:
        log = os.path.join(other, "log")
        worker = script(executable, server, folder, seed, strace.counting(
            strace.WRITING, log, folder))
        wrong = worker.finish(LIMIT)
        if wrong:
            outcome.findings.append("without a fault it " + wrong)
        counts = strace.counted(log)
    report.add(outcome)
    report.notes["writing calls"] = sum(counts.values())
    return counts


def script(executable, server, folder, seed, prefix, life=1, **options):
    return Worker(executable, "script", server.books, prefix, folder=folder, port=server.port,
                  life=life, seed=seed, actions=ACTIONS, **{"from": life * 1000, **options})


def trial(executable, seed, call, number):
    outcome = Outcome("%s %d" % (call, number))
    with strace.Scratch() as folder, Server(seed) as server:
        worker = script(executable, server, folder, seed, strace.killing(call, number, folder))
        wrong = worker.finish(LIMIT)
        killed = worker.process.returncode in (-9, 137)
        if wrong and not killed:
            outcome.findings.append("it " + wrong)
        outcome.notes = {"killed": killed}
        found = list(cache.faults(folder))
        # A sign-out gives the token up before the cache forgets the device.
        if changes(worker.said) <= 1:
            found += cache.devices(folder)
        outcome.trial(found)
        outcome.findings += drain(executable, server, folder, 2)
    return outcome
