"""python_json.py json|orjson FILE cards|inbox parse|cards PASSES; values are Python's own."""

import json
import statistics
import sys
import time

module, path, kind, row, passes = sys.argv[1:]
if module == "orjson":
    import orjson

    loads = orjson.loads
else:
    loads = json.loads
TEXTS = {
    "cards": ["id", "tp", "tt", "ds", "i", "u"],
    "inbox": "message_uid subject content detail collapse_key created_at expires_at".split(),
}

with open(path, "rb") as file:
    data = file.read()
times = []
for _ in range(int(passes) + 1):
    root = items = None
    start = time.perf_counter()
    root = loads(data)
    items = root if kind == "inbox" else root["cards"]
    times.append((time.perf_counter() - start) * 1e3)
check = 0
if row == "cards":
    check = sum(len(item[name].encode()) for item in items for name in TEXTS[kind])
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({
    "first_ms": times[0], "ms": statistics.median(times[1:]), "items": len(items),
    "check": check, "peak_kb": peak,
}))
