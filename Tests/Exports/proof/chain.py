"""Events of two vendors with a planted lift: exported, read by other programs, verified, imported, compared."""

import hashlib
import subprocess
import time

from proof import readers
from proof.scene import Failed, Scene

import simulation

# The planted lift and how many of 1,000 events one person has.
LIFT, CARDS = 0.1, 10
EVENTS_OF_ONE = 21.2
SEED = 14
COMPRESSIONS = [("", []), (".gz", ["--gzip"]), (".zst", ["--zstd"])]
# What the checksum is over. Some are of text, one is a time, one a number.
CHOSEN = ["id", "type", "subject", "time", "sequence", "userid", "provider", "name", "data"]


class Watch:
    """Says how long each step takes."""

    def __call__(self, name, work, *arguments):
        start = time.monotonic()
        value = work(*arguments)
        print("%-36s %7.2f s" % (name, time.monotonic() - start), flush=True)
        return value


def chain(engage, events, keep=None):
    """Prints the time of each step, and returns what was found, in words."""
    watch = Watch()
    with Scene(engage, keep) as scene:
        people = max(int(events / EVENTS_OF_ONE), 200)
        watch("simulate", simulation.fill, scene.path("cache.sqlite"), people, SEED, LIFT, 0.2, CARDS)
        files = export(scene, watch)
        count, checksum = read(scene, watch)
        watch("verify 3 folders", verify, scene, count)
        imported = taken_in(scene, watch, files, count)
        figures = compared(scene, watch, files, imported)
    return ["%d events, checksum %016x" % (count, checksum), figures] + (
        [readers.missing] if readers.missing else [])


# Export


def export(scene, watch):
    """Exports every format with every compression, and returns the files."""
    files = []
    for form in ["csv", "ndjson"]:
        for suffix, options in COMPRESSIONS:
            files.append("x.%s%s" % (form, suffix))
            watch("export " + files[-1], scene.run, "export", "--format", form, "--out", files[-1], *options)
    for suffix, options in COMPRESSIONS:
        files.append("x%s.parquet" % suffix)
        watch("export " + files[-1], scene.run, "export", "--format", "parquet", "--out", files[-1], *options)
    for form, options in [("csv", ["--gzip"]), ("ndjson", ["--zstd"]), ("parquet", ["--zstd"])]:
        watch("export %s by vendor and day" % form, scene.run, "export", "--format", form, "--partition",
              "vendor,day", "--cursor", form, "--out", "by-" + form, *options)
    return files


def verify(scene, count):
    for form in ["csv", "ndjson", "parquet"]:
        proof = scene.json("verify", "by-" + form)
        if proof["written"] != count or proof["read"] != count or proof["findings"]:
            raise Failed("by-%s: %r" % (form, proof))


# Reading


def read(scene, watch):
    """The number of events and their checksum, which all readers agree on."""
    wanted = None
    for name, reader in readings(scene):
        found = watch("read by " + name, reader)
        wanted = wanted or found
        if found != wanted:
            raise Failed("%s reads %r, and the first one %r" % (name, found, wanted))
    database = scene.database()
    rows = database.execute("SELECT count(*) FROM ledger").fetchone()[0]
    database.close()
    if wanted[0] != rows:
        raise Failed("%d events were exported, and the cache has %d" % (wanted[0], rows))
    return wanted


