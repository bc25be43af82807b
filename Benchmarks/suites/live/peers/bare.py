"""bare.py PORT [FILE]: a client on PyPI's `websockets` that subscribes and parses what it gets.

With FILE it also appends each message and waits until the disk has it, as a client does that must not
lose what it has shown.
"""

import asyncio
import json
import os
import statistics
import sys
import time

import websockets

BASE = 1_000_000_000_000_000_000


async def main(port, path):
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) if path else None
    ones, hundreds = [], []
    async with websockets.connect(
            "ws://127.0.0.1:%s/env-1/socket?api-key=key" % port, ping_interval=None,
            compression=None) as client:
        await client.send('{"messageType":"auth","authToken":"t","messageId":"1"}')
        await client.recv()
        await client.send('{"messageType":"subscribe","messageId":"2","data":{"subscriptions":'
                          '[{"subscriptionId":"s1","streamContainerId":"home"}]}}')
        cards = {}
        try:
            async for text in client:
                updates = json.loads(text)["data"]["updates"]
                if file is not None:
                    os.write(file, text.encode())
                    os.fdatasync(file)
                if updates[0]["type"] == "replace-feed":
                    continue
                for update in updates:
                    cards[update["data"]["cardInstance"]["instance"]["id"]] = update
                now = time.monotonic_ns()
                sent = updates[-1]["data"]["cardInstance"]["metadata"]["payloadMetadata"]["sent"]
                (ones if len(updates) == 1 else hundreds).append((now + BASE - sent) / 1e6)
        except websockets.ConnectionClosed:
            pass
    print(json.dumps({
        "one_ms": statistics.median(ones), "one_p99_ms": late(ones), "one_count": len(ones),
        "hundred_ms": statistics.median(hundreds), "hundred_p99_ms": late(hundreds),
        "hundred_count": len(hundreds)}))


def late(times):
    return sorted(times)[len(times) * 99 // 100]


asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None))
