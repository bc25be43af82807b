"""Checks a copy of the cache's file with Python's SQLite and none of the library's code.

It reads only the tables for two checks: the integrity of the file, and the conservation of
accepted rows.
"""

import json
import pathlib
import shutil
import sqlite3
import tempfile

NAME = "engagement.sqlite"


def faults(folder):
    """The faults of the cache in the folder."""
    return looked(folder, questions)


def rejected(folder):
    """The rejected actions: provider, verb, the item's id or the event's properties, reason."""
    return [line for line in looked(folder, refusals) if isinstance(line, tuple)]


def visits(folder):
    """The numbers of the anonymous events that wait for Braze."""
    return looked(folder, lambda connection: [
        number for number, in connection.execute(
            "SELECT json_extract(body, '$.properties.n') FROM outbox "
            "WHERE kind = 'event' AND provider = 'braze' "
            "AND json_extract(body, '$.name') = 'visited'")]
        if tables(connection) >= {"outbox"} else [])


def devices(folder):
    """A device of Vibes whose token is not kept beside it: the vendor would never hear of it again."""
    known = looked(folder, lambda connection: connection.execute(
        "SELECT value FROM value WHERE partition = 0 AND provider = 'vibes' AND name = CAST('device' AS BLOB)")
        if tables(connection) >= {"value"} else [])
    path = pathlib.Path(folder, NAME + ".secrets")
    if known and not (path.exists() and b'"token":' in path.read_bytes()):
        yield "a device is known without its token: %s" % (known[0],)


def looked(folder, questions):
    """The results of the queries; SQLite's error as a text if it refuses."""
    if not pathlib.Path(folder, NAME).exists():
        return []
    with tempfile.TemporaryDirectory(prefix="fault-eye-") as scratch:
        for name in (NAME, NAME + "-wal"):
            if pathlib.Path(folder, name).exists():
                shutil.copyfile(pathlib.Path(folder, name), pathlib.Path(scratch, name))
        try:
            connection = sqlite3.connect(pathlib.Path(scratch, NAME))
            try:
                return list(questions(connection))
            finally:
                connection.close()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            return ["SQLite reports: %s" % error]


def refusals(connection):
    if not tables(connection) >= {"rejected"}:
        return
    for provider, body, code, reason in connection.execute(
            "SELECT provider, body, code, reason FROM rejected"):
        content = json.loads(body)
        verb = content.get("action", {}).get("name") or content.get("kind")
        target = content.get("item", {}).get("id") or content.get("properties")
        yield provider, verb, target, "%s: %s" % (code, reason)


def tables(connection):
    """The names of the tables; none in an incomplete file."""
    return {row[0] for row in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table'")}


def questions(connection):
    answer = connection.execute("PRAGMA integrity_check").fetchall()
    if answer != [("ok",)]:
        yield "integrity: %s" % answer[:3]
    if not tables(connection) >= {"tally", "outbox"}:
        return
    pending = dict(connection.execute("SELECT provider, count(*) FROM outbox GROUP BY provider"))
    tallies = {}
    for provider, name, count in connection.execute("SELECT provider, name, count FROM tally"):
        tallies.setdefault(provider, {})[name] = count
    for provider in tallies.keys() | pending.keys():
        tally = tallies.get(provider, {})
        ended = sum(count for name, count in tally.items() if name != "accepted")
        if tally.get("accepted", 0) != pending.get(provider, 0) + ended:
            yield "conservation at %s: %s with %d pending" % (
                provider, tally, pending.get(provider, 0))
