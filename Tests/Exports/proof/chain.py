"""Events of two vendors with a planted lift: exported, read by other programs, verified, imported, compared."""

import concurrent.futures
import hashlib
import subprocess
import time

from proof import readers, server
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
        return self.tell(name, *timed(work, *arguments))

    def two_at_a_time(self, pool, steps):
        """Gives each name of the steps with what its work found, in order."""
        with pool(2) as pool:
            started = [(name, pool.submit(timed, work, *arguments)) for name, work, *arguments in steps]
            try:
                for name, future in started:
                    yield name, self.tell(name, *future.result())
            finally:
                pool.shutdown(cancel_futures=True)

    @staticmethod
    def tell(name, value, duration):
        print("%-36s %7.2f s" % (name, duration), flush=True)
        return value


def timed(work, *arguments):
    start = time.monotonic()
    value = work(*arguments)
    return value, time.monotonic() - start


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
        own, figures = compared(scene, watch, files, imported)
        found = ["%d events, checksum %016x" % (count, checksum), figures]
        if not server.missing:
            found.append(server.served(scene, watch, count, own, answer))
    return found + [text for text in [readers.missing, server.missing] if text]


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
    for name, found in watch.two_at_a_time(concurrent.futures.ProcessPoolExecutor, readings(scene)):
        wanted = wanted or found
        if found != wanted:
            raise Failed("%s gives %r, and the first one %r" % (name, found, wanted))
    database = scene.database()
    rows = database.execute("SELECT count(*) FROM ledger").fetchone()[0]
    database.close()
    if wanted[0] != rows:
        raise Failed("%d events were exported, and the cache has %d" % (wanted[0], rows))
    return wanted


def readings(scene):
    """Each reader by its name, as a function with arguments that other processes can be given."""
    for suffix, program in [("", ["cat"]), (".gz", ["zcat"]), (".zst", ["zstd", "-dcq"])]:
        for form in ["csv", "ndjson"]:
            name = "x.%s%s" % (form, suffix)
            yield "read by %s and Python: %s" % (program[0], name), text_sum, form, program + [scene.path(name)]
    if readers.missing:
        return
    for suffix, _ in COMPRESSIONS:
        path = scene.path("x%s.parquet" % suffix)
        yield "read by pyarrow: " + path.name, arrow_sum, path
        yield "read by DuckDB: " + path.name, readers.duck_sum, "read_parquet(?)", path, CHOSEN
    for form, source in [("csv", readers.DUCK_CSV), ("ndjson", readers.DUCK_NDJSON)]:
        for suffix, _ in COMPRESSIONS:
            path = scene.path("x.%s%s" % (form, suffix))
            yield "read by DuckDB: " + path.name, readers.duck_sum, source, path, CHOSEN
    for form, ending, source in [("csv", "csv.gz", readers.DUCK_CSV), ("ndjson", "ndjson.zst", readers.DUCK_NDJSON),
                                 ("parquet", "parquet", "read_parquet(?)")]:
        files = scene.path("by-%s/*/*/*.%s" % (form, ending))
        yield "read by DuckDB: by-" + form, readers.duck_sum, source, files, CHOSEN


def text_sum(form, command):
    """The number of rows and their sum, of what a program writes."""
    rows = readers.rows_of_csv if form == "csv" else readers.rows_of_ndjson
    return summed(piped(command, rows))


def arrow_sum(path):
    return summed(readers.arrow_batches(path, CHOSEN))


def piped(command, rows):
    """The rows of what a program writes."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
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
    pairs = [("x.csv.zst", "a.ndjson.gz"), ("x.ndjson.gz", "a.parquet"), ("x.zst.parquet", "a.csv.zst")]
    steps = [("import %s into %s" % pair, scene.json, "import", pair[0], "--into", pair[1]) for pair in pairs]
    for name, told in watch.two_at_a_time(concurrent.futures.ThreadPoolExecutor, steps):
        if (told["added"], told["known"], told["bad"]) != (count, 0, 0):
            raise Failed("%s: %r" % (name, told))
    imported = [target for _, target in pairs]
    told = watch("import again", scene.json, "import", files[0], "a.parquet", "--into", "a.ndjson.gz")
    if (told["added"], told["known"], told["bad"]) != (0, 2 * count, 0):
        raise Failed("a second import: %r" % told)
    return imported


def compared(scene, watch, files, imported):
    """Compares from the cache, from files, folders and imports: one answer, with the planted lift in it."""
    own = answer(watch("compare the cache", scene.json, "compare"))
    names = ["x.csv.gz", "x.ndjson", "x.zst.parquet", "by-csv", "by-ndjson", "by-parquet", *imported]
    steps = [("compare " + name, scene.json, "compare", "--from", name) for name in names]
    for name, found in watch.two_at_a_time(concurrent.futures.ThreadPoolExecutor, steps):
        if answer(found) != own:
            raise Failed("%s has other figures than the cache" % name)
    if answer(scene.json("compare", "--from", "x.csv", "--from", imported[0])) != own:
        raise Failed("an event that is in two files counts twice")
    click = next(metric for metric in own["metrics"] if metric["name"] == "click")
    relative = click["comparisons"][0]["difference"]["relative"]
    low, high = relative["interval"]
    if not low <= LIFT <= high:
        raise Failed("the planted lift of %g is not in %g … %g" % (LIFT, low, high))
    return own, "planted lift %+.1f %%, found %+.2f %%, 95 %% interval %+.2f … %+.2f %%; %s people" % (
        100 * LIFT, 100 * relative["value"], 100 * low, 100 * high,
        " and ".join(str(arm["people"]) for arm in own["arms"]))


def answer(report):
    """The figures, without the time at which they were made."""
    return {name: value for name, value in report.items() if name != "time"}
