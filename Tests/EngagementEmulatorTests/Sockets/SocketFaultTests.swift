import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementModel
import Testing

/// Each fault of a web socket, as a client sees it.
@Suite(.timeLimit(.minutes(20))) struct SocketFaultTests {
  /// Opens a socket with one fault and lets the vendor say texts on it.
  private static func strike(
    _ kind: String, _ more: JSON = [:], texts: [String] = ["one", "two", "three", "four"],
    _ body: (Stand, RawSocket) async throws -> Void
  ) async throws {
    var fault: JSONObject = ["fault": .string(kind)]
    for member in more.object?.members ?? [] { fault[member.key] = member.value }
    try await Stand.runEcho(faults: [.object(fault)]) { stand async throws in
      let socket = try RawSocket(stand.echo)
      // The fault may have ended the socket before the last text.
      for text in texts { try? await stand.emulator.say(text, on: 1) }
      try await body(stand, socket)
      #expect(await stand.emulator.requests().first?.fault == kind)
      #expect(await stand.emulator.requests().first?.alteration?.differs == false)
    }
  }

  @Test("a refused upgrade has the status of the script, and the vendor opens no socket")
  func refused() async throws {
    for (fault, status): (JSON, Int) in [
      (["fault": "socketRefused", "status": 503], 503), (["fault": "socketRefused"], 500),
      (["fault": "status", "status": 429], 429), (["fault": "unauthorized"], 401),
    ] {
      try await Stand.runEcho(faults: [fault]) { stand async throws in
        let request = try RawSocket.handshake("/live")
        #expect(try request.send(to: stand.echo).status == status)
        #expect(await stand.emulator.effects().isEmpty)
        #expect(await stand.emulator.requests().first?.alteration?.differs == true)
        let socket = try RawSocket(stand.echo)
        socket.send("x")
        #expect(socket.text() == "x")
      }
    }
  }

  @Test("a fault of sockets strikes only requests that open one")
  func onlySockets() async throws {
    let faults: JSON = [["fault": "socketRefused", "times": "always"]]
    try await Stand.runEcho(faults: faults) { stand async throws in
      #expect(try RawRequest("GET", "/live").send(to: stand.echo).status == 404)
      #expect(try RawSocket.handshake("/nowhere").send(to: stand.echo).status == 404)
      #expect(try RawSocket.handshake("/live").send(to: stand.echo).status == 500)
      #expect(await stand.emulator.requests().map(\.fault) == [nil, nil, "socketRefused"])
    }
  }

  @Test("a dropped socket ends after its messages, with the code of the script or without one")
  func dropped() async throws {
    try await Self.strike("socketDropped", ["messages": 2]) { _, socket async throws in
      #expect(socket.text() == "one" && socket.text() == "two")
      let end = try socket.end()
      #expect(end.close == .abnormal && !end.isClean)
    }
    try await Self.strike("socketDropped", ["messages": 1, "code": 1013]) {
      _, socket async throws in
      #expect(socket.text() == "one")
      let end = try socket.end()
      #expect(end.close.code == .tryAgainLater && end.isClean)
    }
    try await Self.strike("socketDropped", texts: []) { stand, socket async throws in
      #expect(try socket.end().close == .abnormal)
      while await !stand.emulator.sockets().isEmpty { await Task.yield() }
    }
  }

  @Test("a silent socket keeps its connection, and neither reads nor answers")
  func silent() async throws {
    try await Self.strike("socketSilent", ["messages": 1]) { stand, socket async throws in
      #expect(socket.text() == "one")
      socket.send("unheard")
      socket.send(try .ping([1]))
      #expect(await stand.emulator.sockets().map(\.received) == [0])
      // The end of the connection is the next that comes: no text, no pong.
      try await stand.emulator.drop(1)
      #expect(socket.connection.receiveAll() != .silent)
      #expect(socket.connection.received.isEmpty)
      #expect(await stand.emulator.times("heard") == 0)
    }
  }

  @Test("a delayed message is late and in order, and a doubled one comes twice")
  func delayedAndDoubled() async throws {
    try await Self.strike("socketDelayed", ["milliseconds": 1]) { _, socket async throws in
      for text in ["one", "two", "three", "four"] { #expect(socket.text() == text) }
    }
    try await Self.strike("socketDoubled", ["messages": 1], texts: ["one", "two"]) {
      _, socket async throws in
      for text in ["one", "two", "two"] { #expect(socket.text() == text) }
    }
  }

  @Test("a reordered message comes after the next one, or alone when none follows")
  func reordered() async throws {
    try await Self.strike("socketReordered", ["milliseconds": 60_000]) { _, socket async throws in
      for text in ["two", "one", "four", "three"] { #expect(socket.text() == text) }
    }
    try await Self.strike(
      "socketReordered", ["messages": 1, "milliseconds": 1], texts: ["one", "two"]
    ) { _, socket async throws in
      for text in ["one", "two"] { #expect(socket.text() == text) }
    }
  }

  @Test("a fragmented message has frames of the length of the script")
  func fragmented() async throws {
    try await Self.strike("socketFragmented", ["bytes": 2], texts: ["één", "", "ab"]) {
      _, socket async throws in
      for text in ["één", "", "ab"] { #expect(socket.text() == text) }
    }
    try await Self.strike("socketFragmented", ["bytes": 1], texts: ["abc"]) {
      _, socket async throws in
      let frames: [UInt8] = [0x01, 0x01, 0x61, 0x00, 0x01, 0x62, 0x80, 0x01, 0x63]
      var bytes: [UInt8] = []
      while bytes.count < frames.count {
        #expect(socket.connection.receive() == nil)
        bytes += socket.connection.take()
      }
      #expect(bytes == frames)
    }
  }

  @Test("a text that is not UTF-8 and one that is over the client's limit break the socket")
  func invalid() async throws {
    try await Self.strike("socketInvalidUTF8", texts: ["{\"a\":\"b\"}"]) { _, socket async throws in
      #expect(try socket.end().fault?.code == .invalidPayload)
    }
    try await Self.strike("socketOversize", texts: ["{\"a\":\"b\"}"]) { _, socket async throws in
      #expect(try socket.end().fault?.code == .messageTooBig)
    }
  }

  @Test("an oversized message is the vendor's JSON with padding")
  func oversize() async throws {
    try await Self.strike(
      "socketOversize", ["bytes": 1_000], texts: ["{\"a\":\"b\"}", "no JSON"]
    ) { _, socket async throws in
      let first = try JSON(parsing: Array(try #require(socket.text()).utf8))
      #expect(first["a"] == "b" && first["padding"]?.string?.utf8.count == 1_000)
      #expect(socket.text()?.utf8.count == 1_007)
    }
  }

  @Test("a delay strikes the upgrade as it does any answer, and the socket opens later")
  func delayedUpgrade() async throws {
    let faults: JSON = [["fault": "delay", "milliseconds": 1]]
    try await Stand.runEcho(faults: faults) { stand async throws in
      let socket = try RawSocket(stand.echo)
      socket.send("x")
      #expect(socket.text() == "x")
    }
  }

  @Test(
    "a broken answer to an upgrade leaves no socket open",
    arguments: ["resetAfter", "closeAfter", "truncateHead", "notHTTP", "headerLong", "hang"])
  func brokenUpgrade(kind: String) async throws {
    let faults: JSON = [["fault": .string(kind), "milliseconds": 1, "bytes": 10]]
    try await Stand.runEcho(faults: faults) { stand async throws in
      _ = try RawSocket.handshake("/live").receiveAll(from: stand.echo)
      #expect(await stand.emulator.sockets().isEmpty)
      let socket = try RawSocket(stand.echo)
      socket.send("x")
      #expect(socket.text() == "x")
    }
  }

  @Test(
    "an invalid member of a socket's fault is refused with its name",
    arguments: [
      ("messages", ["fault": "socketDropped", "messages": -1]),
      ("code", ["fault": "socketDropped", "code": 1006]),
      ("code", ["fault": "socketDropped", "code": 5000]),
    ] as [(String, JSON)])
  func members(name: String, fault: JSON) {
    let error = #expect(throws: EngagementError.self) {
      try EmulatorFaults(json: ["faults": [fault]])
    }
    #expect(error?.message.contains("faults[0].\(name)") == true)
  }

  @Test("the kinds of sockets are kinds, and their names say so")
  func kinds() {
    let kinds = EmulatorFaults.kinds.filter { $0.hasPrefix("socket") }
    #expect(kinds.count == 9 && EmulatorFaults.requestKinds + kinds == EmulatorFaults.kinds)
  }
}
