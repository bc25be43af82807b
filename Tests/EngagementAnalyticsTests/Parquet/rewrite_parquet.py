"""Reads a Parquet file of events and writes it again with pyarrow and DuckDB, in several ways."""

import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

source, folder = sys.argv[1:]
table = pq.read_table(source)

for codec in ["none", "gzip", "zstd", "snappy"]:
    pq.write_table(table, f"{folder}/pyarrow-{codec}", compression=codec)
pq.write_table(table, f"{folder}/pyarrow-plain", compression="none", use_dictionary=False)
pq.write_table(table, f"{folder}/pyarrow-groups", compression="zstd", row_group_size=997,
               data_page_size=4_096, dictionary_pagesize_limit=2_048)
pq.write_table(table, f"{folder}/pyarrow-pages2", compression="none", data_page_version="2.0")
pq.write_table(table, f"{folder}/pyarrow-delta", compression="none", use_dictionary=False,
               column_encoding={"id": "DELTA_BYTE_ARRAY"})
for unit in ["us", "ns"]:
    cast = table.schema
    # Nanoseconds of 64 bits end in 2262.
    for name in ["time", "recordedtime"]:
        cast = cast.set(cast.get_field_index(name), pa.field(name, pa.timestamp(unit, tz="UTC")))
    pq.write_table(table.cast(cast), f"{folder}/pyarrow-{unit}", compression="zstd")

required = pa.schema([
    pa.field(field.name, field.type, nullable=field.name not in ("id", "sequence"))
    for field in table.schema
])
extra = table.cast(required).append_column("more", pa.array(range(len(table))))
shuffled = extra.select(list(reversed(extra.column_names)))
pq.write_table(shuffled, f"{folder}/pyarrow-shuffled", compression="zstd")

pq.write_table(table.append_column("name", table.column("name")), f"{folder}/pyarrow-twice")

connection = duckdb.connect()
connection.execute("SET threads = 1")
for codec in ["uncompressed", "gzip", "zstd", "snappy"]:
    connection.execute(
        f"COPY (SELECT * FROM read_parquet('{source}')) TO '{folder}/duckdb-{codec}'"
        f" (FORMAT parquet, COMPRESSION {codec})")
