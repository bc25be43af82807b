"""SIGKILL during `engage export --cursor`, while another process adds events.

The cache belongs to no worker here: rows come from a second SQLite and from `engage track`. Whenever a run was
killed, the cursor must not be ahead of the manifests. In the end every event must be in the files once. A kill
takes nothing from the kernel, so one more run is traced: its files are synced before its manifest is there."""

import gzip
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import threading
import time
import uuid

from driver import export_order, stopping
from driver.processes import Emulator
from driver.report import Missing, Outcome, Report
from driver.strace import Scratch

# The kills of one folder before it is completed and looked at.
KILLS = 25
# A command that takes longer hangs.
LIMIT = 60
FORMATS = ["ndjson", "csv", "parquet"]
CODECS = [None, "gzip", "zstd"]
PARTITIONS = [None, "vendor", "vendor,day"]
DAY = 86_400_000
START = 1_790_000_000_000


def export(engage, cycles, seed, jobs=2):
    if not shutil.which("zstd"):
        raise Missing("zstd: install the package zstd (Debian)")
    report = Report("export", seed, ["run", "export", "--cycles", str(cycles), "--seed", str(seed)])
    parts = [(engage, seed, number, min(KILLS, cycles - number * KILLS))
             for number in range((cycles + KILLS - 1) // KILLS)]
    report.gather(part, parts, jobs)
    # A small part of what is usual.
    report.demand(killed=cycles, events=cycles * 20, drafts_left=cycles // 20,
                  runs_without_their_cursor=cycles // 50, runs_completed=cycles // 20)
    return report


def part(engage, seed, number, kills):
    generator = random.Random("%d/%d" % (seed, number))
    outcome = Outcome("part %d" % number)
    with Scratch() as folder, Emulator(engage, folder) as emulator:
        place = number % 27
        options = [FORMATS[place % 3], CODECS[place // 3 % 3], PARTITIONS[place // 9]]
        scene = Scene(engage, pathlib.Path(folder), emulator, generator, outcome, options)
        scene.add(2_000)
        scene.measure()
        with Writer(scene):
            while outcome.notes["killed"] < kills:
                scene.cycle()
        scene.end()
        scene.add(500)
        scene.findings += export_order.faults(scene)
        outcome.findings += ["%s %s %s: %s" % (*options, text) for text in scene.findings]
    return outcome


class Scene:
    """One cache, one cursor and its folder."""

    def __init__(self, engage, folder, emulator, generator, outcome, options):
        self.engage, self.folder, self.random, self.outcome = engage, folder, generator, outcome
        self.findings, self.tracked = [], 0
        outcome.notes = {"killed": 0, "runs completed": 0, "drafts left": 0,
                         "runs without their cursor": 0, "events": 0}
        (folder / "engage.json").write_text(json.dumps({
            "user": "ann", "consent": "full", "cache": "cache.sqlite", "providers": {
                "braze": {"vendor": "braze", "endpoint": emulator.endpoints["braze"],
                          "apiKey": "demo"}}}))
        os.chmod(folder / "engage.json", 0o600)
        form, codec, partition = options
        self.format, self.codec = form, codec
        self.line = ["export", "--cursor", "nightly", "--out", "out", "--format", form,
                     *(["--" + codec] if codec else []),
                     *(["--partition", partition] if partition else [])]
        self.run("sync")
        with self.database() as database:
            self.partition = database.execute("SELECT max(id) FROM partition").fetchone()[0]

    def database(self):
        return sqlite3.connect(self.folder / "cache.sqlite", timeout=LIMIT)

    def add(self, count, database=None):
        """Adds events of three vendors and two days, in one transaction."""
        database = database or self.database()
        with database:
            database.executemany(
                "INSERT INTO ledger (id, partition, type, time, zone, provider, surface, item, "
                "properties) VALUES (?, ?, 'click', ?, 0, ?, 'cards', ?, ?)",
                [(uuid.UUID(int=self.random.getrandbits(128), version=4).bytes, self.partition,
                  START + self.random.randrange(2 * DAY),
                  self.random.choice(["braze", "vibes", "atomic"]), b"card-%d" % place,
                  '{"n":%d,"text":"%s"}' % (place, "x" * self.random.randrange(200)))
                 for place in range(count)])

    def measure(self):
        """Makes the first run, to know how long one takes that is not killed."""
        start = time.monotonic()
        self.run(*self.line)
        self.usual = time.monotonic() - start

    # A run that is killed

    def cycle(self):
        known = self.manifests()
        if self.random.random() < 0.2:
            self.tracked += 1
            self.run("track", "n%d" % self.tracked)
        process = self.start(*self.line)
        start = time.monotonic()
        self.wait_for_moment(process, start, len(known))
        if process.poll() is None:
            process.kill()
        output, errors = process.communicate()
        stopping.GROUPS.discard(process.pid)
        self.outcome.trial()
        if process.returncode == 0:
            self.usual = 0.8 * self.usual + 0.2 * (time.monotonic() - start)
            self.outcome.notes["runs completed"] += 1
        elif process.returncode < 0:
            self.outcome.notes["killed"] += 1
            self.look()
        else:
            # Counts as a kill, so that the part ends.
            self.outcome.notes["killed"] += 1
            self.findings.append("a run ended with %d: %s%s" % (process.returncode, output, errors))

    def wait_for_moment(self, process, start, known):
        """Until a moment of the whole run, or of those that matter: with drafts, with a manifest."""
        kind = self.random.choices(["any", "drafts", "manifest"], [6, 2, 2])[0]
        end = start + (self.random.uniform(0, 1.4) * self.usual if kind == "any" else LIMIT)
        while process.poll() is None and time.monotonic() < end:
            if kind == "drafts" and self.drafts() or kind == "manifest" and len(self.manifests()) > known:
                time.sleep(self.random.uniform(0, 0.5 if kind == "drafts" else 0.05) * self.usual)
                return
            time.sleep(0.0003)

    def names(self, folder):
        try:
            return sorted(os.listdir(self.folder / "out" / folder))
        except FileNotFoundError:
            return []

    def manifests(self):
        return [name for name in self.names("_manifests") if name.endswith(".json")]

    def drafts(self):
        return [name for name in self.names("_drafts") if name != "lock"]

    def look(self):
        """After a kill: the cursor is where a manifest says that its files are whole."""
        through = int(self.manifests()[-1].removesuffix(".json")) if self.manifests() else 0
        with self.database() as database:
            row = database.execute(
                "SELECT value FROM setting WHERE name GLOB 'export cursor *'").fetchone()
        cursor = json.loads(row[0])["sequence"] if row else 0
        if cursor > through:
            self.findings.append("the cursor is at %d, and the files end at %d" % (cursor, through))
        self.outcome.notes["drafts left"] += bool(self.drafts())
        self.outcome.notes["runs without their cursor"] += cursor < through

    # The end

    def end(self):
        self.run(*self.line)
        again = self.run(*self.line)
        if "Nothing new" not in again:
            self.findings.append("a second run finds something new: %s" % again)
        if self.drafts():
            self.findings.append("%s is left" % self.drafts()[0])
        proof = json.loads(self.run("verify", "out", "--json") or "null")
        if not proof or proof["findings"] or proof["dropped"] or not proof["written"] == proof["read"] > 0:
            self.findings.append("verify: %s" % proof)
        found = sorted(self.exported())
        with self.database() as database:
            wanted = [(sequence, str(uuid.UUID(bytes=name))) for sequence, name in database.execute(
                "SELECT sequence, id FROM ledger ORDER BY sequence")]
        self.outcome.notes["events"] += len(wanted)
        if found != wanted:
            lost, extra = set(wanted) - set(found), len(found) - len(set(found))
            self.findings.append("LOST: %d of %d events, the first %s; TWICE: %d" % (
                len(lost), len(wanted), min(lost, default=None), extra))

    def exported(self):
        """The sequence and the id of every event in the files."""
        files = [path for path in (self.folder / "out").rglob("events-*") if path.is_file()]
        if self.format == "parquet":
            # What reads Parquet is not on every machine; each file by itself, so that nothing is merged.
            for number, path in enumerate(files):
                self.run("import", str(path), "--into", "%d.ndjson" % number)
            files = [self.folder / ("%d.ndjson" % number) for number in range(len(files))]
        for path in files:
            for line in self.text(path).splitlines():
                if self.format == "csv":
                    cells = line.split(",")
                    if cells[0] != "id":
                        yield int(cells[5]), cells[0]
                else:
                    event = json.loads(line)
                    yield event["sequence"], event["id"]

    @staticmethod
    def text(path):
        if path.suffix == ".gz":
            return gzip.decompress(path.read_bytes()).decode()
        if path.suffix == ".zst":
            return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True,
                                  text=True).stdout
        return path.read_text()

    # Processes

    def start(self, *words):
        process = subprocess.Popen(
            [self.engage, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        stopping.GROUPS.add(process.pid)
        return process

    def run(self, *words):
        process = self.start(*words)
        try:
            output, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            self.findings.append("%s hangs" % words[0])
        stopping.GROUPS.discard(process.pid)
        if process.returncode:
            self.findings.append("%s ended with %d: %s%s" % (
                words[0], process.returncode, output[-300:], errors[-300:]))
        return output


class Writer:
    """Adds events all the time, from a thread of its own."""

    def __init__(self, scene):
        self.scene, self.ends = scene, threading.Event()
        self.thread = threading.Thread(target=self.write)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def write(self):
        database = self.scene.database()
        while not self.ends.wait(0.01):
            self.scene.add(20, database)
        database.close()
