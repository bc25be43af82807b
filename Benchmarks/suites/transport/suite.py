"""What one small request costs, beside C with curl multi and FoundationNetworking."""

import collections
import pathlib
import subprocess
import sys

from suites.rounds import Missing, compiled, measure, median, swift, table

HERE = pathlib.Path(__file__).resolve().parent
OURS, C, SERVICE = "EngagementCurl", "C curl multi", "C curl multi, own thread"
IN_FLIGHT = [1, 8, 64]
REQUESTS = 20000
MOST = 1.3

Key = collections.namedtuple("Key", "in_flight peer")


def c(name):
    return compiled(
        ["cc", "-O3", "-pthread"], HERE / "peers" / name, ["libcurl"],
        "libcurl4-openssl-dev (Debian)")


# name, how it is built
PEERS = [
    (OURS, lambda: swift("TransportPeer")),
    (C, lambda: c("multi.c")),
    (SERVICE, lambda: c("service.c")),
    ("FoundationNetworking", lambda: swift("URLSessionPeer")),
]


def prepare():
    """Builds the server and the peers; returns the programs and what is not installed."""
    programs, missing = {}, []
    try:
        programs["server"] = c("server.c")
    except Missing as package:
        sys.exit("the server is not built: %s" % package)
    for name, build in PEERS:
        try:
            programs[name] = build()
        except Missing as package:
            missing.append("%s: not installed: %s" % (name, package))
    return programs, missing


def run(programs, rounds):
    """Measures and prints; fails where peers did not get the same answers."""
    server = subprocess.Popen(
        [programs["server"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = "http://127.0.0.1:%s/cards" % server.stdout.readline().strip()
    runs = [
        (Key(width, name), [programs[name], url, REQUESTS, width])
        for width in IN_FLIGHT for name, _ in PEERS if name in programs
    ]
    try:
        results = measure(runs, rounds)
    finally:
        server.stdin.close()
        server.wait()
    checks = {line["check"] for lines in results.values() for line in lines}
    print("\nGET of 18 bytes of JSON, %d requests, median of %d rounds" % (REQUESTS, rounds))
    report(results)
    if len(checks) > 1:
        print("the peers got different answers", file=sys.stderr)
    return 1 if len(checks) > 1 else 0


def report(results):
    rows = []
    for key, lines in results.items():
        row = ["%d in flight, %s" % key]
        for field in ["cpu_us", "wall_us"]:
            ratio = median(results[key._replace(peer=OURS)], field) / median(lines, field)
            row += ["%.1f" % median(lines, field), "%.2f" % ratio]
        goal = ""
        if key.peer in [C, SERVICE]:
            ratio = float(row[2])
            goal = "<= %s: %s" % (MOST, "met" if ratio <= MOST else "missed")
        rows.append(row + [goal])
    table(["row, peer", "CPU us", "ours / peer", "wall us", "ours / peer", "goal (CPU)"], rows)
