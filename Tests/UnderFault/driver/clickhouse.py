"""SIGKILL during `engage export --cursor --to clickhouse://…`, at random moments and at chosen ones.

Whenever a run was killed, the server must have every event up to the cursor. When an export has come to its
end, the table must have each event once, as FINAL reads it. Then the next one begins, with a cursor and a
table of its own."""

import bisect
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import time
import uuid

from driver import stopping
from driver.clickhouse_gate import PLACES, Gate
from driver.clickhouse_servers import ABSENCE, ClickHouseServers, are_installed, query
from driver.processes import Emulator
from driver.report import REPOSITORY, Missing, Outcome, Report
from driver.strace import Scratch

# The simulation of two vendors is the one of the benchmarks.
sys.path.insert(0, str(REPOSITORY / "Benchmarks/suites/ledger"))
import simulation  # noqa: E402

# The kills of one cache.
KILLS = 50
# A command that takes longer hangs.
LIMIT = 60
PEOPLE, CARDS, BATCH = 500, 25, 8_192


def clickhouse(engage, cycles, seed, jobs=2):
    if not are_installed():
        raise Missing("clickhouse-server: " + ABSENCE)
    report = Report("clickhouse", seed, ["run", "clickhouse", "--cycles", str(cycles), "--seed", str(seed)])
    with ClickHouseServers(1) as servers:
        parts = [(engage, servers.ports[0], seed, number, min(KILLS, cycles - number * KILLS))
                 for number in range((cycles + KILLS - 1) // KILLS)]
        report.gather(part, parts, jobs)
    # A small part of what is usual.
    report.demand(killed=cycles, exports_resumed=cycles // 40, cursors_that_had_moved=cycles // 5,
                  **{"killed_at_" + place: cycles // 20 for place in PLACES})
    return report


def part(engage, port, seed, number, kills):
    outcome = Outcome("part %d" % number)
    with Scratch() as folder, Emulator(engage, folder) as emulator, Gate(port) as gate:
        scene = Scene(engage, pathlib.Path(folder), emulator, gate, outcome)
        scene.random = random.Random("%d/%d" % (seed, number))
        scene.measure("k%d_%d_measured" % (seed, number))
        rounds = 0
        while outcome.notes["killed"] < kills and len(outcome.findings) < 5:
            rounds += 1
            scene.export("k%d_%d_%d" % (seed, number, rounds), kills)
    return outcome


class Scene:
    """One cache, whose events go to one table after the other."""

    def __init__(self, engage, folder, emulator, gate, outcome):
        self.engage, self.folder, self.gate, self.outcome = engage, folder, gate, outcome
        outcome.notes = {"killed": 0, "exports": 0, "exports resumed": 0, "cursors that had moved": 0,
                         **{"killed at " + place: 0 for place in PLACES}}
        (folder / "engage.json").write_text(json.dumps({
            "user": "ann", "consent": "full", "cache": "cache.sqlite", "providers": {
                "braze": {"vendor": "braze", "endpoint": emulator.endpoints["braze"],
                          "apiKey": "demo"}}}))
        os.chmod(folder / "engage.json", 0o600)
        self.finish(self.start("sync"))
        simulation.fill(folder / "cache.sqlite", PEOPLE, cards=CARDS)
        rows = self.rows("SELECT sequence, id FROM ledger ORDER BY sequence")
        self.sequences = [sequence for sequence, _ in rows]
        self.expected = sorted(str(uuid.UUID(bytes=name)) for _, name in rows)

    def rows(self, text, *values):
        database = sqlite3.connect(self.folder / "cache.sqlite", timeout=LIMIT)
        try:
            return database.execute(text, values).fetchall()
        finally:
            database.close()

    def measure(self, table):
        """Makes a run that is not killed, to know how long one takes."""
        start = time.monotonic()
        self.run(table)
        self.usual = time.monotonic() - start
        self.compare(table)

    # Runs that are killed

    def export(self, table, kills):
        """Exports all events, by as many runs as it takes."""
        before = self.outcome.notes["killed"]
        while self.outcome.notes["killed"] < kills:
            if not self.cycle(table):
                break
        else:
            self.run(table)
        self.outcome.notes["exports"] += 1
        self.outcome.notes["exports resumed"] += self.outcome.notes["killed"] > before
        self.compare(table)

    def cycle(self, table):
        """Whether a run was killed before its end."""
        place = self.random.choice([None, *PLACES])
        batches = (len(self.sequences) - self.position(table)) // BATCH + 1
        self.gate.watch(place, min(batches, self.random.choice([1, 1, 2])), self.random.random())
        process = self.start(*self.line(table))
        end = time.monotonic() + (LIMIT if place else self.random.uniform(0, 1.2) * self.usual)
        while process.poll() is None and time.monotonic() < end and not self.gate.reached.is_set():
            time.sleep(0.0003)
        # What a run does too early, it does before its answer; what it does at the right time, after it.
        time.sleep(self.random.uniform(0, 0.01) if place == "answered" else 0.002 if place else 0)
        process.kill()
        self.gate.open()
        return self.judge(process, table, place)

    def judge(self, process, table, place):
        errors = process.communicate()[1]
        stopping.GROUPS.discard(process.pid)
        self.outcome.trial()
        if process.returncode == 0:
            return False
        # A run that fails by itself counts as a kill, so that the part ends.
        self.outcome.notes["killed"] += 1
        if process.returncode > 0:
            self.find("a run ended with %d: %s" % (process.returncode, errors[-300:]))
        elif place and self.gate.reached.is_set():
            self.outcome.notes["killed at " + place] += 1
        self.look(table, place)
        return True

    def cursor(self, table):
        found = self.rows("SELECT value FROM setting WHERE name GLOB ?", "export cursor %s *" % table)
        return json.loads(found[0][0])["sequence"] if found else 0

    def position(self, table):
        """How many events the cursor has passed."""
        return bisect.bisect(self.sequences, self.cursor(table))

    def look(self, table, place):
        """After a kill: the server has every event up to the cursor."""
        cursor, passed = self.cursor(table), self.position(table)
        if passed == 0:
            return
        self.outcome.notes["cursors that had moved"] += 1
        there = int(query(self.gate.target, "SELECT uniqExact(id) FROM %s WHERE sequence <= %d" % (
            table, cursor)))
        if there != passed:
            self.find("killed at %s: the cursor is behind %d events, and the server has %d of them" % (
                place or "random", passed, there))

    # The end

    def compare(self, table):
        found = sorted(query(self.gate.target, "SELECT id FROM %s FINAL" % table).split())
        if found != self.expected:
            self.find("LOST: %d of %d events; TWICE: %d" % (
                len(set(self.expected) - set(found)), len(self.expected), len(found) - len(set(found))))
        query(self.gate.target, "DROP TABLE %s" % table)

    def find(self, text):
        self.outcome.findings.append(text)

    # Processes

    def line(self, table):
        return ["export", "--cursor", table, "--to",
                "clickhouse://127.0.0.1:%d/default?table=%s" % (self.gate.port, table)]

    def run(self, table):
        self.gate.watch(None, 0, 0)
        self.finish(self.start(*self.line(table)))

    def start(self, *words):
        process = subprocess.Popen(
            [self.engage, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        stopping.GROUPS.add(process.pid)
        return process

    def finish(self, process):
        try:
            errors = process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            errors = "it hangs"
            process.communicate()
        stopping.GROUPS.discard(process.pid)
        if process.returncode:
            self.find("a run ended with %d: %s" % (process.returncode, errors[-300:]))
