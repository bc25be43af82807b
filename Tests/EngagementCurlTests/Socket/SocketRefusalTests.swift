import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

/// What opens no web socket, and what a peer must not send.
@Suite("web sockets that are refused or broken", .timeLimit(.minutes(20)))
struct SocketRefusalTests {
  private func refusal(
    _ url: String, by transport: CurlTransport = transport()
  ) async throws -> EngagementError {
    do {
      _ = try await transport.connect(HTTPRequest(.get, url))
      throw TestFailure("the socket is open")
    } catch let error as EngagementError {
      return error
    }
  }

  @Test(
    "A3: a status other than 101 is the matching error",
    arguments: [
      ("401 Unauthorized", EngagementError.Code.unauthenticated), ("403 No", .permissionDenied),
      ("404 None", .notFound), ("429 Slow", .rateLimited), ("503 Down", .unavailable),
      ("302 Found", .unavailable), ("200 OK", .malformedResponse),
    ])
  func statuses(status: String, code: EngagementError.Code) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.answer(status, headers: ["Location: ws://127.0.0.1:1/"], "no")
      _ = try connection.read()
    } _: { server in
      let error = try await refusal(server.url(scheme: "ws"))
      #expect(error.code == code)
    }
  }

  @Test(
    "A3: a 101 that violates a rule opens nothing",
    arguments: [
      "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
      "HTTP/1.1 101 S\r\nConnection: Upgrade\r\n\r\n", "nonsense\r\n\r\n",
      "HTTP/2 101\r\n\r\n", String(repeating: "A", count: 20_000),
    ])
  func badUpgrade(answer: String) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write(answer)
      _ = try connection.read()
    } _: { server in
      let error = try await refusal(server.url(scheme: "ws"))
      #expect(error.code == .malformedResponse)
    }
  }

  @Test("A3: an extension or a subprotocol that was not asked for opens nothing")
  func extensions() async throws {
    for header in ["Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: chat"] {
      try await withServer { connection in
        _ = try SocketPeer(connection, headers: [header])
        _ = try connection.read()
      } _: { server in
        let error = try await refusal(server.url(scheme: "ws"))
        #expect(error.code == .malformedResponse)
      }
    }
  }

  @Test("A3: a server that closes or is silent within the handshake is told apart")
  func interrupted() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 101 Switch")
    } _: { server in
      let error = try await refusal(server.url(scheme: "ws"))
      #expect(error.code == .unavailable)
    }
    let done = ThreadGate()
    try await withServer { connection in
      try connection.readHead()
      done.pass()
    } _: { server in
      let transport = transport { $0.totalTimeout = .milliseconds(300) }
      let error = try await refusal(server.url(scheme: "ws"), by: transport)
      #expect(error.code == .deadlineExceeded)
      done.open()
    }
    let port = try DeadPort()
    let error = try await refusal("ws://127.0.0.1:\(port.number)/")
    #expect(error.code == .unavailable)
  }

  @Test("A3: a task that is cancelled opens no socket, at any point")
  func cancelled() async throws {
    try await withServer { connection in
      try connection.readHead()
      _ = try connection.read()
    } _: { server in
      let transport = transport { $0.totalTimeout = .seconds(3_000) }
      for delay in 0..<20 {
        let task = Task {
          try await transport.connect(HTTPRequest(.get, server.url(scheme: "ws")))
        }
        try await Task.sleep(for: .milliseconds(delay))
        task.cancel()
        await #expect { try await task.value } throws: {
          ($0 as? EngagementError)?.code == .cancelled
        }
      }
    }
  }

  @Test("A26: the policy, plain text, pins and another scheme are refused before a byte is sent")
  func policy() async throws {
    try await withServer {
      try $0.readHead()
    } _: { server in
      let url = server.url(scheme: "ws")
      let denying = transport { $0.policy = RequestPolicy(otherwise: .deny) }
      let denied = try await refusal(url, by: denying)
      #expect(denied.code == .permissionDenied)
      let plain = try await refusal("ws://192.0.2.1/")
      #expect(plain.code == .permissionDenied)
      let pins = try PinSet([try Pin(sha256: [UInt8](repeating: 1, count: 32))])
      let pinning = transport { $0.policy = RequestPolicy(otherwise: .allowWithPins(pins)) }
      let pinned = try await refusal(url.replacing("ws:", with: "wss:"), by: pinning)
      #expect(pinned.code == .permissionDenied && pinned.underlying == "pinsOnSocket")
      let request = try await refusal(server.url())
      #expect(request.code == .invalidArgument)
      #expect(server.connections == 0)
    }
  }

  @Test(
    "A3: what breaks the protocol closes the socket with its code",
    arguments: [
      // A reserved bit, a mask, an unknown opcode, a long ping, a stray continuation.
      ([0xc1, 0x00], 1_002), ([0x81, 0x80, 0, 0, 0, 0], 1_002), ([0x83, 0x00], 1_002),
      ([0x89, 0x7e, 0x00, 0x80], 1_002), ([0x80, 0x00], 1_002),
      // Bad UTF-8, and a frame over a megabyte.
      ([0x81, 0x02, 0xc3, 0x28], 1_007), ([0x82, 0x7f, 0, 0, 0, 0, 0, 0x10, 0, 1], 1_009),
    ] as [([UInt8], UInt16)])
  func broken(bytes: [UInt8], code: UInt16) async throws {
    let seen = Locked<UInt16?>(nil)
    let closed = Signal()
    try await withServer { connection in
      defer { closed.set() }
      var peer = try SocketPeer(connection)
      try peer.send("first")
      try connection.write(bytes)
      let close = try peer.close()
      seen.withLock { $0 = close.code.rawValue }
    } _: { server in
      let transport = transport()
      let socket = try await transport.connect(HTTPRequest(.get, server.url(scheme: "ws")))
      #expect(try await socket.message() == .text("first"))
      #expect(try await socket.ended() == .abnormal)
      await closed.wait()
      #expect(seen.withLock { $0 } == code)
    }
  }

  @Test("A3: the connection of a socket that waits for its peer's end closes with its transport")
  func lingering() async throws {
    let isOver = Locked(false)
    try await withServer { connection in
      let peer = try SocketPeer(connection)
      try peer.send("first")
      // A reserved bit. The peer does not answer the close that follows.
      try connection.write([0xc1, 0x00])
      while (try? connection.read()) != nil {}
      isOver.withLock { $0 = true }
    } _: { server in
      do {
        let transport = transport()
        let socket = try await transport.connect(HTTPRequest(.get, server.url(scheme: "ws")))
        #expect(try await socket.message() == .text("first"))
        #expect(try await socket.ended() == .abnormal)
      }
      for _ in 0..<200 where !isOver.withLock(\.self) {
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(isOver.withLock { $0 })
    }
  }
}
