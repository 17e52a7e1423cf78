"""Writes the Parquet files beside it with pyarrow (26.0.1 made those kept here): python3 parquet.py

Every file holds the same 120 rows in three row groups; rows.json holds them again, written by Python's json.
"""
import json, datetime
import pyarrow as pa, pyarrow.parquet as pq

N = 120
rows = [
    {
        "id": i,
        "count": i % 7,
        "price": None if i % 10 == 3 else i / 4,
        "word": None if i % 11 == 5 else ["alpha", "beta", "gamma", "δέλτα"][i % 4],
        "flag": i % 3 == 0,
        "tags": None if i % 13 == 2 else [f"t{k}" if k != 1 else None for k in range(i % 4)],
        "point": {"x": i, "y": float(i) / 8},
        "day": datetime.date(2024, 1, 1) + datetime.timedelta(days=i),
        "raw": bytes([i % 256, 255, 0]),
    }
    for i in range(N)
]
schema = pa.schema([
    ("id", pa.int64()), ("count", pa.int32()), ("price", pa.float64()), ("word", pa.string()), ("flag", pa.bool_()),
    ("tags", pa.list_(pa.string())), ("point", pa.struct([("x", pa.int32()), ("y", pa.float64())])),
    ("day", pa.date32()), ("raw", pa.binary()),
])
table = pa.Table.from_pylist(rows, schema=schema)
for name, options in {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionary": {"compression": "none", "use_dictionary": True},
    "snappy": {"compression": "snappy"},
    "gzip": {"compression": "gzip"},
    "zstd": {"compression": "zstd"},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4"},
    "v2": {"compression": "snappy", "data_page_version": "2.0", "use_dictionary": False,
           "column_encoding": {"id": "DELTA_BINARY_PACKED", "word": "DELTA_BYTE_ARRAY", "price": "BYTE_STREAM_SPLIT"}},
}.items():
    pq.write_table(table, f"{name}.parquet", row_group_size=50, write_page_index=name == "v2", **options)
pq.write_table(table.slice(0, 0), "empty.parquet")
pq.write_table(table.select(["id", "word", "tags"]), "checksum.parquet", compression="none", write_page_checksum=True)
json.dump(
    [{**row, "day": row["day"].isoformat(), "raw": list(row["raw"])} for row in rows],
    open("rows.json", "w"), ensure_ascii=False, separators=(",", ":"),
)
