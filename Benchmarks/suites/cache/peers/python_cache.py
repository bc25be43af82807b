"""python_cache.py DB FIRST SECOND: orjson and sqlite3, every card upserted in one transaction."""

import json
import pathlib
import re
import resource
import sqlite3
import sys
import time

import orjson

path, first, second = sys.argv[1:]
header = pathlib.Path(__file__).with_name("cache.h").read_text()
TEXTS = ["id", "tp", "tt", "ds", "i", "u"]
NUMBERS = ["ca", "ea", "ar", "v", "cl", "p", "db", "uw"]


def sql(name):
    """The text of a macro of `cache.h`, so that all peers run the same SQL."""
    macro = re.search(r"#define %s\b((?:[^\n]*\\\n)*[^\n]*)" % name, header).group(1)
    return "".join(re.findall(r'"([^"]*)"', macro))


def row(card):
    return (
        "braze", *[card[name] for name in TEXTS], *[card[name] for name in NUMBERS],
        orjson.dumps(card["e"]).decode(), orjson.dumps(card).decode())


def used():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def sync(database, name, file):
    data = pathlib.Path(file).read_bytes()
    start, cpu = time.perf_counter(), used()
    cards = orjson.loads(data)["cards"]
    database.execute("BEGIN IMMEDIATE")
    database.executemany(sql("CACHE_UPSERT"), map(row, cards))
    database.execute("COMMIT")
    line = {name + "_ms": (time.perf_counter() - start) * 1e3, name + "_cpu_ms": (used() - cpu) * 1e3}
    del cards
    rows, check = database.execute(sql("CACHE_COUNT")).fetchone()
    return {**line, name + "_rows": rows, name + "_check": int(check)}


for end in ["", "-wal", "-shm"]:
    pathlib.Path(path + end).unlink(missing_ok=True)
database = sqlite3.connect(path, isolation_level=None)
database.executescript(sql("CACHE_PRAGMAS"))
database.execute("PRAGMA journal_mode=WAL")
database.executescript(sql("CACHE_TABLE"))
line = sync(database, "first", first)
with open("/proc/self/status") as status:
    line["peak_kb"] = next(int(text.split()[1]) for text in status if text.startswith("VmHWM"))
line.update(sync(database, "second", second))
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
print(json.dumps(line))
