"""What routes over several vendors cost: the arms of people in an experiment."""

import collections
import pathlib
import sys

from suites.rounds import Missing, compiled, measure, median, swift, table, verdict

HERE = pathlib.Path(__file__).resolve().parent
OURS, C = "EngagementKit", "C"
PEOPLE = 1_000_000
MOST = 1.3

Key = collections.namedtuple("Key", "job peer")


def prepare():
    """Builds the peers; returns them and what is not installed."""
    peers, missing = {}, []
    for name, build in [
        (OURS, lambda: swift("SplitPeer")),
        (C, lambda: compiled(
            ["cc", "-O3"], HERE / "peers" / "assign.c", ["libcrypto"], "libssl-dev (Debian)")),
    ]:
        try:
            peers[name] = build()
        except Missing as package:
            missing.append("%s: not installed: %s" % (name, package))
    return peers, missing


def run(peers, rounds):
    """Measures and prints; fails where the peers put people into different arms."""
    results = measure([(Key("assign", name), [peers[name], PEOPLE]) for name in peers], rounds)
    print("\nmedian of %d rounds, %d people\n" % (rounds, PEOPLE))
    table(["row, peer", "wall ms", "CPU ms", "peak MB"], [
        ["assign, " + key.peer, "%.1f" % median(lines, "all_ms"),
         "%.1f" % median(lines, "all_cpu_ms"), "%.1f" % (median(lines, "peak_kb") / 1024)]
        for key, lines in results.items()])
    print()
    row = ["1 M assignments / C", "<= %s" % MOST]
    for field in ["all_ms", "all_cpu_ms"]:
        if C not in peers:
            row += ["-", "-"]
            continue
        ratio = (median(results[Key("assign", OURS)], field)
                 / median(results[Key("assign", C)], field))
        row += ["%.2f" % ratio, verdict(ratio <= MOST)]
    table(["goal", "at most", "wall", "", "CPU", ""], [row])
    found = {(line["all_rows"], line["all_check"]) for lines in results.values() for line in lines}
    if len(found) > 1:
        print("the peers disagree: %s" % sorted(found), file=sys.stderr)
        return 1
    return 0
