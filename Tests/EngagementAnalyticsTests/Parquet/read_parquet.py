"""Reads a Parquet file with pyarrow and DuckDB and compares every cell with the expected ones.

A line of the expected file is an event: its cells with a space between them, each "-" for null,
a number, or "x" and the UTF-8 of a text in hexadecimal digits.
"""

import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

NUMBERS = {"time", "sequence", "recordedtime", "uptime", "zoneoffset"}
TIMES = {"time", "recordedtime"}


def fail(message):
    print(message)
    sys.exit(1)


def expected_columns(path, names):
    def value(cell):
        if cell == "-":
            return None
        return bytes.fromhex(cell[1:]).decode() if cell[0] == "x" else int(cell)

    columns = {name: [] for name in names}
    with open(path) as lines:
        for line in lines:
            for name, cell in zip(names, line.split(), strict=True):
                columns[name].append(value(cell))
    return columns


def compare(reader, name, found, wanted):
    if len(found) != len(wanted):
        fail(f"{reader}: {name} has {len(found)} rows, not {len(wanted)}")
    for row, (left, right) in enumerate(zip(found, wanted)):
        if left != right or type(left) is not type(right):
            fail(f"{reader}: row {row} of {name} is {left!r}, not {right!r}")


def compare_statistics(metadata, wanted):
    first = 0
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        for place, (name, cells) in enumerate(wanted.items()):
            statistics = group.column(place).statistics
            rows = [cell for cell in cells[first : first + group.num_rows]]
            present = [cell for cell in rows if cell is not None]
            if statistics.null_count != len(rows) - len(present):
                fail(f"group {index}: {name} has {statistics.null_count} nulls")
            if name not in NUMBERS or not present:
                continue
            if (statistics.min_raw, statistics.max_raw) != (min(present), max(present)):
                fail(f"group {index}: {name} is from {statistics.min_raw} to {statistics.max_raw}")
        first += group.num_rows


def check_schema(schema):
    for field in schema:
        if field.name in TIMES:
            wanted = pa.timestamp("ms", tz="UTC")
        elif field.name in NUMBERS:
            wanted = pa.int64()
        elif field.name == "data" and isinstance(field.type, pa.JsonType):
            continue
        else:
            wanted = pa.string()
        if field.type != wanted:
            fail(f"pyarrow: {field.name} is {field.type}")


def main(path, expected, names):
    names = names.split(",")
    wanted = expected_columns(expected, names)
    file = pq.ParquetFile(path, page_checksum_verification=True)
    check_schema(file.schema_arrow)
    table = file.read()
    if table.column_names != names:
        fail(f"pyarrow: the columns are {table.column_names}")
    connection = duckdb.connect()
    for name in names:
        column = table.column(name)
        if name in TIMES:
            column = column.cast(pa.int64())
        compare("pyarrow", name, column.to_pylist(), wanted[name])
        selected = f'epoch_ms("{name}")' if name in TIMES else f'"{name}"'
        rows = connection.execute(
            f"SELECT {selected} FROM read_parquet(?, file_row_number = true)"
            " ORDER BY file_row_number", [path]).fetchall()
        compare("DuckDB", name, [row[0] for row in rows], wanted[name])
    compare_statistics(file.metadata, wanted)
    codecs = {
        file.metadata.row_group(group).column(column).compression
        for group in range(file.metadata.num_row_groups)
        for column in range(len(names))
    }
    encodings = sorted({
        encoding
        for group in range(file.metadata.num_row_groups)
        for column in range(len(names))
        for encoding in file.metadata.row_group(group).column(column).encodings
    })
    print(f"{file.metadata.num_rows} rows, {file.metadata.num_row_groups} groups,",
          f"{file.metadata.created_by}, {' '.join(sorted(codecs))}, {' '.join(encodings)}")


main(*sys.argv[1:])
