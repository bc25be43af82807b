"""How long a vendor's update takes to the screen, what an idle socket costs, and a feed of action cards."""

import collections
import pathlib
import shutil
import subprocess
import sys
import time

from suites.live.generate import generate
from suites.rounds import WORK, Missing, compiled, measure, median, swift, table, verdict

HERE = pathlib.Path(__file__).resolve().parent
FILES = WORK / "live"
OURS, BARE, JANSSON = "EngagementKit", "Python websockets", "C jansson"
DURABLE = BARE + ", fdatasync"
UPDATES, BATCHES = 300, 40
# The observed time of an idle socket in seconds, after it has come to rest.
IDLE, SETTLED = 60, 5
IDLE_CPU_MS = 2

Key = collections.namedtuple("Key", "job peer")

# (what it is called, the job, peer and field of ours, what it is held against, the most that the ratio may be)
GOALS = [
    ("one update", ("updates", OURS, "one_ms"), ("updates", BARE, "one_ms"), 1.5),
    ("one update, 99th percentile", ("updates", OURS, "one_p99_ms"),
     ("updates", BARE, "one_p99_ms"), 1.5),
    ("one update", ("updates", OURS, "one_ms"), ("updates", DURABLE, "one_ms"), None),
    ("a hundred updates in one message / one", ("updates", OURS, "hundred_ms"),
     ("updates", OURS, "one_ms"), 5),
    ("feed of 1,000, first", ("feed", OURS, "first_ms"), ("feed", JANSSON, "first_ms"), 0.55),
    ("feed of 1,000, 1.5 % changed", ("feed", OURS, "second_ms"), ("feed", JANSSON, "second_ms"),
     0.15),
    ("feed of 1,000, first, CPU", ("feed", OURS, "first_cpu_ms"),
     ("feed", JANSSON, "first_cpu_ms"), 0.55),
    ("feed of 1,000, 1.5 % changed, CPU", ("feed", OURS, "second_cpu_ms"),
     ("feed", JANSSON, "second_cpu_ms"), 0.15),
]

TABLES = [
    ("one update", "updates", "one_ms"), ("one update, 99th percentile", "updates", "one_p99_ms"),
    ("a hundred updates", "updates", "hundred_ms"),
    ("a hundred updates, 99th percentile", "updates", "hundred_p99_ms"),
    ("feed of 1,000, first", "feed", "first_ms"),
    ("feed of 1,000, 1.5 % changed", "feed", "second_ms"),
]


class Peers:
    """What was built, and the feeds."""

    def __init__(self, python):
        self.python = python
        self.ours = swift("LivePeer")
        self.jansson = compiled(
            ["cc", "-O3"], HERE / "peers/feed_jansson.c", ["jansson", "sqlite3"],
            "libjansson-dev and libsqlite3-dev (Debian)")
        self.first, self.second = generate(WORK)

    def runs(self, port):
        bare = [self.python, HERE / "peers/bare.py", port]
        return [
            (Key("updates", OURS), [self.ours, "updates", FILES / "ours", port, UPDATES, BATCHES]),
            (Key("updates", BARE), bare),
            (Key("updates", DURABLE), [*bare, FILES / "messages"]),
            (Key("feed", OURS), [self.ours, "feed", FILES / "feed", self.first, self.second]),
            (Key("feed", JANSSON), [self.jansson, FILES / "feed.sqlite", self.first, self.second]),
        ]


def python():
    """A Python with `websockets`."""
    for command in [WORK / "venv/bin/python", sys.executable, "/usr/bin/python3"]:
        try:
            if not subprocess.run([command, "-c", "import websockets"], capture_output=True).returncode:
                return command
        except FileNotFoundError:
            # The next one may be there.
            pass
    raise Missing("websockets (PyPI; in Debian python3-websockets), for example in %s" % (WORK / "venv"))


def prepare():
    """Builds the peers. Without one of them nothing is measured."""
    try:
        return Peers(python()), []
    except Missing as package:
        sys.exit("not installed: %s" % package)


