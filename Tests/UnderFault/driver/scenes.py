"""Situations that random trials rarely produce: a change of user during a request, and many
refusals at once."""

from driver.report import Outcome, Report
from driver.strace import Scratch
from driver.worker import Worker
from vendors.server import Server

LIMIT = 30


def scenes(executable, rounds, seed, jobs=2):
    report = Report("scenes", seed, ["run", "scenes", "--rounds", str(rounds), "--seed", str(seed)])
    report.gather(scene, [(executable, seed + number, kind) for number in range(rounds)
                          for kind in SCENES], jobs)
    return report


def scene(executable, seed, kind):
    outcome = Outcome("%s, seed %d" % (kind, seed))
    with Scratch() as folder, Server(seed) as server:
        outcome.trial(SCENES[kind](executable, seed, folder, server))
        server.books.verify(is_final=False)
        outcome.findings += server.books.findings
    return outcome


def leaving(executable, seed, folder, server):
    """The user changes during a request for cards. The next user must see none of them."""
    return left_behind(executable, seed, folder, server, "cards", lambda request: (
        request.path.endswith("/sync") and b'"user_id":"u-1"' in request.body))


def registering(executable, seed, folder, server):
    """The user changes during the registration of the device."""
    return left_behind(executable, seed, folder, server, "inbox", lambda request: (
        request.path.endswith("/devices")))


def renewing(executable, seed, folder, server):
    """The user changes while the device gets a new token. The next user must not use it."""
    return left_behind(executable, seed, folder, server, "token", lambda request: (
        request.method == "PUT" and "/devices/" in request.path))


def left_behind(executable, seed, folder, server, what, matches):
    """The server holds one answer until the next user has signed in."""
    hold = server.hold(matches, only_first=True)
    worker = Worker(executable, "leaving", server.books, folder=folder, port=server.port, life=1,
                    seed=seed, what=what)
    if what == "token" and worker.wait_for("settled"):
        with server.lock:
            server.vibes.expire_tokens()
        worker.say("go")
    if not hold.arrived.acquire(timeout=LIMIT):
        worker.kill()
        return ["the request to be held never arrived: %s" % worker.said[-3:]]
    worker.say("leave")
    if worker.wait_for("left") is None:
        worker.kill()
        return ["the switch did not end: %s" % worker.said[-3:]]
    hold.open()
    worker.say("look")
    wrong = worker.finish(LIMIT)
    shown = [line for line in worker.said if line.startswith("shown ")]
    findings = ["a card of the former user is shown: %s" % line
                for line in shown if ".u-1." in line][:3]
    if not shown:
        findings.append("no card of the current user is shown")
    return findings + (["the worker " + wrong] if wrong else [])


def crowd(executable, seed, folder, server):
    """The servers refuse many concurrent requests that need a device or a signature."""
    devices = server.hold(lambda request: request.path.endswith("/devices"))
    signed = server.hold(lambda request: request.path.startswith("/api/"))
    server.braze.refuses_first = True
    worker = Worker(executable, "crowd", server.books, folder=folder, port=server.port, life=1,
                    seed=seed)
    for hold in (devices, signed):
        hold.arrived.acquire(timeout=LIMIT)
        # Time for further requests to arrive.
        hold.arrived.acquire(timeout=0.3)
        hold.open()
    wrong = worker.finish(LIMIT)
    asked = sum(line.startswith("asked braze") for line in worker.said)
    findings = ["the worker " + wrong] if wrong else []
    if server.books.counts["devices registered"] != 1:
        findings.append("%d devices registered for one installation" % (
            server.books.counts["devices registered"]))
    if asked != 2:
        findings.append("asked for a signature %d times, and not once to begin with and once for "
                        "all who were refused" % asked)
    return findings


SCENES = {"leaving": leaving, "registering": registering, "renewing": renewing,
          "crowd": crowd}
