"""How long `engage` takes as a whole process, beside C that links the same libraries."""

import collections
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

from suites.rounds import WORK, compiled, median, sh, table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
FILES = WORK / "startup-files"
OURS, C = "engage", "C"
SIZES = [20, 250]
# Pairs a round: one run is short, and what else the machine does is not.
PAIRS = 40
MOST = 1.3

Key = collections.namedtuple("Key", "job peer")
Peers = collections.namedtuple("Peers", "ours c")


def prepare():
    """Builds both; there is nothing that could be missing but what ours needs as well."""
    ours = engage()
    return Peers(ours, peer(ours)), []


def engage():
    """Builds and installs the command line as users do."""
    prefix = WORK / "installed"
    sh(ROOT / "install-engage", prefix, "--scratch-path", WORK / "engage")
    return prefix / "bin/engage"


def peer(ours):
    """Compiles the peer against all that ours is linked with."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", sh("readelf", "-d", ours))
    libraries = ["-l:" + name for name in needed if not re.match(r"libc\.|ld-", name)]
    schema = (ROOT / "Sources/EngagementStore/Schema/Schema.swift").read_text()
    shapes = re.findall(r"shape: (0x[0-9a-f_]+)", schema)
    version = sh(ours, "--version").split()[1]
    command = [
        "cc", "-O3", '-DVERSION="%s"' % version, "-DSCHEMA_VERSION=%d" % len(shapes),
        "-DSCHEMA_SHAPE=" + shapes[-1].replace("_", ""), "-Wl,--no-as-needed", *libraries]
    return compiled(
        command, HERE / "peers/startup.c", ["jansson", "sqlite3"], "what .ci/install installs")


# MARK: The caches


class Emulator:
    """Braze's server on this machine, for as long as the body runs."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.program, "emulate", "--vendor", "braze", "--port", "0", "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.endpoint = json.loads(self.process.stdout.readline())["endpoint"]
        self.door = json.loads(self.process.stdout.readline())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def put(self, card):
        request = urllib.request.Request(
            self.door["control"] + "items/braze", json.dumps(card).encode(), method="PUT",
            headers={"Authorization": "Bearer " + self.door["token"]})
        urllib.request.urlopen(request).read()


def card(number):
    return {
        "id": "card-%08x" % (number * 2654435761 % 2**32), "tp": "captioned_image", "ea": -1,
        "tt": "Offer %d of the week" % number, "p": number % 16 == 0, "db": True, "t": False,
        "ds": "A second cup is on us, every morning until nine. Ask at the counter for it.",
        "i": "https://images.example.com/%d.png" % number, "dm": "Find your table",
        "u": "https://harbour.example.com/%d" % number, "uw": False, "v": number % 3 == 0,
        "e": {"slot": "home"},
    }


def fill(folder, program, count):
    """Makes a cache with that many cards, as a user would; returns its configuration."""
    folder.mkdir(parents=True)
    file = folder / "engage.json"
    with Emulator(program) as emulator:
        provider = {"vendor": "braze", "endpoint": emulator.endpoint, "apiKey": "demo"}
        document = {
            "cache": "engagement.sqlite", "user": "u-1", "consent": "full",
            "providers": {"braze": provider}}
        file.write_text(json.dumps(document))
        sh(program, "sync", "--config", file)
        # What the emulator has by itself is shown as well.
        for number in range(count - len(shown(program, file))):
            emulator.put(card(number))
        sh(program, "sync", "--config", file)
    if len(shown(program, file)) != count:
        sys.exit("the cache in %s has not %d cards" % (folder, count))
    return file


def shown(program, file):
    return sh(program, "cards", "--json", "--config", file).splitlines()


# MARK: Runs


def installed(peers):
    """Copies of both. A file that a linker has just written lies in memory in many small pieces,
    and takes longer to be mapped than one that was copied or read from a disk."""
    FILES.mkdir(parents=True)
    return Peers(*(pathlib.Path(shutil.copy(program, FILES)) for program in peers))


def timed(command, environment):
    """Runs a process to its end: what it printed, and what that took."""
    reading, writing = os.pipe()
    start = time.perf_counter()
    process = os.posix_spawn(
        command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    os.close(writing)
    with open(reading, "rb") as pipe:
        output = pipe.read()
    _, status, used = os.wait4(process, 0)
    end = time.perf_counter()
    if status:
        sys.exit("failed: %s" % " ".join(map(str, command)))
    return output, {
        "ms": (end - start) * 1e3, "cpu_ms": (used.ru_utime + used.ru_stime) * 1e3,
        "faults": used.ru_minflt}


def run(peers, rounds):
    """Measures and prints; fails where the peers do not print the same, byte for byte."""
    shutil.rmtree(FILES, ignore_errors=True)
    peers = installed(peers)
    jobs = {"--version": (["--version"], os.environ)}
    for count in SIZES:
        file = fill(FILES / str(count), peers.ours, count)
        jobs["cards, %d" % count] = (["cards"], {**os.environ, "ENGAGE_CONFIG": str(file)})
    results, printed = collections.defaultdict(list), collections.defaultdict(set)
    for number in range(rounds + 1):
        for job, (words, environment) in jobs.items():
            lines = collections.defaultdict(list)
            for _ in range(PAIRS):
                for name, program in [(OURS, peers.ours), (C, peers.c)]:
                    output, line = timed([str(program), *words], environment)
                    printed[job].add(output)
                    lines[Key(job, name)].append(line)
            for key, runs in lines.items() if number else ():
                results[key] += runs
                middle = {field: median(runs, field) for field in runs[0]}
                print(json.dumps({**key._asdict(), "round": number, **middle}), flush=True)
    print("\nwhole processes, median of %d pairs\n" % (rounds * PAIRS))
    report(results, jobs)
    wrong = [job for job, outputs in printed.items() if len(outputs) > 1]
    for job in wrong:
        print("%s: the peers print different things" % job, file=sys.stderr)
    return 1 if wrong else 0


def report(results, jobs):
    rows = []
    for job in jobs:
        ratios = {field: ratio(results, job, field) for field in ["ms", "cpu_ms"]}
        for name in [OURS, C]:
            lines = results[Key(job, name)]
            row = ["%s, %s" % (job, name)]
            for field in ["ms", "cpu_ms"]:
                row += ["%.2f" % median(lines, field), "%.2f" % ratios[field] if name == C else "-"]
            met = all(share <= MOST for share in ratios.values())
            goal = "<= %s: %s" % (MOST, "met" if met else "missed") if name == C else ""
            rows.append([*row, "%d" % median(lines, "faults"), goal])
    table(["row, peer", "wall ms", "ours / peer", "CPU ms", "ours / peer", "faults", "goal"], rows)


def ratio(results, job, field):
    """The median of the ratios of each pair, whose two runs had the same neighbours."""
    pairs = zip(results[Key(job, OURS)], results[Key(job, C)])
    return statistics.median(ours[field] / other[field] for ours, other in pairs)
