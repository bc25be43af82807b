"""How fast the cache takes in what vendors send, shows it, and accepts what users do."""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

from suites.cache.generate import generate
from suites.rounds import WORK, Missing, compiled, measure, median, sh, swift, table, verdict

HERE = pathlib.Path(__file__).resolve().parent
FILES = WORK / "cache"
OURS, JANSSON, SIMDJSON = "EngagementKit", "C jansson", "C++ simdjson"
ORJSON, CODABLE, C, BARE = "Python orjson", "Swift Codable", "C", "write+fdatasync"
SCREEN, APPENDED = 20, 200
# How many actions are accepted with how many cards in the feed.
ACCEPTED = {"feed": 180, "cards": 20}
# How many processes of each peer refresh an inbox in a round: it takes a few milliseconds.
INBOXES = 5
NOW = 1_770_000_000
MEGABYTE = 1 << 20

# One process of one peer; a line has several times.
Key = collections.namedtuple("Key", "job peer")
# A time of a line: the job, the peer, and the field without its unit.
Time = collections.namedtuple("Time", "job peer field")

# (what it is called, ours, what it is held against, the most that the ratio may be)
GOALS = [
    ("first sync", Time("sync", OURS, "first"), Time("sync", JANSSON, "first"), 0.55),
    ("first sync", Time("sync", OURS, "first"), Time("sync", SIMDJSON, "first"), 1.5),
    ("first sync", Time("sync", OURS, "first"), Time("sync", ORJSON, "first"), 0.75),
    ("first sync", Time("sync", OURS, "first"), Time("sync", CODABLE, "first"), 0.5),
    ("second sync", Time("sync", OURS, "second"), Time("sync", JANSSON, "second"), 0.15),
    ("second sync, restarted", Time("second", OURS, "second"), Time("sync", JANSSON, "second"),
     0.15),
    ("unchanged answer", Time("sync", OURS, "unchanged"), Time("sync", OURS, "first"), 0.1),
    ("unchanged, restarted", Time("unchanged", OURS, "unchanged"), Time("sync", OURS, "first"),
     0.1),
    ("screen of 10,000", Time("screen 10k", OURS, "screen"),
     Time("screen 10k", SIMDJSON, "screen"), 1.6),
    ("screen of 100,000", Time("screen 100k", OURS, "screen"),
     Time("screen 100k", SIMDJSON, "screen"), 1.6),
    ("inbox, first", Time("inbox", OURS, "first"), Time("inbox", JANSSON, "first"), 0.5),
    ("inbox, 1.5 % changed", Time("inbox", OURS, "second"), Time("inbox", JANSSON, "second"),
     0.5),
    ("inbox, unchanged", Time("inbox", OURS, "unchanged"), Time("inbox", JANSSON, "unchanged"),
     0.5),
    ("inbox, and its person", Time("inbox", OURS, "rested"),
     Time("inbox", JANSSON, "unchanged"), 0.5),
    ("accept", Time("accept", OURS, "rows"), Time("accept", C, "rows"), 1.3),
    ("append 100", Time("append", OURS, "rows"), Time("append", C, "bare"), 1.3),
]
SNAPSHOT_MS = 0.010
MEMORY_OVER_BODY_MB = 20

# What is printed, in this order: the heading, the job, the field, the peers.
FIRST = [OURS, SIMDJSON, ORJSON, JANSSON, JANSSON + ", no body", CODABLE, CODABLE + ", no body"]
INBOX = [OURS, JANSSON, JANSSON + ", no body"]
TABLES = [
    ("first sync, 10,000 cards", "sync", "first", FIRST),
    ("second sync, 1.5 % changed", "sync", "second", FIRST),
    ("second sync, restarted", "second", "second", [OURS]),
    ("unchanged answer", "sync", "unchanged", [OURS]),
    ("unchanged answer, restarted", "unchanged", "unchanged", [OURS]),
    ("20 of 10,000 from disk", "screen 10k", "screen", [OURS, SIMDJSON]),
    ("20 of 100,000 from disk", "screen 100k", "screen", [OURS, SIMDJSON]),
    ("20 of 10,000, once more", "screen 10k", "again", [OURS, SIMDJSON]),
    ("20 of 100,000, once more", "screen 100k", "again", [OURS, SIMDJSON]),
    ("inbox of 200, first", "inbox", "first", INBOX),
    ("inbox of 200, 1.5 % changed", "inbox", "second", INBOX),
    ("inbox of 200, unchanged", "inbox", "unchanged", INBOX),
    ("inbox of 200, and its person", "inbox", "rested", [OURS]),
    ("accept, 250 cards", "accept", "rows", [OURS, C]),
    ("accept, 250 cards, bare", "accept", "bare", [C]),
    ("accept, 10,000 cards", "accept 10k", "rows", [OURS, C]),
    ("append 100 events", "append", "rows", [OURS, C]),
    ("append 100 events, bare", "append", "bare", [C]),
]


