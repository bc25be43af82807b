"""Reads exported files with programs that are not ours: each gives columns of texts and numbers."""

import csv
import json
import sys

NAMES = ["id", "source", "type", "subject", "time", "sequence", "recordedtime", "uptime", "zoneoffset", "userid",
         "sessionid", "provider", "surface", "container", "name", "data"]
TIMES = ["time", "recordedtime"]

try:
    import duckdb
    import pyarrow.compute
    import pyarrow.csv
    import pyarrow.parquet
    missing = None
except ImportError as error:
    duckdb = pyarrow = None
    missing = "without %s, which reads Parquet as well: pip install pyarrow duckdb" % error.name


def unguarded(text):
    """Takes away the apostrophe that stands before a text that begins like a formula, or with one."""
    return text[1:] if text.startswith("'") else text


def rows_of_csv(lines):
    """Rows with what was missing as None; a CSV has nothing else for an empty text."""
    csv.field_size_limit(sys.maxsize)
    reader = csv.reader(lines, strict=True)
    if next(reader) != NAMES:
        raise ValueError("the line of names is another one")
    for row in reader:
        yield {name: unguarded(cell) or None for name, cell in zip(NAMES, row, strict=True)}


def rows_of_ndjson(lines):
    for line in lines:
        event = json.loads(line)
        if event.pop("specversion") != "1.0":
            raise ValueError("no event of CloudEvents 1.0")
        yield {name: event.get(name) for name in NAMES}


def arrow_csv(path):
    """pyarrow, with all columns as texts."""
    table = pyarrow.csv.read_csv(
        path, read_options=pyarrow.csv.ReadOptions(block_size=64 << 20),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pyarrow.string() for name in NAMES}, strings_can_be_null=False))
    return rows_of_table(table, unguarded)


def arrow_parquet(path):
    return rows_of_table(pyarrow.parquet.ParquetFile(path, page_checksum_verification=True).read(), str)


def rows_of_table(table, text):
    for row in table.to_pylist():
        yield {name: text(cell) or None if isinstance(cell, str) else cell for name, cell in row.items()}


def duck(source, path, text=str):
    """DuckDB, over one of its readers."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    found = connection.execute("SELECT %s FROM %s" % (", ".join('"%s"' % name for name in NAMES), source), [str(path)])
    for row in found.fetchall():
        yield {name: text(cell) or None if isinstance(cell, str) else cell for name, cell in zip(NAMES, row)}


VARCHARS = ", ".join("'%s': 'VARCHAR'" % name for name in NAMES)
DUCK_CSV = ("read_csv(?, header = true, all_varchar = true, quote = '\"', escape = '\"', delim = ',', "
            "max_line_size = 40000000, parallel = false, auto_detect = false, new_line = '\\r\\n', columns = {%s})"
            % VARCHARS)
DUCK_NDJSON = "read_json(?, format = 'newline_delimited', columns = {%s}, maximum_object_size = 40000000)" % VARCHARS


def duck_csv(path):
    return duck(DUCK_CSV, path, unguarded)


def duck_ndjson(path):
    return duck(DUCK_NDJSON, path)


def duck_parquet(path):
    return duck("read_parquet(?)", path)


def duck_sum(source, path, chosen):
    """The number of rows and a sum over columns, computed by DuckDB alone."""
    def cell(name):
        if name in TIMES and "parquet" in source:
            return "strftime(%s, '%%Y-%%m-%%dT%%H:%%M:%%S.%%gZ')" % name
        return "regexp_replace(%s, '^''', '')" % name if source == DUCK_CSV else "%s::VARCHAR" % name

    text = " || chr(31) || ".join("coalesce(%s, '')" % cell(name) for name in chosen)
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    count, total = connection.execute(
        "SELECT count(*), sum(('0x' || substr(md5(%s), 1, 8))::UBIGINT) FROM %s" % (text, source),
        [str(path)]).fetchone()
    return count, int(total)


def arrow_batches(path, chosen):
    """Rows of a Parquet file with some of its columns, a batch at a time. A time is a text, as in other formats."""
    file = pyarrow.parquet.ParquetFile(path, page_checksum_verification=True)
    for batch in file.iter_batches(16_384, columns=chosen):
        columns = [batch.column(name) for name in chosen]
        for place, name in enumerate(chosen):
            if name in TIMES:
                # Python's own times take longer than all other cells.
                columns[place] = pyarrow.compute.strftime(
                    columns[place].cast(pyarrow.timestamp("ms")), "%Y-%m-%dT%H:%M:%SZ")
        for cells in zip(*(column.to_pylist() for column in columns)):
            yield dict(zip(chosen, cells))


def plain(cell):
    """A cell as the text formats have it."""
    if cell is None:
        return ""
    if isinstance(cell, dict):
        return json.dumps(cell, separators=(",", ":"), ensure_ascii=False)
    return str(cell)
