"""Situations that random trials rarely produce: a change of user or route during a request, and many
refusals at once."""

import json
import pathlib
import time

from driver.drain import drain
from driver.report import Outcome, Report
from driver.strace import Scratch
from driver.worker import Worker
from vendors.braze import POISON
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


def conversing(executable, seed, folder, server):
    """The user changes while the vendor's live channel tells of changes all the time."""
    server.books.also = ["atomic"]
    worker = Worker(executable, "leaving", server.books, folder=folder, port=server.port, life=1,
                    seed=seed, what="live", live="yes")
    if worker.wait_for("settled") is None:
        worker.kill()
        return ["the live channel brought nothing: %s" % worker.said[-3:]]
    time.sleep(seed % 10 / 100)
    worker.say("leave")
    if worker.wait_for("left") is None:
        worker.kill()
        return ["the switch did not end: %s" % worker.said[-3:]]
    # Time for the vendor to see what became of the socket.
    time.sleep(0.1)
    worker.say("look")
    wrong = worker.finish(LIMIT)
    findings = ["a card of the former user is shown: %s" % line for line in worker.said
                if line.startswith("shown ") and ".u-1." in line][:3]
    if server.books.counts["live updates"] < 10:
        findings.append("the scene proves nothing: %d live updates" % (
            server.books.counts["live updates"]))
    return findings + (["the worker " + wrong] if wrong else [])


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


def switching(executable, seed, folder, server):
    """The route of the cards leads to another vendor during a request to the former. The late answer is
    kept for the former vendor, shows nothing now, and is there when the route leads back."""
    server.books.also = ["atomic"]
    hold = server.hold(lambda request: (
        request.path.endswith("/sync") and b'"user_id":"u-1"' in request.body), only_first=True)
    worker = Worker(executable, "switching", server.books, folder=folder, port=server.port, life=1,
                    seed=seed, live="yes")
    if not hold.arrived.acquire(timeout=LIMIT):
        worker.kill()
        return ["the request to be held never arrived: %s" % worker.said[-3:]]
    worker.say("switch")
    if worker.wait_for("seen atomic") is None:
        worker.kill()
        return ["the switch did not end: %s" % worker.said[-3:]]
    hold.open()
    if worker.wait_for("late") is None:
        worker.kill()
        return ["the late answer did not come: %s" % worker.said[-3:]]
    server.is_away = True
    worker.say("back")
    if worker.wait_for("seen braze") is None:
        worker.kill()
        return ["the switch back did not end: %s" % worker.said[-3:]]
    server.is_away = False
    wrong = worker.finish(LIMIT)
    kinds = {word: {line.split(".")[0] for line in lines}
             for word, lines in looks(worker.said, "at atomic", "late", "at braze").items()}
    findings = ["the worker " + wrong] if wrong else []
    for word in ("at atomic", "late"):
        if "shown card" in kinds[word]:
            findings.append("a card of the former vendor is shown (%s)" % word)
    if "shown action" not in kinds["late"]:
        findings.append("no card of the present vendor is shown")
    if kinds["at braze"] != {"shown card"}:
        findings.append("the route back shows %s, without the late answer or with more" % sorted(
            kinds["at braze"]))
    return findings


def looks(said, *words):
    """The cards that were shown after each of the words."""
    found, word = {name: [] for name in words}, None
    for line in said:
        if line in found:
            word = line
        elif line.startswith("shown ") and word:
            found[word].append(line)
        elif line.startswith("seen "):
            word = None
    return found


def erasing(executable, seed, folder, server):
    """A user is erased, whose actions wait and of whom damaged caches were set aside. No file has
    anything of the user afterwards, also while the application still runs."""
    worker = Worker(executable, "erasing", server.books, folder=folder, port=server.port, life=1,
                    seed=seed)
    findings = []
    if worker.wait_for("settled") is None:
        worker.kill()
        return ["the worker did not settle: %s" % worker.said[-3:]]
    # Some users are erased without a network.
    server.is_away = seed % 2 == 0
    worker.say("go")
    worker.wait_for("filled")
    for suffix in ("", "-wal"):
        whole = pathlib.Path(folder, "engagement.sqlite" + suffix)
        if whole.exists():
            name = "engagement.sqlite.corrupt-20260101T000000Z" + suffix
            pathlib.Path(folder, name).write_bytes(whole.read_bytes())
    if not holding(folder, b"u-1"):
        findings.append("the scene proves nothing: no file has the user before")
    worker.say("erase")
    if worker.wait_for("erased") is None:
        findings.append("the erasure failed: %s" % worker.said[-3:])
    for path in holding(folder, b"u-1"):
        findings.append("%s still has the user" % path.name)
    worker.say("end")
    wrong = worker.finish(LIMIT)
    for path in holding(folder, b"u-1"):
        findings.append("%s has the user after the end" % path.name)
    return findings + (["the worker " + wrong] if wrong else [])


def splitting(executable, seed, folder, server):
    """A vendor refuses a batch for one event. The process is killed while the answer to a later event
    of it is on the way. What was tried alone is sent again alone."""
    server.braze.refuses_poison = True
    hold = server.hold(lambda request: numbers(request) == [POISON + 1])
    worker = Worker(executable, "batching", server.books, folder=folder, port=server.port, life=1,
                    seed=seed)
    if worker.wait_for("settled") is None:
        worker.kill()
        return ["the worker did not settle: %s" % worker.said[-3:]]
    server.is_away = True
    worker.say("go")
    worker.wait_for("filled")
    server.is_away = False
    worker.say("send")
    arrived = hold.arrived.acquire(timeout=LIMIT)
    worker.kill()
    hold.open()
    if not arrived:
        return ["the events were not tried alone: %s" % worker.said[-3:]]
    # Its findings stay in the books.
    drain(executable, server, folder, 2)
    return []


def numbers(request):
    """The numbers of the application's events in a request to Braze."""
    if not request.path.startswith("/api/v3/data"):
        return []
    events = json.loads(request.body).get("events", [])
    return [event["data"]["p"]["n"] for event in events if event.get("name") == "ce"]


def holding(folder, text):
    """The files with the text in their bytes."""
    return [path for path in sorted(pathlib.Path(folder).iterdir())
            if path.is_file() and text in path.read_bytes()]


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
          "conversing": conversing, "switching": switching, "crowd": crowd, "erasing": erasing,
          "splitting": splitting}
