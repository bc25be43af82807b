"""How fast JSON from a vendor is checked, split into items and made into values."""

import collections
import importlib.util
import pathlib
import sys

from suites.json.generate import generate
from suites.rounds import WORK, Missing, compiled, measure, median, swift, table

HERE = pathlib.Path(__file__).resolve().parent
PASSES = {"cards": 5, "inbox": 100}
ROWS = ["parse", "split", "cards"]
# The nouns of the model, as an adapter makes them of each item.
MODEL = "model"
OURS = "EngagementJSON"
# Rows that a peer has of one set alone.
PARTIAL = {(MODEL, "simdjson"): "inbox"}
TIMES = ["ms", "first_ms"]

Key = collections.namedtuple("Key", "set row peer")

# (row, the peer's row it is held against, the peer, the most that the ratio may be)
GOALS = [
    ("parse", "parse", "simdjson", 1.2),
    ("parse", "parse", "jansson", 0.15),
    ("split", "split", "simdjson", 1.2),
    ("split", "parse", "simdjson", 1.2),
    ("split", "parse", "jansson", 0.15),
    ("cards", "parse", "jansson", 0.25),
    (MODEL, "parse", "jansson", 0.25),
    (MODEL, MODEL, "simdjson", 1.3),
]


def python(module):
    if not importlib.util.find_spec(module):
        raise Missing(module + " (PyPI)")
    return [sys.executable, HERE / "peers/python_json.py", module]


# name, the rows that it has, how it is built
PEERS = [
    (OURS, [*ROWS, MODEL], lambda: [swift("JSONCursorPeer")]),
    ("simdjson", [*ROWS, MODEL], lambda: [compiled(
        # On-demand chooses its instructions at compile time; this is simdjson at its best.
        ["c++", "-std=c++17", "-O3", "-march=native"], HERE / "peers/simdjson.cpp",
        ["simdjson"], "libsimdjson-dev (Debian)")]),
    ("jansson", ["parse", "cards"], lambda: [compiled(
        ["cc", "-O3"], HERE / "peers/jansson.c", ["jansson"], "libjansson-dev (Debian)")]),
    ("Foundation", ["parse", "cards"], lambda: [swift("JSONDecoderPeer")]),
    ("python json", ["parse", "cards"], lambda: python("json")),
    ("orjson", ["parse", "cards"], lambda: python("orjson")),
]


def has(set, row, peer):
    return PARTIAL.get((row, peer), set) == set


def prepare():
    """Writes the work set and builds the peers; returns the runs and what is not installed."""
    files = generate(WORK)
    runs, missing = [], []
    for name, rows, build in PEERS:
        try:
            command = build()
        except Missing as package:
            missing.append("%s: not installed: %s" % (name, package))
            continue
        runs += [
            (Key(set, row, name), [*command, files[set], set, row, PASSES[set]])
            for set in files for row in rows if has(set, row, name)
        ]
    return sorted(runs, key=lambda run: (run[0].set, [*ROWS, MODEL].index(run[0].row))), missing


def run(runs, rounds):
    """Measures and prints; fails where peers that did the same job found different things."""
    results = measure(runs, rounds)
    wrong = disagreements(results)
    for set in PASSES:
        print("\n%s.json, median of %d rounds" % (set, rounds))
        report(results, set)
        print()
        goals(results, set)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


def disagreements(results):
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for key, lines in results.items():
        # Checking a document counts nothing: only jansson and others that build a tree know.
        for line in lines if key.row != "parse" else []:
            found[key.set, key.row][line["items"], line["check"]].append(key.peer)
    return [
        "%s %s: the peers disagree: %s" % (*job, {k: sorted({*v}) for k, v in answers.items()})
        for job, answers in found.items() if len(answers) > 1
    ]


def ratio(results, ours, other, field):
    """How much longer ours takes; None where one of them was not measured."""
    if results.get(ours) and results.get(other):
        return median(results[ours], field) / median(results[other], field)
    return None


def report(results, set):
    rows = []
    for key, lines in results.items():
        if key.set == set:
            row = ["%s, %s" % (key.row, key.peer)]
            for field in TIMES:
                r = ratio(results, key._replace(peer=OURS), key, field)
                row += ["%.3f" % median(lines, field), "%.2f" % r if r else "-"]
            rows.append(row + ["%.1f" % (median(lines, "peak_kb") / 1024)])
    table(["row, peer", "warm ms", "ours / peer", "first ms", "ours / peer", "peak MB"], rows)


def goals(results, set):
    rows = []
    for row, against, peer, most in GOALS:
        if not has(set, against, peer):
            continue
        cells = []
        for field in TIMES:
            r = ratio(results, Key(set, row, OURS), Key(set, against, peer), field)
            cells += ["%.3f" % r, "met" if r <= most else "missed"] if r else ["-", "-"]
        rows.append(["%s / %s %s" % (row, peer, against), "<= %s" % most, *cells])
    table(["goal", "at most", "warm", "", "first", ""], rows)
