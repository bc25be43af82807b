"""Fills the ledger of a cache with events of people who are split between two vendors.

One of the vendors is better by a planted lift: so many more of its people click. The same seed gives the
same events.
"""

import json
import random
import sqlite3
import sys
import uuid

START = 1_790_000_000_000
DAY = 86_400_000
ARMS = [("control", "braze"), ("treatment", "vibes")]
COLUMNS = (
    "sequence, id, partition, type, time, zone, session, provider, surface, owner, item, container, "
    "name, properties, recorded, uptime")


def identifier(source, time):
    """A UUIDv7: the time, then random bits."""
    high = (time << 16) | 0x7000 | source.getrandbits(12)
    return (high << 64 | 1 << 63 | source.getrandbits(62)).to_bytes(16, "big")


def events(people, seed, lift, rate, cards):
    """The events of all people in the order of their times, as (time, person, kind, arm, card, extra)."""
    source = random.Random(seed)
    found = []
    for person in range(people):
        arm = source.randrange(2)
        time = START + source.randrange(14 * DAY)
        experiment = json.dumps({"arm": ARMS[arm][0], "version": 1}, separators=(",", ":"))
        found.append((time, person, "experiment.assigned", arm, None, experiment))
        found.append((time + 5, person, "experiment.exposed", arm, None, experiment))
        clicks = source.random() < rate * (1 + lift if arm else 1)
        for number in range(cards):
            card = source.randrange(1_000)
            time += source.randrange(3_600_000)
            found.append((time, person, "delivered", arm, card, None))
            if source.random() < 0.8:
                found.append((time + 1_000, person, "impression", arm, card, None))
            if clicks and number == 0:
                found.append((time + 2_000, person, "click", arm, card, None))
            if source.random() < 0.1:
                data = json.dumps({"size": "a \"large\" one", "price": 4.5}, separators=(",", ":"))
                found.append((time + 3_000, person, "custom", arm, None, data))
    found.sort(key=lambda event: event[0])
    return found


def fill(cache, people, seed=1, lift=0.1, rate=0.2, cards=10):
    """Adds the events to the cache and returns how many there are."""
    source = random.Random(seed + 1)
    database = sqlite3.connect(cache)
    environment = database.execute("SELECT environment FROM partition LIMIT 1").fetchone()[0]
    first = database.execute("SELECT coalesce(max(id), 0) + 1 FROM partition").fetchone()[0]
    last = database.execute("SELECT coalesce(max(sequence), 0) FROM ledger").fetchone()[0]
    database.executemany(
        "INSERT INTO partition VALUES (?, ?, ?, 'full', ?)",
        ((first + person, environment, b"person-%d" % person, START) for person in range(people)))
    session = str(uuid.UUID(int=source.getrandbits(128)))

    def row(number, event):
        time, person, kind, arm, card, extra = event
        item = None if card is None else b"card-%d" % card
        # What an application tracks is of no surface, and has a name.
        name = {"custom": "Coffee, large"}.get(kind, "welcome" if "experiment" in kind else None)
        return (
            last + 1 + number, identifier(source, time), first + person, kind, time, 3600, session,
            ARMS[arm][1], "cards" if item else None, None, item, "home" if item else None, name,
            extra, time + 7, 1_000 + number)

    found = events(people, seed, lift, rate, cards)
    marks = ",".join("?" * len(COLUMNS.split(",")))
    database.executemany(
        "INSERT INTO ledger (%s) VALUES (%s)" % (COLUMNS, marks),
        (row(number, event) for number, event in enumerate(found)))
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return len(found)


def spread(cache, count, people=50_000):
    """Makes the ledger one of so many events of so many people, out of those that it has."""
    database = sqlite3.connect(cache)
    database.execute("PRAGMA journal_mode=WAL")
    environment = database.execute("SELECT environment FROM partition LIMIT 1").fetchone()[0]
    first = database.execute("SELECT max(id) + 1 FROM partition").fetchone()[0]
    database.executemany(
        "INSERT INTO partition VALUES (?, ?, ?, 'full', ?)",
        ((first + person, environment, b"one-of-many-%d" % person, START)
         for person in range(people)))
    held = database.execute("SELECT count(*) FROM ledger").fetchone()[0]
    values = COLUMNS.split(", ")
    values[0:3] = ["NULL", "randomblob(16)", "%d + abs(random()) %% %d" % (first, people)]
    while held < count:
        database.execute(
            "INSERT INTO ledger (%s) SELECT %s FROM ledger WHERE sequence <= ?"
            % (COLUMNS, ", ".join(values)), [count - held])
        held = database.execute("SELECT count(*) FROM ledger").fetchone()[0]
    database.execute("UPDATE ledger SET partition = %s WHERE partition < %d" % (values[2], first))
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


if __name__ == "__main__":
    print(fill(sys.argv[1], int(sys.argv[2]), cards=int(sys.argv[3])))
