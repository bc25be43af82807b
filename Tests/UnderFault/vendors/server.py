"""The vendors' HTTP server with faults. Each connection has one request.

To run it alone until it is stopped: `python3 -m vendors.server --seed 1 --rate 0.3`.
"""

import argparse
import collections
import http.server
import json
import random
import socket
import struct
import sys
import threading
import time

from vendors import atomic
from vendors.atomic import Atomic
from vendors.books import Books
from vendors.braze import Braze
from vendors.clevertap import CleverTap, Plain, takes
from vendors.faults import ANSWER_LOST, NO_EFFECT, Faults
from vendors.live import Malformed, Socket, accepted
from vendors.vibes import Vibes

Request = collections.namedtuple("Request", "method path headers body name")
USERS = ["u-1", "u-2", "u-3", "u-4"]
DELAY = 0.02
# Between two things that a vendor with a live channel does by itself, in seconds.
PAUSE = 0.004
# The time limit for held answers, so that a gate that stays closed does not block a run.
HELD = 5


class Hold:
    """Holds the answers to matching requests, or to the first one, until it is opened."""

    def __init__(self, matches, only_first):
        self.matches = matches
        self.places = threading.Semaphore(1 if only_first else 1000)
        self.arrived = threading.Semaphore(0)
        self.gate = threading.Event()

    def open(self):
        self.gate.set()

    def keep(self, request):
        """Holds the answer to a matching request."""
        if self.gate.is_set() or not self.matches(request):
            return
        if self.places.acquire(blocking=False):
            self.arrived.release()
            self.gate.wait(HELD)


class Server(http.server.ThreadingHTTPServer):
    """All vendors on one port of loopback."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seed=0, rate=0.0, users=USERS, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.books = Books()
        self.braze = Braze(self.books)
        self.vibes = Vibes(self.books, users)
        self.clevertap = CleverTap(self.books)
        self.atomic = Atomic(self.books)
        self.faults = Faults(seed, rate)
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.holds = []
        self.is_away = False

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        threading.Thread(target=self._live, daemon=True).start()
        return self

    def _live(self):
        generator = random.Random(self.faults.random.random())
        while not self.is_over.wait(PAUSE):
            with self.lock:
                self.atomic.sockets = [each for each in self.atomic.sockets if each.is_open]
                self.atomic.stir(generator, self.faults.rate > 0)
                sockets = self.atomic.sockets
            atomic.lives_on(self.books, sockets)

    def __exit__(self, *_):
        for hold in self.holds:
            hold.open()
        self.is_over.set()
        for each in self.atomic.sockets:
            each.drop()
        self.shutdown()
        self.server_close()

    @property
    def port(self):
        return self.server_address[1]

    def hold(self, matches, only_first=False):
        """Starts to hold the answers to matching requests. The caller must open the gate."""
        hold = Hold(matches, only_first)
        self.holds.append(hold)
        return hold

    def handle_error(self, request, client_address):
        kind, error = sys.exc_info()[:2]
        # A killed client is expected.
        if not issubclass(kind, (ConnectionError, TimeoutError)):
            self.books.finding("the server failed: %s %s" % (kind.__name__, error))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        self.serve(Request(
            self.command, self.path, {name.lower(): value for name, value in self.headers.items()},
            body, self.headers.get("X-Fault-Request", "0.0")))

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST

    def serve(self, request):
        server = self.server
        fault = "close before" if server.is_away else server.faults.draw()
        server.books.count("requests")
        if fault:
            server.books.count("fault " + fault)
        is_clevertap = takes(request.path)
        if is_clevertap and fault == "auth":
            # Its token never changes.
            fault = "503"
        if request.headers.get("upgrade") == "websocket":
            return self.converse(request, fault)
        if request.path.startswith("/files/") and fault == "garbage":
            # A file with other contents is a file all the same; only its length is known.
            fault = "truncated"
        if fault in NO_EFFECT and fault != "auth":
            return self.refuse(fault)
        if fault == "late":
            time.sleep(server.faults.lateness())
        vendor = self.vendor(request.path)
        with server.lock:
            status, answer, parcel = vendor.answer(request, fault)
            if parcel and fault in ANSWER_LOST:
                parcel.lost = True
        if fault == "delay":
            time.sleep(DELAY)
        for hold in server.holds:
            hold.keep(request)
        if fault == "close after":
            return self.reset()
        if isinstance(answer, Plain):
            return self.reply(status, answer.body, answer.headers, cut=fault == "truncated")
        body = b"" if answer is None else json.dumps(answer).encode()
        if fault == "garbage":
            # With the original status, so that a refusal does not look like a success.
            return self.reply(200 if status == 204 else status, b"<html>\xff\xfe{]")
        self.reply(status, body, cut=fault == "truncated")

    def vendor(self, path):
        if takes(path):
            return self.server.clevertap
        if atomic.takes(path):
            return self.server.atomic
        return self.server.braze if path.startswith("/api/") else self.server.vibes

    def converse(self, request, fault):
        """Opens a web socket and keeps it until it is closed."""
        vendor, books = self.server.atomic, self.server.books
        status = vendor.refusal(request)
        if status or fault in NO_EFFECT and fault != "auth":
            return self.refuse(fault or str(status))
        self.close_connection = True
        self.wfile.write((
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: %s\r\n\r\n" % accepted(request.headers["sec-websocket-key"])).encode())
        line = Socket(self.connection)
        with self.server.lock:
            vendor.sockets.append(line)
        refuses = [fault == "auth"]

        def hear(text):
            if fault in ("delay", "late"):
                time.sleep(DELAY)
            before = line.user
            with self.server.lock:
                vendor.hear(text, line, refuses and refuses.pop())
            if line.user not in (None, before) and not atomic.is_expected(books, line):
                books.finding("a socket has the token of %s, and the user is %s" % (
                    line.user, sorted(books.people.present)))

        try:
            line.listen(hear)
        except Malformed as error:
            books.finding("atomic: %s" % error)

    def refuse(self, fault):
        if fault == "close before":
            return self.reset()
        self.reply(int(fault), b"{}", None if fault == "500" else {"Retry-After": "1"})

    def reply(self, status, body, headers=None, cut=False):
        head = "HTTP/1.1 %d Word\r\nConnection: close\r\n" % status
        headers = {"Content-Type": "application/json", **(headers or {})}
        head += "".join("%s: %s\r\n" % field for field in headers.items())
        if status != 204:
            head += "Content-Length: %d\r\n" % (len(body) + (7 if cut else 0))
        self.close_connection = True
        self.wfile.write(head.encode() + b"\r\n" + body)

    def reset(self):
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            self.close_connection = True

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8410)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.3, help="faults per request (default 0.3)")
    options = parser.parse_args()
    with Server(options.seed, options.rate, port=options.port) as server:
        print("http://127.0.0.1:%d" % server.port, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(json.dumps({"counts": server.books.counts, "findings": server.books.findings}))


if __name__ == "__main__":
    main()