class Server:
    """The vendor, in a process of its own."""

    def __init__(self, updates, batches):
        self.process = subprocess.Popen(
            [sys.executable, HERE / "peers/server.py", str(updates), str(batches)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().strip()

    def end(self):
        """Ends it; returns what it has printed."""
        self.process.stdin.close()
        said = self.process.stdout.read().splitlines()
        self.process.wait()
        return said


def run(peers, rounds):
    """Measures and prints; fails where the peers did not store the same."""
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir(parents=True)
    server = Server(UPDATES, BATCHES)
    try:
        results = measure(peers.runs(server.port), rounds)
    finally:
        server.end()
    idle = idleness(peers)
    shutil.rmtree(FILES, ignore_errors=True)
    print("\nmedian of %d rounds\n" % rounds)
    report(results)
    print()
    goals(results, idle)
    wrong = disagreements(results)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def disagreements(results):
    for field in ["first_rows", "first_check", "second_rows", "second_check"]:
        said = {line[field] for peer in [OURS, JANSSON] for line in results[Key("feed", peer)]}
        if len(said) > 1:
            return ["the peers disagree about %s: %s" % (field, sorted(said))]
    counts = [line["one_count"] for key, lines in results.items() if key.job == "updates"
              for line in lines]
    if min(counts) < UPDATES * 9 // 10:
        return ["only %d of %d updates were seen one by one" % (min(counts), UPDATES)]
    return []


def report(results):
    rows = []
    for heading, job, field in TABLES:
        for key, lines in results.items():
            if key.job == job:
                rows.append(["%s, %s" % (heading, key.peer), "%.3f" % median(lines, field)])
    table(["row, peer", "ms"], rows)


def goals(results, idle):
    rows = []
    for name, ours, other, most in GOALS:
        mine, theirs = (median(results[Key(job, peer)], field) for job, peer, field in [ours, other])
        against = "" if other[1] == OURS else " / " + other[1]
        rows.append([
            name + against, "<= %s" % most if most else "-", "%.2f" % (mine / theirs),
            verdict(mine / theirs <= most) if most else "-"])
    cpu, awake, pings = idle
    for name, milliseconds in [("an idle socket", cpu[SOCKET] - cpu[NOTHING]),
                               ("a live channel in an application", cpu[LIVE] - cpu[RESTING])]:
        rows.append(["CPU of %s, ms a minute" % name, "<= %d" % IDLE_CPU_MS, "%.2f" % milliseconds,
                     verdict(milliseconds <= IDLE_CPU_MS)])
    for name, kind in [("a program that does nothing", NOTHING), ("the application without it", RESTING)]:
        rows.append(["CPU of %s, ms a minute" % name, "-", "%.2f" % cpu[kind], "-"])
    rows.append(["seconds in which the socket wakes, with %d pings" % pings, "<= %d" % (2 * pings),
                 awake[SOCKET], verdict(awake[SOCKET] <= 2 * pings)])
    table(["goal", "at most", "is", ""], rows)


# An idle socket

SOCKET, NOTHING, LIVE, RESTING = "socket", "nothing", "idle", "resting"


def idleness(peers):
    """The use of a minute of four processes: a socket of the transport alone, no socket at all, an application
    with a live channel, and one without. And how many pings the server heard of each socket."""
    server = Server(0, 0)
    commands = {SOCKET: [], NOTHING: [], LIVE: [FILES / LIVE], RESTING: [FILES / RESTING]}
    clients = {
        kind: subprocess.Popen(
            [peers.ours, kind, *folder, server.port], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for kind, folder in commands.items()}
    for client in clients.values():
        client.stdout.readline()
    time.sleep(SETTLED)
    start = {kind: Use(client.pid) for kind, client in clients.items()}
    now, awake = dict(start), collections.Counter()
    for _ in range(IDLE):
        time.sleep(1)
        for kind, client in clients.items():
            use = Use(client.pid)
            awake[kind] += use.switches != now[kind].switches
            now[kind] = use
    for client in clients.values():
        client.stdin.close()
        client.wait()
    pings = sum(line.startswith("ping") for line in server.end()) // 2
    cpu = {kind: (now[kind].cpu - start[kind].cpu) / 1e6 * 60 / IDLE for kind in clients}
    return cpu, awake, pings


class Use:
    """What the kernel knows of the threads of a process: nanoseconds of CPU of all, and how often those waited
    that are not libdispatch's, one of which looks after the others once a second."""

    def __init__(self, process):
        self.cpu = self.switches = 0
        for thread in pathlib.Path("/proc/%d/task" % process).iterdir():
            self.cpu += int((thread / "schedstat").read_text().split()[0])
            if "qos" in (thread / "comm").read_text():
                continue
            for line in (thread / "status").read_text().splitlines():
                if line.startswith("voluntary_ctxt_switches"):
                    self.switches += int(line.split()[1])