def readings(scene):
    for suffix, program in [("", ["cat"]), (".gz", ["zcat"]), (".zst", ["zstd", "-dcq"])]:
        for form, rows in [("csv", readers.rows_of_csv), ("ndjson", readers.rows_of_ndjson)]:
            name = "x.%s%s" % (form, suffix)
            yield "%s and Python: %s" % (program[0], name), lambda program=program, name=name, rows=rows: summed(
                piped(scene, program + [name], rows))
    if readers.missing:
        return
    for suffix, _ in COMPRESSIONS:
        name = "x%s.parquet" % suffix
        yield "pyarrow: " + name, lambda name=name: summed(readers.arrow_batches(scene.path(name)))
        yield "DuckDB: " + name, lambda name=name: readers.duck_sum("read_parquet(?)", scene.path(name), CHOSEN)
    for form, source in [("csv", readers.DUCK_CSV), ("ndjson", readers.DUCK_NDJSON)]:
        for suffix, _ in COMPRESSIONS:
            name = "x.%s%s" % (form, suffix)
            yield "DuckDB: " + name, lambda name=name, source=source: readers.duck_sum(
                source, scene.path(name), CHOSEN)
    for form, ending, source in [("csv", "csv.gz", readers.DUCK_CSV), ("ndjson", "ndjson.zst", readers.DUCK_NDJSON),
                                 ("parquet", "parquet", "read_parquet(?)")]:
        files = scene.path("by-%s/*/*/*.%s" % (form, ending))
        yield "DuckDB: by-%s" % form, lambda files=files, source=source: readers.duck_sum(source, files, CHOSEN)


def piped(scene, command, rows):
    """The rows of what a program writes."""
    process = subprocess.Popen(command, cwd=scene.folder, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    # Line ends within a field stay as they are.
    process.stdout.reconfigure(newline="")
    yield from rows(process.stdout)
    if process.wait():
        raise Failed("%s ended with %d" % (command[0], process.returncode))


def summed(rows):
    """The number of rows and a sum over the chosen columns, whatever their order."""
    count, total = 0, 0
    for row in rows:
        count += 1
        text = "\x1f".join(readers.plain(row[name]) for name in CHOSEN)
        total += int(hashlib.md5(text.encode()).hexdigest()[:8], 16)
    return count, total


# Import and comparison


def taken_in(scene, watch, files, count):
    """Imports a file of each format, and once more all of them, of which nothing is new."""
    imported = []
    for name, target in [("x.csv.zst", "a.ndjson.gz"), ("x.ndjson.gz", "a.parquet"), ("x.zst.parquet", "a.csv.zst")]:
        told = watch("import %s into %s" % (name, target), scene.json, "import", name, "--into", target)
        if (told["added"], told["known"], told["bad"]) != (count, 0, 0):
            raise Failed("%s into %s: %r" % (name, target, told))
        imported.append(target)
    told = watch("import again", scene.json, "import", files[0], "a.parquet", "--into", "a.ndjson.gz")
    if (told["added"], told["known"], told["bad"]) != (0, 2 * count, 0):
        raise Failed("a second import: %r" % told)
    return imported


def compared(scene, watch, files, imported):
    """Compares from the cache, from files, folders and imports: one answer, with the planted lift in it."""
    own = answer(watch("compare the cache", scene.json, "compare"))
    for name in ["x.csv.gz", "x.ndjson", "x.zst.parquet", "by-csv", "by-ndjson", "by-parquet", *imported]:
        if answer(watch("compare " + name, scene.json, "compare", "--from", name)) != own:
            raise Failed("compare --from %s has other figures than the cache" % name)
    if answer(scene.json("compare", "--from", "x.csv", "--from", imported[0])) != own:
        raise Failed("an event that is in two files counts twice")
    click = next(metric for metric in own["metrics"] if metric["name"] == "click")
    relative = click["comparisons"][0]["difference"]["relative"]
    low, high = relative["interval"]
    if not low <= LIFT <= high:
        raise Failed("the planted lift of %g is not in %g … %g" % (LIFT, low, high))
    return "planted lift %+.1f %%, found %+.2f %%, 95 %% interval %+.2f … %+.2f %%; %s people" % (
        100 * LIFT, 100 * relative["value"], 100 * low, 100 * high,
        " and ".join(str(arm["people"]) for arm in own["arms"]))


def answer(report):
    """The figures, without the time at which they were made."""
    return {name: value for name, value in report.items() if name != "time"}
