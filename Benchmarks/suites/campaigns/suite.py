"""What campaigns cost: deciding, tracking, presenting, and their files."""

import collections
import pathlib
import shutil
import subprocess
import sys

from suites.rounds import WORK, Missing, compiled, measure, median, swift, table, verdict

HERE = pathlib.Path(__file__).resolve().parent
FILES = WORK / "campaigns"
OURS, C, CURL = "EngagementKit", "C", "C curl multi"
CAMPAIGNS, EVENTS, TRACKED, PRESENTED = 500, 4000, 100, 50
FETCHED, SIZE, LARGE = 50, 200_000, 200_000_000
MEGABYTE = 1024

Key = collections.namedtuple("Key", "job peer")

# (what it is called, the job and field of ours, what it is held against, the most that the ratio may be)
GOALS = [
    ("event against 500 campaigns / C", ("evaluate", OURS, "one"), ("evaluate", C, "one"), 2),
    ("track with 500 campaigns / with none", ("track", OURS, "one"), ("track, none", OURS, "one"),
     1.25),
    ("answer to presenter / refresh of the inbox", ("present", OURS, "present"),
     ("present", OURS, "list"), 1.5),
    ("50 files of 200 KB / C curl multi", ("files", OURS, "all"), ("files", CURL, "all"), 1.5),
]
MEMORY_MB = 4

TABLES = [
    ("one event, 500 campaigns", "evaluate", "one"), ("track, 500 campaigns", "track", "one"),
    ("track, no campaign", "track, none", "one"), ("answer to presenter", "present", "present"),
    ("refresh of the inbox, one message", "present", "list"),
    ("50 files of 200 KB", "files", "all"), ("one file of 200 MB", "file", "all"),
]


class Peers:
    """What was built."""

    def __init__(self):
        self.programs = {}

    def runs(self, url):
        ours, runs = self.programs[OURS], []

        def add(job, peer, *command):
            runs.append((Key(job, peer), command))

        add("evaluate", OURS, ours, "evaluate", CAMPAIGNS, EVENTS)
        if C in self.programs:
            add("evaluate", C, self.programs[C], CAMPAIGNS, EVENTS)
        for job, count in [("track", CAMPAIGNS), ("track, none", 0)]:
            add(job, OURS, ours, "track", FILES / "track", count, TRACKED)
        add("present", OURS, ours, "present", FILES / "present", PRESENTED)
        add("files", OURS, ours, "fetch", FILES / "ours", url, FETCHED, SIZE)
        if CURL in self.programs:
            add(
                "files", CURL, *emptied(FILES / "curl"), self.programs[CURL], FILES / "curl", url,
                FETCHED, SIZE)
        add("file", OURS, ours, "fetch", FILES / "ours", url, 1, LARGE)
        return runs


def emptied(folder):
    """A command's beginning that removes a folder."""
    return ["sh", "-c", 'rm -rf "$1" && shift && exec "$@"', "sh", folder]


def c(name, libraries, package):
    return compiled(["cc", "-O3", "-pthread"], HERE / "peers" / name, libraries, package)


def prepare():
    """Builds the server and the peers; returns them and what is not installed."""
    peers, missing = Peers(), []
    curl = (["libcurl"], "libcurl4-openssl-dev (Debian)")
    try:
        peers.programs["server"] = c("files.c", *curl)
    except Missing as package:
        sys.exit("the server is not built: %s" % package)
    for name, build in [
        (OURS, lambda: swift("CampaignPeer")), (C, lambda: c("evaluate.c", *curl)),
        (CURL, lambda: c("fetch.c", *curl)),
    ]:
        try:
            peers.programs[name] = build()
        except Missing as package:
            missing.append("%s: not installed: %s" % (name, package))
    return peers, missing


def run(peers, rounds):
    """Measures and prints; fails where peers that did the same job found different things."""
    shutil.rmtree(FILES, ignore_errors=True)
    FILES.mkdir(parents=True)
    server = subprocess.Popen(
        [peers.programs["server"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = "http://127.0.0.1:%s" % server.stdout.readline().strip()
    try:
        results = measure(peers.runs(url), rounds)
    finally:
        server.stdin.close()
        server.wait()
    shutil.rmtree(FILES, ignore_errors=True)
    print("\nmedian of %d rounds\n" % rounds)
    report(results)
    print()
    goals(results)
    wrong = disagreements(results)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def disagreements(results):
    found = collections.defaultdict(set)
    for key, lines in results.items():
        for line in lines:
            found[key.job].update((field, line[field]) for field in line if field.endswith("_check"))
            if key.job == "present" and line["count"] != PRESENTED:
                return ["%d of %d campaigns were presented" % (line["count"], PRESENTED)]
    return [
        "%s: the peers disagree: %s" % (job, sorted(said)) for job, said in found.items()
        if len(said) > 1
    ]


def report(results):
    rows = []
    for heading, job, field in TABLES:
        for key, lines in results.items():
            if key.job == job:
                rows.append([
                    "%s, %s" % (heading, key.peer), "%.4f" % median(lines, field + "_ms"),
                    "%.4f" % median(lines, field + "_cpu_ms"),
                    "%.1f" % (median(lines, "peak_kb") / MEGABYTE)])
    table(["row, peer", "wall ms", "CPU ms", "peak MB"], rows)


def goals(results):
    rows = []
    for name, ours, other, most in GOALS:
        row = [name, "<= %s" % most]
        for unit in ["_ms", "_cpu_ms"]:
            values = [
                median(results[Key(job, peer)], field + unit) if Key(job, peer) in results else None
                for job, peer, field in [ours, other]
            ]
            if None in values:
                row += ["-", "-"]
            else:
                ratio = values[0] / values[1]
                row += ["%.2f" % ratio, verdict(ratio <= most)]
        rows.append(row)
    growth = median(results[Key("file", OURS)], "growth_kb") / MEGABYTE
    rows.append([
        "memory of a download of 200 MB, MB", "<= %d" % MEMORY_MB, "%.1f" % growth,
        verdict(growth <= MEMORY_MB), "-", "-"])
    table(["goal", "at most", "wall", "", "CPU", ""], rows)