class Peers:
    """What was built: commands that lay the files out, and the runs of each round."""

    def __init__(self, cards):
        self.cards = cards
        self.setup, self.runs = [], []

    def add(self, job, peer, *command):
        self.runs.append((Key(job, peer), command))

    def add_ours(self):
        program = swift("CachePeer")
        for name, cards in [("10k", "cards"), ("100k", "cards-100k")]:
            self.setup.append([program, "fill", FILES / ("ours-" + name), self.cards[cards]])
            self.add("screen " + name, OURS, program, "screen", FILES / ("ours-" + name), SCREEN)
        self.add(
            "sync", OURS, program, "sync", FILES / "ours", self.cards["cards"],
            self.cards["second"])
        for job, cards in [("second", "second"), ("unchanged", "cards")]:
            folder = FILES / ("ours-" + job)
            self.add(
                job, OURS, *copied(FILES / "ours-10k", folder), program, job, folder,
                self.cards[cards])
        for job, cards in [("accept", "feed"), ("accept 10k", "cards")]:
            self.add(
                job, OURS, program, "accept", FILES / rows(job), self.cards[cards],
                ACCEPTED[cards])
        self.add(
            "inbox", OURS, program, "inbox", FILES / "ours-inbox", self.cards["messages"],
            self.cards["messages-second"])
        self.add("append", OURS, program, "append", FILES / rows("append"), APPENDED)

    def add_sync(self, peer, program, *options):
        self.add(
            "sync", peer, *program, self.file(), self.cards["cards"], self.cards["second"],
            *options)

    def file(self):
        """One that no other run has."""
        return FILES / ("peer-%d.sqlite" % len(self.runs))

    def add_jansson(self):
        program = built(["cc", "-O3"], "cache_jansson.c", "jansson", "libjansson-dev (Debian)")
        second = self.cards["messages-second"]
        for peer, body in [(JANSSON, "body"), (JANSSON + ", no body", "columns")]:
            self.add(
                "sync", peer, program, "cards", self.file(), body, self.cards["cards"],
                self.cards["second"])
            # It does the same with a list that is as it was.
            self.add(
                "inbox", peer, program, "messages", self.file(), body, self.cards["messages"],
                second, second)

    def add_simdjson(self):
        # On-demand chooses its instructions at compile time; this is simdjson at its best.
        program = built(
            ["c++", "-std=c++17", "-O3", "-march=native"], "cache_simdjson.cpp", "simdjson",
            "libsimdjson-dev (Debian)")
        self.add_sync(SIMDJSON, [program, "sync"])
        for name, cards in [("10k", "cards"), ("100k", "cards-100k")]:
            file = FILES / ("simdjson-%s.sqlite" % name)
            self.setup.append([program, "fill", file, self.cards[cards]])
            self.add("screen " + name, SIMDJSON, program, "screen", file, SCREEN, NOW)

    def add_orjson(self):
        own = WORK / "venv/bin/python"
        python = own if own.exists() else sys.executable
        if subprocess.run([python, "-c", "import orjson"], capture_output=True).returncode:
            raise Missing("orjson (PyPI), for example in %s" % own.parent.parent)
        self.add_sync(ORJSON, [python, HERE / "peers/python_cache.py"])

    def add_codable(self):
        program = swift("CodableCachePeer")
        sql = [macro("CACHE_" + name) for name in ["PRAGMAS", "TABLE", "UPSERT", "COUNT"]]
        self.add_sync(CODABLE, [program], "body", *sql)
        self.add_sync(CODABLE + ", no body", [program], "columns", *sql)

    def add_rows(self):
        """Writes again what ours has just written, so it follows ours in each round."""
        program = built(["cc", "-O3"], "cache_rows.c", "", "libsqlite3-dev (Debian)")
        for job in ["accept", "accept 10k", "append"]:
            self.add(
                job, C, program, job.split()[0], FILES / rows(job) / "cache.sqlite",
                FILES / (rows(job) + "-twin.sqlite"))


def rows(job):
    return job.replace(" ", "-")


def copied(template, folder):
    """A command's beginning that gives it a copy of a folder."""
    script = 'rm -rf "$2" && cp -r "$1" "$2" && sync "$2"/* && shift 2 && exec "$@"'
    return ["sh", "-c", script, "sh", template, folder]


def built(command, source, library, package):
    return compiled(command, HERE / "peers" / source, ("%s sqlite3" % library).split(), package)


