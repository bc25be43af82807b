"""A server on the `websockets` library, for a client that was not written with it in mind.

It listens on a free port of 127.0.0.1 and prints the port. The path of a connection says what to do.
With a file of a certificate and its key, a proxy that ends TLS stands before it.
"""

import asyncio
import os
import ssl
import sys
import threading

import websockets
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close, Frame, Opcode


def write_raw(socket, opcode, data, fin=True):
    """Writes one frame as it is, past the library's checks."""
    socket.transport.write(Frame(opcode, data, fin).serialize(mask=False, extensions=[]))


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def fragments(socket):
    """One text in pieces, with a ping between them, then an echo."""
    write_raw(socket, Opcode.TEXT, "one ".encode(), fin=False)
    write_raw(socket, Opcode.PING, b"between")
    write_raw(socket, Opcode.CONT, "tw\u00f6 ".encode()[:3], fin=False)
    write_raw(socket, Opcode.PONG, b"unasked")
    write_raw(socket, Opcode.CONT, "tw\u00f6 ".encode()[3:] + b"three")
    await echo(socket)


async def slowly(socket):
    """A message byte by byte."""
    frame = Frame(Opcode.TEXT, "byte by byte: é".encode()).serialize(mask=False, extensions=[])
    for byte in frame:
        socket.transport.write(bytes([byte]))
        await asyncio.sleep(0.001)
    await echo(socket)


async def bad_text(socket):
    """Text that is not UTF-8; answers with the code that the client closes with."""
    write_raw(socket, Opcode.TEXT, b"\xc3\x28")
    await socket.wait_closed()


async def reserved(socket):
    """A frame with a reserved bit."""
    socket.transport.write(bytes([0x80 | 0x40 | 0x01, 1, 0x61]))
    await socket.wait_closed()


async def masked(socket):
    """A masked frame, which no server may send."""
    socket.transport.write(Frame(Opcode.TEXT, b"masked").serialize(mask=True, extensions=[]))
    await socket.wait_closed()


async def large(socket, size):
    await socket.send("a" * size)
    await echo(socket)


async def closing(socket, code):
    await socket.close(code, "done")


async def pinging(socket):
    """Waits for the answer to a ping."""
    pong = await socket.ping(b"are you there")
    await asyncio.wait_for(pong, 10)
    await socket.send("answered")
    await echo(socket)


async def serve(socket):
    name, _, number = socket.path.strip("/").partition("/")
    kinds = {
        "echo": echo, "fragments": fragments, "slowly": slowly, "bad-text": bad_text,
        "reserved": reserved, "masked": masked, "pinging": pinging}
    try:
        if name == "large":
            await large(socket, int(number))
        elif name == "close":
            await closing(socket, int(number))
        else:
            await kinds[name](socket)
    except ConnectionClosed:
        pass
    await socket.wait_closed()
    print("closed", name, socket.close_code, socket.close_reason, flush=True)


async def pass_on(reader, writer):
    try:
        while data := await reader.read(16384):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    writer.close()


async def proxy(port, file):
    """A proxy that takes TLS, and speaks plainly to the server behind it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)

    async def join(reader, writer):
        behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pass_on(reader, behind_writer), pass_on(behind_reader, writer))

    server = await asyncio.start_server(join, "127.0.0.1", 0, ssl=context)
    return server.sockets[0].getsockname()[1]


def end_with_input():
    """Ends when the test does: nobody writes, so the input ends when its other side is gone."""
    sys.stdin.buffer.read()
    os._exit(0)


async def main():
    async with websockets.serve(
        serve, "127.0.0.1", 0, max_size=8 << 20, ping_interval=None, compression="deflate"
    ) as server:
        port = server.sockets[0].getsockname()[1]
        print(await proxy(port, sys.argv[1]) if len(sys.argv) > 1 else port, flush=True)
        await asyncio.Future()


threading.Thread(target=end_with_input, daemon=True).start()
asyncio.run(main())
