"""What an export of a million events costs, beside programs that write the same columns, and what it costs to
know what the events come to.

The peers are `sqlite3` on the same file and DuckDB with two threads on a table of its own. A
compressed export is compared with the plain one and the codec's own program after it.
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from suites.ledger.simulation import spread
from suites.rounds import WORK, median, sh, swift, table, verdict
from suites.startup.suite import Emulator, engage

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = WORK / "ledger"
PEOPLE, CARDS = 20, 23_800
MILLIONS = [1, 10]
Peers = collections.namedtuple("Peers", "engage totals sqlite duckdb")
Result = collections.namedtuple("Result", "wall cpu memory")
# What is compared with what, and the most that ours may take of it.
GOALS = [
    ("csv", "csv sqlite3", 0.60), ("csv", "csv duckdb", 0.85),
    ("ndjson", "ndjson sqlite3", 0.45), ("ndjson", "ndjson duckdb", 0.70),
    ("gzip", "ndjson + gzip -1", 1.1), ("zstd", "ndjson + zstd -1", 1.1),
    ("parquet", "parquet duckdb", 1.5), ("folder", "zstd", None),
]
MEMORY = 16.0
# Microseconds for an event that is counted, milliseconds once all are, and how much ten times the events may
# take of that.
COUNTED, KNOWN, GROWTH = 0.4, 1.0, 3.0


def prepare():
    program = engage()
    missing = []
    if not shutil.which("sqlite3"):
        missing.append("without sqlite3: apt-get install sqlite3")
    python = os.environ.get("ENGAGEMENT_PYTHON", sys.executable)
    duckdb = python if not subprocess.run(
        [python, "-c", "import duckdb"], capture_output=True).returncode else None
    if not duckdb:
        missing.append(
            "without DuckDB: pip install duckdb, and ENGAGEMENT_PYTHON for that python")
    fill(program)
    if duckdb:
        load(program, duckdb)
    for millions in MILLIONS:
        many(millions)
    return Peers(program, swift("TotalsPeer"), shutil.which("sqlite3"), duckdb), missing


def fill(program):
    """Makes the cache, unless it is there."""
    if (FOLDER / "filled").exists():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with Emulator(program) as emulator:
        configuration = {
            "user": "u-1", "consent": "full", "cache": "cache.sqlite",
            "providers": {
                "braze": {"vendor": "braze", "endpoint": emulator.endpoint, "apiKey": "demo"}}}
        (FOLDER / "engage.json").write_text(json.dumps(configuration))
        os.chmod(FOLDER / "engage.json", 0o600)
        subprocess.run([program, "sync"], cwd=FOLDER, check=True, capture_output=True)
    # In a process of its own: the memory of this one is the least that a command seems to take.
    count = subprocess.run(
        [sys.executable, HERE / "simulation.py", FOLDER / "cache.sqlite", str(PEOPLE), str(CARDS)],
        check=True, capture_output=True, text=True).stdout.strip()
    (FOLDER / "filled").write_text(count)


def many(millions):
    """Makes a cache of so many million events, unless it is there."""
    target = FOLDER / ("events-%d.sqlite" % millions)
    if target.exists():
        return
    part = FOLDER / "events.part"
    shutil.copy(FOLDER / "cache.sqlite", part)
    spread(part, millions * 1_000_000)
    part.rename(target)


def load(program, python):
    """Gives DuckDB a table of the same columns."""
    if (FOLDER / "events.duckdb").exists():
        return
    subprocess.run(
        [program, "export", "--format", "parquet", "--out", "load.parquet"], cwd=FOLDER,
        check=True, capture_output=True)
    subprocess.run(
        [python, "-c", "import duckdb; duckdb.connect('events.duckdb').execute("
         "\"CREATE TABLE events AS SELECT * FROM 'load.parquet' ORDER BY sequence\")"],
        cwd=FOLDER, check=True)


def timed(command):
    """Runs a command in the folder; its standard output goes to a file."""
    with open(FOLDER / "output", "wb") as output:
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=FOLDER, stdout=output, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    if status:
        sys.exit("failed: %s" % " ".join(map(str, command)))
    return Result(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def duck(python, query):
    return [python, "-c", "import duckdb; c = duckdb.connect('events.duckdb', read_only=True); "
            "c.execute('SET threads = 2'); c.execute(\"%s\")" % query]


def jobs(peers):
    """The commands by name, and which files each writes."""
    def ours(*options):
        return [peers.engage, "export", *options]

    found = {
        "csv": (ours("--format", "csv", "--out", "a.csv"), "a.csv"),
        "ndjson": (ours("--out", "a.ndjson"), "a.ndjson"),
        "gzip": (ours("--gzip", "--out", "a.gz"), "a.gz"),
        "zstd": (ours("--zstd", "--out", "a.zst"), "a.zst"),
        "parquet": (ours("--format", "parquet", "--out", "a.parquet"), "a.parquet"),
        "folder": (ours("--zstd", "--partition", "vendor,day", "--out", "parts"), "parts"),
    }
    plain = "%s export --out b.ndjson && " % peers.engage
    found["ndjson + gzip -1"] = (["sh", "-c", plain + "gzip -1 b.ndjson"], "b.ndjson.gz")
    found["ndjson + zstd -1"] = (
        ["sh", "-c", plain + "zstd -q -1 --rm b.ndjson -o b.zst"], "b.zst")
    if peers.sqlite:
        for name, form in [("csv", "-csv"), ("ndjson", "-list")]:
            query = (HERE / ("%s.sql" % name)).read_text()
            found["%s sqlite3" % name] = (
                [peers.sqlite, form, "-readonly", "cache.sqlite", query], None)
    if peers.duckdb:
        for name, form in [("csv", "csv"), ("ndjson", "json"), ("parquet", "parquet")]:
            query = "COPY events TO 'd.%s' (FORMAT %s)" % (name, form)
            found["%s duckdb" % name] = (duck(peers.duckdb, query), "d.%s" % name)
    return found


def run(peers, rounds):
    results = collections.defaultdict(list)
    for number in range(rounds + 1):
        for name, (command, target) in jobs(peers).items():
            if target:
                remove(FOLDER / target)
            result = timed(command)
            if number:
                results[name].append(result._asdict())
                print(json.dumps({"job": name, "round": number, **result._asdict()}), flush=True)
            if target:
                remove(FOLDER / target)
        for millions in MILLIONS:
            line = json.loads(sh(peers.totals, FOLDER / ("events-%d.sqlite" % millions)))
            if number:
                results["totals %d M" % millions].append(line)
                print(json.dumps({"job": "totals", "millions": millions, "round": number, **line}),
                      flush=True)
    isMet = report({name: lines for name, lines in results.items() if "totals" not in name})
    return 0 if report_totals(results) and isMet else 1


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def report(results):
    head = ["job", "wall s", "CPU s", "MB"]
    table(head, [
        [name, *("%.2f" % median(lines, field) for field in ["wall", "cpu", "memory"])]
        for name, lines in results.items()])
    rows, isMet = [], True
    for ours, theirs, most in GOALS:
        if not results.get(ours) or not results.get(theirs):
            continue
        walls, cpus = (
            median(results[ours], field) / median(results[theirs], field)
            for field in ["wall", "cpu"])
        met = most is None or walls <= most
        isMet = isMet and met
        rows.append([
            ours + " / " + theirs, "%.2f" % walls, "%.2f" % cpus,
            "-" if most is None else "%.2f" % most, "-" if most is None else verdict(met)])
    for name in ["csv", "ndjson", "gzip", "zstd", "parquet"]:
        memory = median(results[name], "memory")
        isMet = isMet and memory <= MEMORY
        rows.append([name + " memory", "%.1f MB" % memory, "", "%.0f MB" % MEMORY,
                     verdict(memory <= MEMORY)])
    print()
    table(["ratio", "wall", "CPU", "goal", ""], rows)
    return isMet


def report_totals(results):
    """What events come to: counted from the beginning, and known."""
    rows = []
    few, most = ("totals %d M" % millions for millions in MILLIONS)
    for name in [few, most]:
        counted = median(results[name], "counting_cpu_ms") * 1_000 / median(results[name], "events")
        kept = median(results[name], "kept_ms")
        rows.append([name + ", us of CPU an event counted", counted, COUNTED])
        rows.append([name + ", ms in a process that finds them counted", kept, KNOWN])
        rows.append([name + ", ms when asked again", median(results[name], "known_ms"), KNOWN])
    growth = median(results[most], "kept_ms") / median(results[few], "kept_ms")
    rows.append(["ten times the events, once counted", growth, GROWTH])
    print()
    table(["totals", "", "goal", ""], [
        [name, "%.3f" % value, "%.1f" % goal, verdict(value <= goal)] for name, value, goal in rows])
    return all(value <= goal for _, value, goal in rows)
