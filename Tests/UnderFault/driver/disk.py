"""A failing, full or read-only disk."""

import pathlib
import subprocess
import sys

from driver import cache, stopping, strace
from driver.calls import LIMIT, count, script
from driver.drain import drain
from driver.report import ROOT, Outcome, Report
from driver.worker import Worker
from vendors.server import Server

ERRORS = ["EIO", "ENOSPC"]
# The calls that fail with each error. Reads also fail, but only with EIO.
CALLS = ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "openat", "unlink", "rename"]
FILLS = 6
FULL = 4 << 20
# The exit status of a child without the permission to mount.
NOT_PERMITTED = 77


def disk(executable, positions, seed, jobs=2):
    strace.require()
    report = Report("disk", seed, ["run", "disk", "--positions", str(positions), "--seed",
                                   str(seed)])
    counts = count(executable, seed, report)
    trials = [(executable, seed, call, error, number)
              for call in CALLS for error in ERRORS
              for number in strace.positions(counts[call], positions)]
    trials += [(executable, seed, "pread64", "EIO", number)
               for number in strace.positions(min(positions or 40, 40), positions)]
    report.gather(trial, trials, jobs)
    # Some faults are mended in silence, such as that of a file that need not go.
    report.demand(errors_told=len(trials) // 3)
    report.add(mounted(executable, seed))
    return report


def trial(executable, seed, call, error, number):
    """Runs a script in which one call fails, then a life without a fault."""
    outcome = Outcome("%s of %s %d" % (error, call, number))
    with strace.Scratch() as folder, Server(seed) as server:
        worker = script(executable, server, folder, seed, strace.failing(
            call, error, number, folder))
        outcome.trial(judged(worker))
        outcome.notes = {"errors told": told(worker)}
        outcome.findings += cache.faults(folder)
        outcome.findings += drain(executable, server, folder, 2)
    return outcome


def judged(worker):
    """Requires a typed error, and that the same process continues to accept."""
    wrong = worker.finish(LIMIT)
    if wrong:
        yield "it " + wrong
    elif "opened" in worker.said and "resumed" not in worker.said:
        yield "nothing was accepted after the fault: %s" % worker.said[-4:]
    elif "opened" not in worker.said and not any(
            line.startswith("fault ") for line in worker.said):
        yield "it neither opened nor reported an error: %s" % worker.said[-4:]


def told(worker):
    return sum(line.startswith(("refused ", "fault ")) for line in worker.said)


# MARK: Mounted file systems


def mounted(executable, seed):
    """Runs the trials that need a mount in a separate namespace, if that is permitted."""
    outcome = Outcome("mounts")
    try:
        child = subprocess.run(
            ["unshare", "-m", "--propagation", "private", sys.executable, "-m", "driver.disk",
             executable, str(seed)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    except FileNotFoundError:
        outcome.skipped.append("the full and the read-only file system skipped: unshare is not "
                               "installed (package util-linux)")
        return outcome
    except subprocess.TimeoutExpired:
        outcome.findings.append("the trials on file systems of their own hang")
        return outcome
    if child.returncode == NOT_PERMITTED or "unshare failed" in child.stderr:
        outcome.skipped.append("the full and the read-only file system skipped: %s" % (
            child.stderr.strip().splitlines() or ["no mount is permitted here"])[-1])
        return outcome
    for line in child.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "trial":
            outcome.trial()
        elif word == "finding":
            outcome.findings.append(rest)
    if child.returncode:
        outcome.findings.append("the trials on file systems of their own fail: %s" % (
            child.stderr.strip().splitlines()[-3:]))
    return outcome


def inside(executable, seed):
    """Runs in the namespace and prints the findings as lines."""
    with strace.Scratch() as place:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % FULL, "tmpfs", place],
                              capture_output=True, text=True)
        if made.returncode:
            print(made.stderr.strip() or "mount failed", file=sys.stderr)
            return NOT_PERMITTED
        try:
            for number in range(FILLS):
                tell("full %d" % number, full(executable, seed + number, place, number))
            tell("read-only", read_only(executable, seed, place))
        finally:
            subprocess.run(["umount", "-l", place], check=False)
    return 0


def tell(name, findings):
    print("trial " + name)
    for text in findings:
        print("finding %s: %s" % (name, text))


def full(executable, seed, place, number):
    """The disk becomes full while a worker runs, and has space again later."""
    folder = pathlib.Path(place, "cache-%d" % number)
    folder.mkdir(mode=0o700)
    filler = pathlib.Path(place, "filler")
    with Server(seed) as server:
        server.is_away = True
        worker = Worker(executable, "loop", server.books, folder=folder, port=server.port, life=1,
                        seed=seed, **{"from": 1000})
        try:
            if worker.wait_for("ready") is None:
                return ["not ready on a small disk: %s" % worker.said[-3:]]
            fill(filler)
            if worker.wait_for("refused ") is None:
                return ["a full disk was not reported: %s" % worker.said[-3:]]
            filler.unlink()
            if worker.wait_for("accepted ") is None:
                return ["nothing was accepted once the disk had space: %s" % worker.said[-3:]]
        finally:
            worker.kill()
            filler.unlink(missing_ok=True)
        findings = cache.faults(folder) + drain(executable, server, folder, 2)
        subprocess.run(["rm", "-rf", str(folder)], check=False)
        return findings


def fill(path):
    with open(path, "wb", buffering=0) as file:
        for size in (4096, 512):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


def read_only(executable, seed, place):
    """A cache on a read-only disk, which becomes writable again."""
    folder = pathlib.Path(place, "cache")
    folder.mkdir(mode=0o700)
    findings = []
    with Server(seed) as server:
        server.is_away = True
        wrong = script(executable, server, folder, seed, []).finish(LIMIT)
        if wrong:
            findings.append("before it was read-only it " + wrong)
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        worker = script(executable, server, folder, seed, [], life=2)
        wrong = worker.finish(LIMIT)
        if wrong:
            findings.append("read-only it " + wrong)
        if told(worker) == 0:
            findings.append("the read-only disk was not reported: %s" % worker.said[-3:])
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        return findings + cache.faults(folder) + drain(executable, server, folder, 3)


if __name__ == "__main__":
    stopping.listen()
    sys.exit(inside(sys.argv[1], int(sys.argv[2])))
