import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite("web sockets of the transport", .timeLimit(.minutes(20))) struct SocketTests {
  private func open(
    _ server: TestServer, by transport: CurlTransport = transport(), host: String = "127.0.0.1"
  ) async throws -> any SocketConnection {
    try await transport.connect(
      HTTPRequest(.get, server.url("/live?a=b", scheme: "ws", host: host)))
  }

  @Test("A3: messages of any size go both ways, whole and in order")
  func echo() async throws {
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      try peer.echo()
    } _: { server in
      let socket = try await open(server)
      let sent: [SocketMessage] = [
        .text(""), .text("één"), .binary([0, 255, 1]), .text(String(repeating: "a", count: 126)),
        .binary([UInt8](repeating: 7, count: 65_536)),
        .text(String(repeating: "b", count: 1 << 20)),
      ]
      for message in sent { try await socket.send(message) }
      for message in sent { #expect(try await socket.message() == message) }
      await socket.close(.normal)
      #expect(try await socket.ended() == .normal)
      #expect(try await socket.ended() == .normal, "each later call returns the same end")
      #expect(server.heads[0].hasPrefix("GET /live?a=b HTTP/1.1\r\nHost: 127.0.0.1:"))
    }
  }

  @Test("A3: the request's own headers go with the handshake, and it offers no extension")
  func headers() async throws {
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      try peer.echo()
    } _: { server in
      var request = HTTPRequest(.get, server.url("/", scheme: "ws"))
      try request.headers.append("Authorization", Secret("Bearer t"))
      try request.headers.append("Sec-WebSocket-Extensions", "permessage-deflate")
      let transport = transport()
      let socket = try await transport.connect(request)
      await socket.close(.normal)
      #expect(server.heads[0].contains("Authorization: Bearer t\r\n"))
      #expect(!server.heads[0].lowercased().contains("extensions"))
    }
  }

  @Test("A3: a ping is answered while nobody receives")
  func ping() async throws {
    let answered = Signal()
    try await withServer { connection in
      let peer = try SocketPeer(connection)
      try peer.send(try .ping([1, 2]))
      // The header of a masked pong of two bytes.
      #expect(try connection.read(exactly: 8)[..<2] == [0x8a, 0x82])
      answered.set()
      _ = try connection.read()
    } _: { server in
      let socket = try await open(server)
      await answered.wait()
      await socket.close(.normal)
    }
  }

  @Test("A3: messages before the peer's close are received, then the close with its reason")
  func closedByPeer() async throws {
    try await withServer { connection in
      let peer = try SocketPeer(connection)
      try peer.send("one")
      try peer.send("two")
      try peer.send(.close(try SocketClose(SocketCloseCode(rawValue: 4_001), "moved")))
      // The client answers with the same code.
      #expect(try connection.read(exactly: 8)[..<2] == [0x88, 0x82])
    } _: { server in
      let socket = try await open(server)
      #expect(try await socket.message() == .text("one"))
      #expect(try await socket.message() == .text("two"))
      let close = try await socket.ended()
      #expect(close.code.rawValue == 4_001 && close.reason == "moved")
      await #expect { try await socket.send(.text("late")) } throws: {
        ($0 as? EngagementError)?.code == .unavailable
      }
      await socket.close(.normal)
    }
  }

  @Test("A3: this side's close reaches the peer with code and reason, after all that was sent")
  func closedHere() async throws {
    let seen = Locked<[String]>([])
    let closed = Signal()
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      defer { closed.set() }
      let message = try peer.message()
      let close = try peer.close()
      seen.withLock { $0 = ["\(message.count)", "\(close.code)", close.reason] }
    } _: { server in
      let socket = try await open(server)
      try await socket.send(.binary([UInt8](repeating: 1, count: 3 << 20)))
      try await socket.close(code: SocketCloseCode(rawValue: 3_004), reason: "background")
      // The peer has answered the close before it records it.
      await closed.wait()
      #expect(seen.withLock { $0 } == ["\(3 << 20)", "3004", "background"])
    }
  }

  @Test("A3: an open socket outlives the time limits of requests")
  func outlivesLimits() async throws {
    let release = ThreadGate()
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      release.pass()
      try peer.send("still there")
      try peer.echo()
    } _: { server in
      let transport = transport {
        $0.connectTimeout = .seconds(20)
        $0.totalTimeout = .milliseconds(1_000)
        $0.lowSpeed = 1_000
        $0.lowSpeedTime = .seconds(1)
      }
      let socket: any SocketConnection
      // A busy machine may need longer than the limit for the handshake.
      do { socket = try await open(server, by: transport) } catch let error as EngagementError {
        try #require(error.code == .deadlineExceeded)
        return
      }
      try await Task.sleep(for: .seconds(3))
      release.open()
      #expect(try await socket.message() == .text("still there"))
      await socket.close(.normal)
    }
  }

  @Test("A3: a peer that does not answer the close keeps nobody longer than a second")
  func silentClose() async throws {
    let done = ThreadGate()
    try await withServer { connection in
      _ = try SocketPeer(connection)
      done.pass()
    } _: { server in
      let socket = try await open(server)
      let start = ContinuousClock.now
      await socket.close(.normal)
      // A busy machine may hold it up.
      #expect(ContinuousClock.now - start < .seconds(4))
      #expect(try await socket.ended() == .abnormal)
      done.open()
    }
  }

  @Test("A3: the peer's close is heard behind messages that nobody reads any more")
  func closedBehindMessages() async throws {
    // More than wait to be read before the transport stops reading.
    let count = 3_000
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      for _ in 0..<count { try peer.send("x") }
      _ = try peer.close()
    } _: { server in
      let socket = try await open(server)
      #expect(try await socket.message() == .text("x"))
      // Until the transport has stopped reading.
      try await Task.sleep(for: .milliseconds(500))
      await socket.close(.normal)
      #expect(try await socket.ended() == .normal)
    }
  }

  @Test("A3: a connection that breaks ends as abnormal", arguments: [true, false])
  func broken(isReset: Bool) async throws {
    try await withServer { connection in
      let peer = try SocketPeer(connection)
      try peer.send("last")
      if isReset { connection.reset() }
    } _: { server in
      let socket = try await open(server)
      #expect(try await socket.ended() == .abnormal)
    }
  }

  @Test("A3: a peer that breaks the protocol and does not stop is told, and cut off")
  func brokenAndFlooding() async throws {
    let left = Signal()
    let seen = Locked<[UInt8]>([])
    try await withServer { connection in
      defer { left.set() }
      _ = try SocketPeer(connection)
      // A frame with a reserved bit.
      try connection.write([0xC1, 0])
      seen.withLock { $0 = (try? connection.read()) ?? [] }
      while true { try connection.write([UInt8](repeating: 0, count: 1 << 16)) }
    } _: { server in
      let socket = try await open(server)
      #expect(try await socket.ended() == .abnormal)
      // The transport waits for the peer's end, but not for long.
      await left.wait()
      #expect(seen.withLock { $0.first } == 0x88, "a close frame")
    }
  }

  @Test("A3: releasing a socket closes its connection")
  func release() async throws {
    let left = Signal()
    try await withServer { connection in
      _ = try SocketPeer(connection)
      defer { left.set() }
      _ = try connection.read()
    } _: { server in
      let transport = transport()
      do { _ = try await open(server, by: transport) }
      await left.wait()
    }
  }

  @Test("A3: cancelling a task that receives ends the socket")
  func cancelledReceiving() async throws {
    let left = Signal()
    try await withServer { connection in
      _ = try SocketPeer(connection)
      defer { left.set() }
      _ = try connection.read()
    } _: { server in
      let socket = try await open(server)
      let task = Task { try await socket.receive() }
      try await Task.sleep(for: .milliseconds(20))
      task.cancel()
      await #expect { try await task.value } throws: {
        ($0 as? EngagementError)?.code == .cancelled
      }
      await left.wait()
      #expect(try await socket.ended() == .abnormal)
    }
  }

  @Test("A3: a peer that is not read has to wait, and nothing is lost")
  func backPressure() async throws {
    let (count, size) = (300, 100_000)
    let sent = Locked(0)
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      for number in 0..<count {
        try peer.send(.message(.binary([UInt8](repeating: UInt8(number % 251), count: size))))
        sent.withLock { $0 = number + 1 }
      }
      _ = try peer.close()
    } _: { server in
      let socket = try await open(server)
      var last = -1
      // Until the peer stands still.
      while sent.withLock({ $0 }) != last {
        last = sent.withLock { $0 }
        try await Task.sleep(for: .milliseconds(500))
      }
      #expect(last < count, "30 MB are not taken while nobody receives")
      for number in 0..<count {
        guard case .binary(let bytes) = try await socket.message() else { continue }
        #expect(bytes.count == size && bytes.first == UInt8(number % 251))
      }
      await socket.close(.normal)
    }
  }

  @Test("A3: a sender waits while its peer does not read, and goes on when it does")
  func slowPeer() async throws {
    let release = ThreadGate()
    try await withServer { connection in
      var peer = try SocketPeer(connection)
      release.pass()
      var received = 0
      for _ in 0..<64 { received += try peer.message().count }
      try peer.send("\(received)")
      _ = try peer.close()
    } _: { server in
      let socket = try await open(server)
      let sent = Locked(0)
      let sending = Task {
        for _ in 0..<64 {
          try await socket.send(.binary([UInt8](repeating: 1, count: 1 << 20)))
          sent.withLock { $0 += 1 }
        }
      }
      var last = -1
      while sent.withLock({ $0 }) != last {
        last = sent.withLock { $0 }
        try await Task.sleep(for: .milliseconds(500))
      }
      #expect(last < 64, "64 MB do not pile up here")
      release.open()
      try await sending.value
      // Only the peer can say what has arrived: a close does not wait for one that is slow.
      #expect(try await socket.message() == .text("\(64 << 20)"))
      await socket.close(.normal)
    }
  }

  @Test("A3: requests and other sockets go on beside a socket that is flooded")
  func fairness() async throws {
    let done = Locked(false)
    try await withServer { connection in
      let head = try connection.readHead()
      guard head.contains("Upgrade") else { return try connection.answer("200 OK", "ok") }
      try connection.write(try SocketPeer.acceptance(of: head))
      let frame = SocketPeer.bytes(.message(.text(String(repeating: "x", count: 1_000))))
      while !done.withLock({ $0 }) { try connection.write(frame) }
    } _: { server in
      let transport = transport()
      let flooded = try await open(server, by: transport)
      let reading = Task {
        var count = 0
        while case .message = try await flooded.receive() { count += 1 }
        return count
      }
      for _ in 0..<20 {
        let response = try await transport.send(HTTPRequest(.get, server.url()))
        #expect(response.status == 200)
      }
      done.withLock { $0 = true }
      reading.cancel()
      _ = try? await reading.value
    }
  }
}
