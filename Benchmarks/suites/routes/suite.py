"""What routes over several vendors cost, beside one vendor, a reading, or C with the same hash."""

import collections
import pathlib
import sys

from suites.rounds import WORK, Missing, compiled, measure, median, sh, swift, table, verdict
from suites.routes.generate import generate

HERE = pathlib.Path(__file__).resolve().parent
OURS, C = "EngagementKit", "C"
PEOPLE = 1_000_000
# How long each vendor takes to answer, in milliseconds.
ANSWER = 30
FILES = WORK / "routes"

Key = collections.namedtuple("Key", "job peer")
Time = collections.namedtuple("Time", "job peer field")

# (what it is called, ours, what it is held against, the most that the ratio may be)
GOALS = [
    ("screen of four vendors, disk / one", Time("screen", "four", "disk"),
     Time("screen", "one", "disk"), 1.5),
    ("screen of four vendors, memory / one", Time("screen", "four", "memory"),
     Time("screen", "one", "memory"), 1.5),
    ("dismissal with copies / without", Time("dismiss", "keyed", "rows"),
     Time("dismiss", "plain", "rows"), 1.3),
    ("switch of 10,000 cards / reading", Time("switch", OURS, "switch"),
     Time("switch", OURS, "read"), 2),
    ("step of a migration, 10,000 cards / reading", Time("move", OURS, "step"),
     Time("move", OURS, "read"), 2),
    ("screen in a migration, disk / without", Time("moving", "moving", "disk"),
     Time("moving", "plain", "disk"), 1.05),
    ("screen in a migration, memory / without", Time("moving", "moving", "memory"),
     Time("moving", "plain", "memory"), 1.05),
    ("1 M assignments / C", Time("assign", OURS, "all"), Time("assign", C, "all"), 1.3),
]
MOST_ABOVE_MS = 5


def prepare():
    """Builds the peers, fills the caches that are read; returns the runs and what is not installed."""
    program, missing = swift("RoutesPeer"), []
    sets = generate(WORK / "routes-sets")
    four = [sets["four-%s" % vendor] for vendor in "abcd"]
    small = [sets["small-%s" % vendor] for vendor in "abcd"]
    sides = [sets["left"], sets["right"]]
    FILES.mkdir(parents=True, exist_ok=True)
    sh(program, "fill", FILES / "one", sets["one-1000"])
    sh(program, "fill", FILES / "four", *four)
    for name in ["moving", "plain"]:
        sh(program, "fill-moving", FILES / ("move-%s" % name), name, *four[:2])
    runs = [
        (Key("screen", "four"), [program, "screen", FILES / "four", 4]),
        (Key("screen", "one"), [program, "screen", FILES / "one", 1]),
        (Key("refresh", OURS), [program, "refresh", FILES / "refresh", ANSWER, *small]),
        (Key("dismiss", "keyed"), [program, "dismiss", FILES / "keyed", "keyed", *four[:2]]),
        (Key("dismiss", "plain"), [program, "dismiss", FILES / "plain", "plain", *four[:2]]),
        (Key("switch", OURS), [program, "switch", FILES / "switch", *sides]),
        (Key("move", OURS), [program, "move", FILES / "move", *sides]),
        (Key("moving", "moving"), [program, "screen-moving", FILES / "move-moving"]),
        (Key("moving", "plain"), [program, "screen-moving", FILES / "move-plain"]),
        (Key("assign", OURS), [program, "assign", PEOPLE]),
    ]
    try:
        peer = compiled(
            ["cc", "-O3"], HERE / "peers" / "assign.c", ["libcrypto"], "libssl-dev (Debian)")
        runs.append((Key("assign", C), [peer, PEOPLE]))
    except Missing as package:
        missing.append("%s: not installed: %s" % (C, package))
    return runs, missing


def run(runs, rounds):
    """Measures and prints; fails where the peers put people into different arms."""
    results = measure(runs, rounds)
    print("\nmedian of %d rounds\n" % rounds)
    fields = {
        "screen": ["disk", "memory"], "refresh": ["first", "again"], "dismiss": ["rows"],
        "switch": ["switch", "read"], "move": ["step", "read"], "moving": ["disk", "memory"],
        "assign": ["all"]}
    table(["row, peer, time", "wall ms", "CPU ms"], [
        ["%s, %s, %s" % (key.job, key.peer, field), "%.3f" % median(lines, field + "_ms"),
         "%.3f" % median(lines, field + "_cpu_ms")]
        for key, lines in results.items() for field in fields[key.job]])
    print()
    rows = []
    for name, ours, other, most in GOALS:
        row = [name, "<= %s" % most]
        for unit in ["_ms", "_cpu_ms"]:
            if Key(other.job, other.peer) not in results:
                row += ["-", "-"]
                continue
            ratio = time(results, ours, unit) / time(results, other, unit)
            row += ["%.2f" % ratio, verdict(ratio <= most)]
        rows.append(row)
    for field in ["first", "again"]:
        above = time(results, Time("refresh", OURS, field), "_ms") - ANSWER
        rows.append(
            ["refresh of four above the slowest, %s, ms" % field, "<= %s" % MOST_ABOVE_MS,
             "%.2f" % above, verdict(above <= MOST_ABOVE_MS), "-", "-"])
    table(["goal", "at most", "wall", "", "CPU", ""], rows)
    found = {
        (line["all_rows"], line["all_check"])
        for key, lines in results.items() if key.job == "assign" for line in lines}
    if len(found) > 1:
        print("the peers disagree: %s" % sorted(found), file=sys.stderr)
        return 1
    return 0


def time(results, part, unit):
    return median(results[Key(part.job, part.peer)], part.field + unit)
