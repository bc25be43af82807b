"""Hostile texts as names, ids, containers, properties and users, through every format and back."""

import json
import random
import uuid

from proof import readers
from proof.hostile_terminal import shown
from proof.scene import Failed, Scene
from proof.texts import exported, texts

COLUMNS = ("id, partition, type, time, zone, session, provider, surface, owner, item, container, name, properties, "
           "recorded, uptime")
START = 1_790_000_000_000


def hostile(engage):
    """Returns what was compared, in words."""
    with Scene(engage) as scene:
        wanted = fill(scene, texts())
        counts = [formats(scene, wanted), reimported(scene), shown(scene, texts())]
    return ["%d hostile texts" % len(texts()), *counts] + ([readers.missing] if readers.missing else [])


def fill(scene, found):
    """Puts each text into every field of an event, and returns the rows that an export has to have."""
    source = random.Random(15)
    database = scene.database()
    environment = database.execute("SELECT environment FROM partition LIMIT 1").fetchone()[0]
    first = database.execute("SELECT max(id) + 1 FROM partition").fetchone()[0]
    database.execute("DELETE FROM ledger")
    wanted = []
    for number, text in enumerate(found):
        own = database.execute("SELECT count(*) FROM partition WHERE user = ?", (text,)).fetchone()[0]
        if not own:
            database.execute("INSERT INTO partition VALUES (?, ?, ?, 'full', ?)", (
                first + number, environment, text, START))
        plain = text.decode(errors="replace")
        # The store refuses a property with NUL.
        plain = plain.replace("\0", "\ufffd")
        data = json.dumps({"k" + plain: plain, "n": number}, ensure_ascii=number % 2 == 0)
        event = uuid.UUID(int=source.getrandbits(128), version=4)
        marks = "?, ?, 'custom', ?, 3600, CAST(? AS TEXT), 'braze', NULL, NULL, ?, CAST(? AS TEXT), CAST(? AS TEXT)"
        database.execute("INSERT INTO ledger (%s) VALUES (%s, ?, ?, 1)" % (COLUMNS, marks), (
            event.bytes, first + number, START + number, text, text, text, text, data, START))
        text = exported(text)
        wanted.append({"id": str(event), "user": text, "subject": "braze/" + text, "text": text, "data": data})
    database.commit()
    database.close()
    return wanted


def formats(scene, wanted):
    """Reads every format and compression with programs that are not ours."""
    for name, options in [("x.csv", []), ("x.csv.gz", ["--gzip"]), ("x.csv.zst", ["--zstd"]), ("x.ndjson", []),
                          ("x.ndjson.gz", ["--gzip"]), ("x.ndjson.zst", ["--zstd"]), ("x.parquet", []),
                          ("gzip.parquet", ["--gzip"]), ("zstd.parquet", ["--zstd"])]:
        form = next(form for form in ["csv", "ndjson", "parquet"] if form in name)
        scene.run("export", "--format", form, "--user-ids", "--out", name, *options)
    for form in ["csv", "ndjson"]:
        plain = scene.path("x." + form).read_bytes()
        for program, suffix in [(["zcat"], "gz"), (["zstd", "-dc"], "zst")]:
            if scene.codec(program, "x.%s.%s" % (form, suffix)) != plain:
                raise Failed("%s makes something else of x.%s.%s" % (program[0], form, suffix))
    with open(scene.path("x.csv"), encoding="utf-8", newline="") as lines:
        count = compare("Python's csv", readers.rows_of_csv(lines), wanted)
    guarded(scene)
    with open(scene.path("x.ndjson"), "rb") as lines:
        count += compare("Python's json", readers.rows_of_ndjson(lines.read().split(b"\n")[:-1]), wanted)
    if readers.missing:
        return "%d cells read by Python" % count
    for what, rows in [
            ("pyarrow's csv", readers.arrow_csv(scene.path("x.csv"))),
            ("DuckDB's csv", readers.duck_csv(scene.path("x.csv"))),
            ("DuckDB's json", readers.duck_ndjson(scene.path("x.ndjson")))]:
        count += compare(what, rows, wanted)
    for name in ["x.parquet", "gzip.parquet", "zstd.parquet"]:
        count += compare("pyarrow", readers.arrow_parquet(scene.path(name)), wanted)
        count += compare("DuckDB", readers.duck_parquet(scene.path(name)), wanted)
    return "%d cells read by Python, pyarrow and DuckDB" % count


def compare(reader, rows, wanted):
    """Compares each cell that holds a hostile text, and returns how many there were."""
    rows = list(rows)
    if len(rows) != len(wanted):
        raise Failed("%s reads %d events of %d" % (reader, len(rows), len(wanted)))
    for number, (row, event) in enumerate(zip(rows, wanted)):
        data = row["data"] if isinstance(row["data"], dict) else json.loads(row["data"])
        if data != json.loads(event["data"]):
            raise Failed("%s: the properties of event %d are %r" % (reader, number, row["data"]))
        for column, cell in [("id", event["id"]), ("subject", event["subject"]), ("userid", event["user"]),
                             ("sessionid", event["text"]), ("container", event["text"]), ("name", event["text"])]:
            if (row[column] or "") != cell:
                raise Failed("%s: %s of event %d is %.80r, not %.80r" % (reader, column, number, row[column], cell))
    return len(rows) * 7


def guarded(scene):
    """No field begins like a formula, not even behind its quote."""
    with open(scene.path("x.csv"), encoding="utf-8", newline="") as lines:
        import csv
        for row in csv.reader(lines):
            for name, cell in zip(readers.NAMES, row):
                if cell[:1] and cell[0] in "=+-@\t\r\n" and name not in ("zoneoffset", "uptime"):
                    raise Failed("%s begins a formula: %.40r" % (name, cell))


def reimported(scene):
    """What each format was imported as is the NDJSON that was exported, byte by byte."""
    plain = scene.path("x.ndjson").read_bytes()
    # A CSV has one sign for no text and an empty one.
    for name in ["x.csv", "x.csv.gz", "x.csv.zst", "x.ndjson", "x.ndjson.gz", "x.ndjson.zst", "x.parquet",
                 "gzip.parquet", "zstd.parquet"]:
        scene.run("import", name, "--into", name + ".back.ndjson")
        if scene.path(name + ".back.ndjson").read_bytes() != plain:
            raise Failed("%s comes back as another text" % name)
    scene.run("export", "--user-ids", "--partition", "kind,vendor", "--out", "folder/")
    scene.run("verify", "folder")
    return "9 files imported without a change"

