import EngagementEmulator
import EngagementHTTP
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Web sockets over the emulator, with a vendor that repeats what it hears.
@Suite(.timeLimit(.minutes(20))) struct SocketServingTests {
  @Test("a handshake is answered with 101, the accepted key and the subprotocol of both sides")
  func handshake() async throws {
    try await Stand.runEcho { stand async throws in
      var request = try RawSocket.handshake("/live")
      request.headers.append(("Sec-WebSocket-Protocol", "other, echo"))
      let connection = try RawConnection(stand.echo)
      connection.send(request.bytes(to: stand.echo))
      while RawAnswer(parsing: connection.received) == nil {
        try #require(connection.receive() == nil)
      }
      let answer = try #require(RawAnswer(parsing: connection.received))
      #expect(answer.status == 101 && answer.header("Sec-WebSocket-Accept") == RawSocket.accept)
      #expect(answer.header("Upgrade") == "websocket" && answer.header("Connection") == "Upgrade")
      #expect(answer.header("Sec-WebSocket-Protocol") == "echo" && answer.length == nil)
    }
  }

  @Test("texts of any size come back in order, and a ping is answered")
  func echoes() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      let texts = [
        "", "één", String(repeating: "a", count: 126), String(repeating: "b", count: 1 << 20),
      ]
      for text in texts { socket.send(text) }
      for text in texts { #expect(socket.text() == text) }
      socket.send(try .ping([1, 2]))
      #expect(socket.pong() == [1, 2])
      socket.close(.normal)
      let end = try socket.end()
      #expect(end.close == .normal && end.isClean)
      #expect(socket.connection.receiveAll() == .closed)
    }
  }

  @Test("a binary message is refused with 1003, and a violation with the code of its rule")
  func violations() async throws {
    try await Stand.runEcho { stand async throws in
      let binary = try RawSocket(stand.echo)
      binary.send(.message(.binary([1])))
      #expect(try binary.end().close.code == .unsupportedData)
      let unmasked = try RawSocket(stand.echo)
      unmasked.connection.send([0x81, 0x01, 0x61])
      #expect(try unmasked.end().close.code == .protocolError)
    }
  }

  @Test(
    "a request that opens no socket gets the vendor's or the emulator's refusal",
    arguments: [
      ("/private", "13", 403), ("/live", "12", 400), ("/nowhere", "13", 404),
    ])
  func refusals(target: String, version: String, status: Int) async throws {
    try await Stand.runEcho { stand async throws in
      var request = try RawSocket.handshake(target)
      request.headers[2].1 = version
      #expect(try request.send(to: stand.echo).status == status)
      #expect(await stand.emulator.sockets().isEmpty)
      #expect(await stand.emulator.requests().map(\.status) == [status])
      // The number of a socket that did not open does not matter to the next one.
      let socket = try RawSocket(stand.echo)
      socket.send("x")
      #expect(socket.text() == "x")
    }
  }

  @Test(
    "a handshake of another host or origin is refused",
    arguments: [("Host", "example.com"), ("Origin", "https://example.com")])
  func guardsOrigin(name: String, value: String) async throws {
    try await Stand.runEcho { stand async throws in
      var request = try RawSocket.handshake("/live")
      request.headers.append((name, value))
      #expect(try request.send(to: stand.echo).status == 403)
      #expect(await stand.emulator.sockets().isEmpty)
    }
  }

  @Test("the vendor speaks after every kind of change, in order")
  func changes() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      var request = RawRequest("POST", "/say")
      request.body = Array("called".utf8)
      #expect(try request.send(to: stand.echo).status == 200)
      try await stand.emulator.put([:], in: "echo")
      try await stand.emulator.remove("1", from: "echo")
      _ = try await stand.emulator.push([:], from: "echo")
      try await stand.emulator.expireCredentials(of: "echo")
      let expected = ["called", "put", "remove 1", "push", "expired"]
      for text in expected { #expect(socket.text() == text) }
      try await stand.emulator.configure("echo", ["close": 1011])
      let end = try socket.end()
      #expect(end.close.code == .internalError && end.close.reason == "configured")
    }
  }

  @Test("the vendor speaks when the clock has reached a moment, whether it is moved or moves")
  func clock() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      for text in ["in 60", "in 30", "x"] { socket.send(text) }
      #expect(socket.text() == "x")
      await stand.emulator.advanceClock(by: .seconds(30))
      #expect(socket.text() == "\(Stand.start.timeIntervalSince1970 + 30)")
      await stand.emulator.advanceClock(by: .seconds(30))
      #expect(socket.text() == "\(Stand.start.timeIntervalSince1970 + 60)")
    }
    let emulator = try await Emulator.start(.init([.echo]))
    let socket = try RawSocket(emulator.endpoint(of: "echo"))
    for text in ["in 3600", "in 0.05"] { socket.send(text) }
    #expect(socket.text() != nil)
    await emulator.advanceClock(by: .seconds(3_600))
    #expect(socket.text() != nil)
    await emulator.stop()
  }

  @Test("the record tells of the upgrade and of each text, without credentials")
  func record() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo, "/live?token=secret")
      for text in ["one", "twö"] { socket.send(text) }
      #expect(socket.text() == "one" && socket.text() == "twö")
      let requests = await stand.emulator.requests()
      #expect(requests.map(\.method) == ["GET", "MESSAGE", "MESSAGE"])
      #expect(requests.map(\.isMessage) == [false, true, true])
      #expect(requests.map(\.status) == [101, nil, nil] && requests.map(\.socket) == [1, 1, 1])
      #expect(requests.allSatisfy { $0.path == "/live" && $0.host == requests[0].host })
      #expect(requests.map(\.summary) == ["an echo", "a text", "a text"])
      #expect(requests.map(\.bytes) == [0, 3, 4])
      #expect(requests[0].credentials == ["sec-websocket-key"])
      #expect(requests.flatMap(\.effects).map(\.name) == ["opened", "heard", "heard"])
      #expect(await stand.emulator.times("heard", of: "twö") == 1)
      let recorded = requests.map { $0.json.encodedText }.joined()
      #expect(!recorded.contains("secret") && !recorded.contains(RawSocket.key))
    }
  }

  @Test("a client that is gone is told to the vendor, whether it closed or not")
  func gone() async throws {
    try await Stand.runEcho { stand async throws in
      let witness = try RawSocket(stand.echo)
      let polite = try RawSocket(stand.echo)
      polite.close(.normal)
      _ = try polite.end()
      #expect(witness.text() == "2 is gone")
      do { _ = try RawSocket(stand.echo) }
      #expect(witness.text() == "3 is gone")
      #expect(await stand.emulator.sockets().map(\.number) == [1])
    }
  }

  @Test("a stop closes every socket with 1001, also one that nobody reads")
  func stops() async throws {
    let emulator = try await Emulator.start(.init([.echo]))
    let sockets = try (0..<20).map { _ in try RawSocket(emulator.endpoint(of: "echo")) }
    let big = String(repeating: "x", count: 7 << 20)
    try await emulator.say(big, on: 1)
    try await emulator.silence(2)
    await emulator.stop()
    for socket in sockets[2...] { #expect(try socket.end().close == .goingAway) }
    for socket in sockets[..<2] { #expect(try !socket.end().isClean) }
  }

  @Test("an emulator that is deallocated ends its sockets")
  func deallocated() async throws {
    var emulator: Emulator? = try await Emulator.start(.init([.echo]))
    let socket = try RawSocket(try #require(emulator?.endpoint(of: "echo")))
    #expect(emulator != nil)
    emulator = nil
    #expect(try socket.end().close == .goingAway)
  }

  @Test("an offline emulator resets the sockets, and new ones open afterwards")
  func offline() async throws {
    try await Stand.runEcho { stand async throws in
      let sockets = try (0..<3).map { _ in try RawSocket(stand.echo) }
      try await stand.emulator.silence(3)
      await stand.emulator.setOffline(true)
      for socket in sockets { #expect(socket.connection.receiveAll() == .reset) }
      while await !stand.emulator.sockets().isEmpty { await Task.yield() }
      await stand.emulator.setOffline(false)
      let socket = try RawSocket(stand.echo)
      socket.send("x")
      #expect(socket.text() == "x")
    }
  }

  @Test("a reset of the vendors closes the sockets")
  func reset() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      await stand.emulator.reset(seed: 8)
      #expect(try socket.end().close == .goingAway)
      #expect(await stand.emulator.sockets().isEmpty)
    }
  }

  @Test("a hundred sockets each get their own texts")
  func many() async throws {
    try await Stand.runEcho { stand async throws in
      let sockets = try (0..<100).map { _ in try RawSocket(stand.echo) }
      for (index, socket) in sockets.enumerated() { socket.send("text \(index)") }
      for (index, socket) in sockets.enumerated() { #expect(socket.text() == "text \(index)") }
      #expect(await stand.emulator.sockets().count == 100)
    }
  }

  @Test("after a restart with a state file, the sockets of before are closed")
  func state() async throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "sockets-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func start() async throws -> Emulator {
      try await Emulator.start(.init([.echo], clock: Stand.start, state: path))
    }
    var emulator = try await start()
    var socket = try RawSocket(emulator.endpoint(of: "echo"))
    for text in ["in 60", "x"] { socket.send(text) }
    #expect(socket.text() == "x")
    await emulator.stop()
    for _ in 0..<2 {
      emulator = try await start()
      #expect(await emulator.sockets().isEmpty)
      socket = try RawSocket(emulator.endpoint(of: "echo"))
      socket.send("y")
      #expect(socket.text() == "y")
      await emulator.stop()
    }
    emulator = try await start()
    socket = try RawSocket(emulator.endpoint(of: "echo"))
    // The moment that a text asked for before the restarts.
    await emulator.advanceClock(by: .seconds(60))
    #expect(socket.text() == "\(Stand.start.timeIntervalSince1970 + 60)")
    await emulator.stop()
  }
}
