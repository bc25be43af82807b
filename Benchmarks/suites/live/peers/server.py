"""server.py UPDATES BATCHES: an Atomic-style web socket on a free port of 127.0.0.1, which is printed.

Each client that authenticates and subscribes gets a feed of a hundred cards. Then it gets UPDATES
messages with one changed card, BATCHES messages with a hundred, and with either zero it is left alone
but for the answers to its pings. Every changed card carries the monotonic nanosecond at which it was sent.
"""

import base64
import hashlib
import json
import os
import socket
import struct
import sys
import threading
import time

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CARDS = 100
# Between two messages, in seconds, so that no client is sent one while it has another.
PAUSE = {1: 0.008, CARDS: 0.05}
REST = 0.3
# Stands in messages where the time of sending goes; as long as such a time.
STAMP = b"1000000000000000000"


def card(number):
    """A card as small as one is that says anything."""
    return {
        "instance": {"id": "card-%d" % number, "eventName": "due", "status": "active"},
        "metadata": {"priority": 5, "receivedAt": "2026-01-01T00:00:00.000Z",
                     "payloadMetadata": {"sent": int(STAMP)}},
        "actions": {"dismiss": {"swipe": True}}, "runtimeVariables": [],
        "defaultView": {"nodes": [
            {"type": "headline", "attributes": {"text": "Card %d" % number}},
            {"type": "text", "attributes": {"text": "Your bill is due in a few days. " * 4}}]},
        "subviews": {}}


def message(kind, data=None):
    return json.dumps({"messageType": kind, **({"data": data} if data else {})},
                      separators=(",", ":")).encode()


def changes(subscription, numbers):
    return message("update-cards", {"updates": [
        {"type": "update-card", "data": {"subscriptionId": subscription, "cardInstance": card(number)}}
        for number in numbers]})


def whole(subscription):
    instances = [card(number) for number in range(CARDS)]
    return message("update-cards", {"updates": [{"type": "replace-feed", "data": {
        "subscriptionId": subscription,
        "cardInstances": {"instances": instances, "totalCards": CARDS}}}]})


def frame(payload):
    length = len(payload)
    if length < 126:
        return struct.pack("!BB", 0x81, length) + payload
    if length < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, length) + payload
    return struct.pack("!BBQ", 0x81, 127, length) + payload


class Client:
    def __init__(self, connection):
        self.connection = connection
        self.file = connection.makefile("rb")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def shake(self):
        key = ""
        while True:
            line = self.file.readline().decode().strip()
            if not line:
                break
            name, _, value = line.partition(":")
            if name.lower() == "sec-websocket-key":
                key = value.strip()
        accepted = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        self.connection.sendall((
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: %s\r\n\r\n" % accepted).encode())

    def hear(self):
        """The next text; None at the end."""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            length = head[1] & 0x7F
            if length > 125:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
            mask, payload = self.file.read(4), self.file.read(length)
            payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
            if head[0] & 0x0F == 8:
                return None
            if head[0] & 0x0F == 1:
                return json.loads(payload)

    def send(self, payload):
        # The last thing before the kernel has it.
        stamp = b"%19d" % (1_000_000_000_000_000_000 + time.monotonic_ns())
        self.connection.sendall(frame(payload.replace(STAMP, stamp)))

    def serve(self, updates, batches):
        self.shake()
        pings = 0
        while (heard := self.hear()) is not None:
            kind = heard["messageType"]
            if kind == "auth":
                self.send(message("auth-success"))
            elif kind == "custom-ping":
                pings += 1
                self.send(message("custom-pong"))
                print("ping", pings, flush=True)
            elif kind == "subscribe":
                threading.Thread(target=self.tell, args=(
                    heard["data"]["subscriptions"][0]["subscriptionId"], updates, batches)).start()

    def tell(self, subscription, updates, batches):
        try:
            self.send(whole(subscription))
            ones = [changes(subscription, [number]) for number in range(CARDS)]
            hundred = changes(subscription, range(CARDS))
            time.sleep(REST)
            for number in range(updates):
                self.send(ones[number % CARDS])
                time.sleep(PAUSE[1])
            for _ in range(batches):
                self.send(hundred)
                time.sleep(PAUSE[CARDS])
            if updates or batches:
                time.sleep(REST)
                self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # The client is gone.
            pass


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    updates, batches = int(sys.argv[1]), int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=Client(connection).serve, args=(updates, batches), daemon=True).start()


main()
