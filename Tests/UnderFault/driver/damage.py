"""Damaged, swapped and foreign files. None may lead to a wrong payload."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import sqlite3
import string
import tempfile

from driver.cache import NAME
from driver.calls import LIMIT, script
from driver.report import Outcome, Report
from driver.strace import Scratch
from driver.worker import Checker, Worker
from vendors.books import NUMBERED, People, row_key
from vendors.payload import fault
from vendors.server import Server

IMAGES = 125
# A file that is another program's, and whole, is refused with this error; every other image must open.
FOREIGN = "unreadable"
# The pending rows of one image in ten are also sent, so that the servers check them.
SENT = 10
# Part of the body of each action.
MARK = b'"padding"'
LETTERS = string.ascii_letters + string.digits


def damage(executable, images, seed, jobs=2):
    report = Report("damage", seed, ["run", "damage", "--images", str(images), "--seed",
                                     str(seed)])
    parts = [(executable, seed, number, min(IMAGES, images - number * IMAGES))
             for number in range((images + IMAGES - 1) // IMAGES)]
    report.gather(part, parts, jobs)
    whole, there = (report.notes[name] for name in ("rows whole", "of them there"))
    if there * 100 < whole * 99:
        report.findings.append(("", "of %d rows that are whole only %d are there" % (whole, there)))
    return report


def part(executable, seed, number, images):
    generator = random.Random("%d/%d" % (seed, number))
    outcome = Outcome("part %d" % number)
    with Scratch() as folder, Scratch() as foreign, Server(seed) as server:
        for place, life in ((folder, 1), (foreign, 5)):
            wrong = furnish(executable, server, place, life, generator, is_open=number % 2 == 1)
            if wrong:
                outcome.findings.append("the worker " + wrong)
                return outcome
        checker = Checker(executable)
        rows = Rows(folder)
        try:
            for index in range(images):
                image = tempfile.mkdtemp(prefix="fault-")
                try:
                    what = spoil(folder, foreign, image, generator)
                    whole = rows.whole(image)
                    found = list(judged(image, checker, server, outcome, what, whole))
                    if index % SENT == 0:
                        found += sent(executable, image, server)
                    outcome.trial("image %d, %s: %s" % (index, what, text) for text in found)
                finally:
                    shutil.rmtree(image, ignore_errors=True)
        finally:
            checker.close()
        outcome.findings += server.books.findings
    return outcome


def furnish(executable, server, folder, life, generator, is_open):
    """Makes a cache with feeds and pending actions. Returns a fault or None.

    A cache that was not closed has most of its data in the log, a closed one in the file.
    """
    # Each cache has its own users.
    server.books.people = People(server.books)
    wrong = script(executable, server, folder, generator.getrandbits(31), [], life).finish(LIMIT)
    if wrong:
        return wrong
    server.is_away = True
    try:
        if not is_open:
            return script(executable, server, folder, generator.getrandbits(31), [], life + 1,
                          quiet="yes").finish(LIMIT)
        worker = Worker(executable, "loop", server.books, folder=folder, port=server.port,
                        life=life + 1, seed=generator.getrandbits(31),
                        **{"from": (life + 1) * 1000})
        ready = worker.wait_for("ready")
        for _ in range(40):
            ready = ready and worker.wait_for("accepted")
        worker.kill()
        return None if ready else "was not ready: %s" % worker.said[-3:]
    finally:
        server.is_away = False


# MARK: Damage


def spoil(folder, foreign, image, generator):
    """Copies the cache and damages the copy. Returns a description of the damage."""
    shutil.copytree(folder, image, dirs_exist_ok=True)
    kinds = {"flip": 4, "flip in a body": 3, "letter of a row": 3, "cut": 2, "empty": 1, "foreign log": 1,
             "foreign file": 1, "gone": 1, "noise": 1, "zeros": 1, "header flip": 2,
             "first page": 1}
    kind = generator.choices(list(kinds), kinds.values())[0]
    files = [name for name in os.listdir(image)
             if name.startswith(NAME) and os.path.getsize(os.path.join(image, name))]
    # Most damage is in the cache and its log, some in the files beside them.
    name = generator.choice(files + [name for name in files if name in (NAME, NAME + "-wal")] * 3)
    path = pathlib.Path(image, name)
    content = bytearray(path.read_bytes())
    if kind == "flip in a body":
        places = [(other, place) for other in files
                  for place in marks(pathlib.Path(image, other).read_bytes())]
        if places:
            name, place = generator.choice(places)
            path = pathlib.Path(image, name)
            content = bytearray(path.read_bytes())
            flip(content, generator, place, min(place + 200, len(content)))
    elif kind == "letter of a row":
        name, path = NAME, pathlib.Path(image, NAME)
        content = bytearray(path.read_bytes())
        alter(content, waiting(path), generator)
    elif kind == "header flip":
        name, path = NAME, pathlib.Path(image, NAME)
        content = bytearray(path.read_bytes())
        flip(content, generator, 0, min(100, len(content)))
    elif kind == "first page":
        name, path = NAME, pathlib.Path(image, NAME)
        content = bytearray(path.read_bytes())
        content[:4096] = bytes(min(4096, len(content)))
    elif kind == "flip":
        flip(content, generator, 0, len(content))
    elif kind == "cut":
        del content[generator.randrange(len(content)):]
    elif kind == "empty":
        content.clear()
    elif kind == "noise":
        start = generator.randrange(len(content))
        length = min(generator.choice([16, 512, 4096]), len(content) - start)
        content[start:start + length] = generator.randbytes(length)
    elif kind == "zeros":
        start = generator.randrange(len(content)) // 4096 * 4096
        length = min(4096, len(content) - start)
        content[start:start + length] = bytes(length)
    if kind == "foreign log":
        name = NAME + "-wal"
        shutil.copyfile(os.path.join(foreign, name), os.path.join(image, name))
    elif kind == "foreign file":
        pathlib.Path(image, NAME).write_bytes(b"This is no cache of ours.\n" * 100)
        name = NAME
    elif kind == "gone":
        path.unlink()
    else:
        path.write_bytes(content)
    return "%s: %s" % (kind, name)


def flip(content, generator, start, end):
    for _ in range(generator.randint(1, 8)):
        content[generator.randrange(start, end)] ^= 1 << generator.randrange(8)


def waiting(path):
    """The bodies of the pending actions in the file without its log."""
    with contextlib.closing(sqlite3.connect("file:%s?immutable=1" % path, uri=True)) as cache:
        try:
            return [body.encode() for body, in cache.execute("SELECT body FROM outbox")]
        except sqlite3.DatabaseError:
            # The whole schema may be in the log.
            return []


def alter(content, bodies, generator):
    """Flips one bit of a letter or digit, so that a pending row stays readable but differs."""
    places = [place for place in (content.find(body) for body in bodies) if place >= 0]
    if places:
        start = generator.choice(places)
        end = content.index(b"}", start)
        content[generator.choice([place for place in range(start, end)
                                  if chr(content[place]) in LETTERS])] ^= 1


def marks(content):
    place = content.find(MARK)
    while place >= 0:
        yield max(0, place - 100)
        place = content.find(MARK, place + 1)


# MARK: Checks


def judged(image, checker, server, outcome, what, whole):
    """Requires a working cache, and no second recovery at the next opening. A whole file of another
    program is refused."""
    outcome.notes = outcome.notes or {"opened": 0, "recovered": 0, "foreign refused": 0,
                                      "rows whole": 0, "of them there": 0}
    for again in (False, True):
        found, wrong = checker.check(image)
        if wrong:
            yield wrong
            return
        if found.get("error"):
            if found["error"] != FOREIGN or not what.startswith("foreign file"):
                yield "it does not open: %s, %s" % (found["error"], found["detail"])
            elif not again:
                outcome.notes["foreign refused"] += 1
            return
        if found.get("recovery") and found["health"] != "sound":
            yield "health after a recovery: %s" % found["health"]
        if not again:
            outcome.notes["recovered" if found.get("recovery") else "opened"] += 1
            there = {row["n"] for row in found["pending"] if row["verb"] in NUMBERED}
            outcome.notes["rows whole"] += len(whole)
            outcome.notes["of them there"] += len(whole & there)
        elif found.get("recovery"):
            yield "the cache needs a second recovery: %s" % found["recovery"]
        yield from ("a wrong item is shown: %s" % item for item in found["wrong"])
        yield from wrong_payloads(found, server)


def wrong_payloads(found, server):
    with server.books.lock:
        known = {entry.key for entry in server.books.tries.values()}
    for row in found["pending"]:
        key = row_key(row)
        if row["verb"] in NUMBERED:
            wrong = fault(row["properties"], key.user)
            if wrong:
                yield wrong
        if key not in known:
            yield "pending, but never accepted: %s" % " ".join(map(str, key))


def sent(executable, image, server):
    """Sends the pending rows, so that the servers check them."""
    worker = Worker(executable, "drain", None, folder=image, port=server.port, life=9,
                    users=",".join(sorted(server.vibes.users)))
    wrong = worker.finish(LIMIT)
    return ["the drain " + wrong] if wrong else []


class Rows:
    """The waiting events of an undamaged cache, and where their bytes lie.

    An oracle of its own: SQLite reads the undamaged rows, and the bytes of their records are looked
    for in the files."""

    # The columns before and behind the body, with room to spare.
    AROUND = 400

    def __init__(self, folder):
        self.places = {}
        copy = tempfile.mkdtemp(prefix="fault-")
        try:
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            with contextlib.closing(sqlite3.connect(os.path.join(copy, NAME))) as cache:
                rows = cache.execute("SELECT body FROM outbox WHERE kind = 'event'").fetchall()
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        self.files = {name: pathlib.Path(folder, name).read_bytes()
                      for name in (NAME, NAME + "-wal") if os.path.exists(os.path.join(folder, name))}
        for body, in rows:
            number = json.loads(body).get("properties", {}).get("n")
            # The newest image of a page is the last one in the log.
            for name in (NAME + "-wal", NAME):
                place = self.files.get(name, b"").rfind(body.encode())
                if number is not None and place >= 0:
                    self.places[number] = (name, max(0, place - self.AROUND),
                                           place + len(body.encode()) + self.AROUND)
                    break

    def whole(self, image):
        """The numbers of the events around which no byte changed, if the file is there."""
        now = {}
        for name in self.files:
            path = os.path.join(image, name)
            now[name] = pathlib.Path(path).read_bytes() if os.path.isfile(path) else b""
        return {number for number, (name, start, end) in self.places.items()
                if now[name][start:end] == self.files[name][start:end]}
