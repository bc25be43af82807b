"""A gate between `engage` and a ClickHouse server, which tells when a batch is at a chosen place.

There the process can be killed: a request that the server never sees, one that breaks off, an answer that
never arrives. Whatever the gate holds back is thrown away when it is opened for the next run."""

import http.client
import http.server
import socket
import threading

# The places: nothing reached the server, a part of a batch did, all of it did and the answer is here,
# the answer has gone to the process.
PLACES = ["request", "part", "answer", "answered"]


class Gate(http.server.ThreadingHTTPServer):
    """Passes requests on to a server of this machine."""

    daemon_threads = True

    def __init__(self, target):
        super().__init__(("127.0.0.1", 0), Passage)
        self.target, self.lock = target, threading.Lock()
        self.watch(None, 0, 0)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open()
        self.shutdown()
        self.server_close()

    @property
    def port(self):
        return self.server_address[1]

    def watch(self, place, number, share):
        """Waits for the batch of this number, from 1, at a place; of a part, for a share of its bytes."""
        with self.lock:
            self.place, self.left, self.share = place, number, share
            # Whether the batch is there, and whether what is held may go.
            self.reached, self.opened = threading.Event(), threading.Event()

    def open(self):
        self.opened.set()

    def begins(self):
        """The place that a batch which begins now has to reach, or nil."""
        with self.lock:
            self.left -= 1
            return (self.place if self.left == 0 else None), self.reached, self.opened

    def handle_error(self, *_):
        """A process that was killed reads no answer."""


class Passage(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        place, reached, opened = self.server.begins() if "INSERT" in self.path else (None,) * 3
        if place == "request":
            return self.stay(reached, opened)
        if place == "part":
            self.cut(body, self.server.share)
            return self.stay(reached, opened)
        status, headers, answer = self.passed(body)
        if place == "answer":
            return self.stay(reached, opened)
        self.send_response(status)
        for name, value in headers:
            if name.lower().startswith("x-clickhouse"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        if place:
            reached.set()

    def stay(self, reached, opened):
        reached.set()
        opened.wait()
        self.close_connection = True

    def passed(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.target)
        connection.request("POST", self.path, body)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, response.getheaders(), answer

    def cut(self, body, share):
        """Sends a share of the batch; then the connection ends, as that of a killed process does."""
        head = "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (self.path, len(body))
        with socket.create_connection(("127.0.0.1", self.server.target)) as connection:
            connection.sendall(head.encode() + body[:int(share * len(body))])
            connection.shutdown(socket.SHUT_WR)
            # The server has seen the end when it answers or closes.
            connection.recv(1)

    def log_message(self, *_):
        """Nothing is logged."""
