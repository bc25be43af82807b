"""The server's side of a web socket, after RFC 6455: whole text messages in single frames."""

import base64
import hashlib
import select
import socket
import struct
import threading

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def accepted(key):
    """The value of Sec-WebSocket-Accept."""
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def frame(opcode, payload):
    length = len(payload)
    if length < 126:
        head = struct.pack("!BB", 0x80 | opcode, length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", 0x80 | opcode, 126, length)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 127, length)
    return head + payload


def extent(data):
    """Where the mask of the client's first frame begins, and the length of its payload; None if the frame is
    not whole."""
    if len(data) < 2:
        return None
    length, start = data[1] & 0x7F, 2
    if length > 125:
        size = 2 if length == 126 else 8
        if len(data) < 2 + size:
            return None
        length, start = int.from_bytes(data[2:2 + size], "big"), 2 + size
    return (start, length) if len(data) >= start + 4 + length else None


def opcodes(data):
    """The opcodes of the client's whole frames."""
    while whole := extent(data):
        yield data[0] & 0x0F
        data = data[sum(whole) + 4:]


class Malformed(Exception):
    """The client has broken the protocol."""


class Socket:
    """One open socket. One thread reads; any thread says something."""

    def __init__(self, connection):
        self.connection = connection
        # Held while what has arrived is taken and handled.
        self.reading = threading.Lock()
        self.writing = threading.Lock()
        self.is_open = True
        self.buffer = b""
        # Of the vendor: the user of the last accepted token, and id -> what the client was told.
        self.user = None
        self.subscriptions = {}

    def say(self, text):
        self._write(frame(TEXT, text.encode()))

    def cut(self, text):
        """Ends in the middle of a message."""
        self._write(frame(TEXT, text.encode())[:-5])
        self.drop()

    def close(self, code):
        self._write(frame(CLOSE, struct.pack("!H", code)))
        self.drop()

    def drop(self):
        self.is_open = False
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            # It is closed already.
            pass

    def _write(self, data):
        try:
            with self.writing:
                self.connection.sendall(data)
        except OSError:
            self.is_open = False

    def listen(self, hear):
        """Gives each text to `hear` until the socket is closed."""
        while self.is_open:
            if not self.has_arrivals(0.05):
                continue
            with self.reading:
                try:
                    data = self.connection.recv(1 << 16)
                except OSError:
                    data = b""
                if not data:
                    self.is_open = False
                self.buffer += data
                while self.is_open and self._take(hear):
                    pass

    def has_arrivals(self, seconds=0):
        try:
            return bool(select.select([self.connection], [], [], seconds)[0])
        except (OSError, ValueError):
            return True

    def has_left(self):
        """Whether the client has closed the socket. What it said before may wait unread."""
        poll = select.poll()
        poll.register(self.connection, select.POLLRDHUP)
        try:
            if poll.poll(0):
                return True
            waiting = self.connection.recv(1 << 16, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            waiting = b""
        except (OSError, ValueError):
            return True
        return CLOSE in opcodes(self.buffer + waiting)

    def is_idle(self):
        """Whether the socket is open and everything that has arrived was handled."""
        if not self.reading.acquire(blocking=False):
            return False
        try:
            return self.is_open and not self.has_arrivals()
        finally:
            self.reading.release()

    def _take(self, hear):
        """Handles the first frame of the buffer; false if it is not whole."""
        data = self.buffer
        whole = extent(data)
        if whole is None:
            return False
        start, length = whole
        if data[0] & 0x70 or not data[0] & 0x80 or not data[1] & 0x80:
            raise Malformed("a frame that begins with %s" % data[:2].hex())
        mask, payload = data[start:start + 4], data[start + 4:start + 4 + length]
        self.buffer = data[start + 4 + length:]
        payload = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        opcode = data[0] & 0x0F
        if opcode == TEXT:
            hear(payload.decode())
        elif opcode == PING:
            self._write(frame(PONG, payload))
        elif opcode == CLOSE:
            self._write(frame(CLOSE, payload[:2]))
            self.drop()
        elif opcode != PONG:
            raise Malformed("a frame with the opcode %d" % opcode)
        return True