def macro(name):
    """The SQL of a macro of `cache.h`, so that all peers run the same."""
    header = (HERE / "peers/cache.h").read_text()
    text = re.search(r"#define %s\b((?:[^\n]*\\\n)*[^\n]*)" % name, header).group(1)
    return "".join(re.findall(r'"([^"]*)"', text))


def prepare():
    """Writes the work set and builds the peers; returns them and what is not installed."""
    peers, missing = Peers(generate(WORK)), []
    for name, add in [
        (OURS, peers.add_ours), (SIMDJSON, peers.add_simdjson), (ORJSON, peers.add_orjson),
        (JANSSON, peers.add_jansson), (CODABLE, peers.add_codable), (C, peers.add_rows),
    ]:
        try:
            add()
        except Missing as package:
            missing.append("%s: not installed: %s" % (name, package))
    peers.runs += (INBOXES - 1) * [run for run in peers.runs if run[0].job == "inbox"]
    return peers, missing


def run(peers, rounds):
    """Measures and prints; fails where peers that did the same job stored different things."""
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir(parents=True)
    for command in peers.setup:
        sh(*command)
    results = measure(peers.runs, rounds)
    wrong = disagreements(results)
    print("\nmedian of %d rounds; ratios are ours / peer\n" % rounds)
    report(results)
    print()
    goals(results, peers.cards["cards"].stat().st_size)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def disagreements(results):
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for key, lines in results.items():
        for job, answer in (answer for line in lines for answer in answers(key, line)):
            found[job][answer].add(key.peer)
    return [
        "%s: the peers disagree: %s" % (job, {k: sorted(v) for k, v in said.items()})
        for job, said in found.items() if len(said) > 1
    ]


def answers(key, line):
    """What a line says is there afterwards, by the job that it is the answer to."""
    # An unchanged list ends as the one before: the second, or after a restart the first.
    unchanged = "first" if key.job == "unchanged" else "second"
    jobs = {
        "first": "first", "second": "second", "unchanged": unchanged, "rested": "second",
        "screen": key.job, "again": key.job}
    for field, job in jobs.items():
        if field + "_rows" in line:
            place = "inbox, " + job if key.job == "inbox" else job
            yield place, (line[field + "_rows"], line[field + "_check"])
    if "count" in line:
        yield key.job, line["count"]


def value(results, time, unit):
    """The median of a time; None where it was not measured."""
    lines = results.get(Key(time.job, time.peer))
    return median(lines, time.field + unit) if lines else None


def ratio(results, ours, other, unit):
    mine, theirs = value(results, ours, unit), value(results, other, unit)
    return mine / theirs if mine and theirs else None


def report(results):
    lines = []
    for heading, job, field, peers in TABLES:
        for peer in peers:
            time, ours = Time(job, peer, field), Time(job, OURS, field)
            if value(results, time, "_ms") is None:
                continue
            if field == "bare":
                ours = Time(job, OURS, "rows")
            row = ["%s, %s" % (heading, BARE if field == "bare" else peer)]
            for unit in ["_ms", "_cpu_ms"]:
                share = ratio(results, ours, time, unit)
                row += ["%.3f" % value(results, time, unit), "%.2f" % share if share else "-"]
            peak = median(results[Key(job, peer)], "peak_kb") / 1024
            lines.append([*row, "%.1f" % peak])
    table(["row, peer", "wall ms", "ratio", "CPU ms", "ratio", "peak MB"], lines)


def goals(results, body):
    lines = []
    for name, ours, other, most in GOALS:
        against = BARE if other.field == "bare" else other.peer
        if other.peer == OURS:
            against = "own first sync"
        row = ["%s / %s" % (name, against), "<= %s" % most]
        for unit in ["_ms", "_cpu_ms"]:
            share = ratio(results, ours, other, unit)
            row += ["%.2f" % share, verdict(share <= most)] if share else ["-", "-"]
        lines.append(row)
    snapshot = value(results, Time("sync", OURS, "snapshot"), "_ms")
    lines.append([
        "screen from the snapshot, µs", "<= %g" % (SNAPSHOT_MS * 1e3), "%.2f" % (snapshot * 1e3),
        verdict(snapshot <= SNAPSHOT_MS), "-", "-"])
    over = median(results[Key("sync", OURS)], "peak_kb") / 1024 - body / MEGABYTE
    lines.append([
        "peak of a first sync over its body, MB", "<= %d" % MEMORY_OVER_BODY_MB, "%.1f" % over,
        verdict(over <= MEMORY_OVER_BODY_MB), "-", "-"])
    table(["goal", "at most", "wall", "", "CPU", ""], lines)
