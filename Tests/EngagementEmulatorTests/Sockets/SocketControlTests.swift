import EngagementEmulator
import EngagementHTTP
import EngagementModel
import Testing

/// Web sockets over the control interface.
@Suite(.timeLimit(.minutes(20))) struct SocketControlTests {
  @Test("the open sockets are listed with their vendor, path and counts")
  func list() async throws {
    try await Stand.runEcho { stand async throws in
      #expect(try stand.control("GET", "sockets").json == ["sockets": []])
      let first = try RawSocket(stand.echo, "/live?token=secret")
      let second = try RawSocket(stand.echo)
      second.send("x")
      #expect(second.text() == "x")
      let expected: JSON = [
        "sockets": [
          [
            "number": 1, "vendor": "echo", "path": "/live", "opened": "2026-11-22T00:00:00.000Z",
            "received": 0, "sent": 0,
          ],
          [
            "number": 2, "vendor": "echo", "path": "/live", "opened": "2026-11-22T00:00:00.000Z",
            "received": 1, "sent": 1,
          ],
        ]
      ]
      #expect(try stand.control("GET", "sockets").json == expected)
      #expect(try stand.control("GET", "sockets?vendor=echo").json == expected)
      #expect(try stand.control("GET", "sockets?vendor=braze").json == ["sockets": []])
      #expect(await stand.emulator.sockets(of: "braze").isEmpty)
      first.close(.normal)
      #expect(try first.end().close == .normal)
    }
  }

  @Test("a text is said on one socket alone")
  func say() async throws {
    try await Stand.runEcho { stand async throws in
      let sockets = try (0..<2).map { _ in try RawSocket(stand.echo) }
      #expect(try stand.control("POST", "sockets/2/say", ["text": "hello"]).status == 200)
      #expect(sockets[1].text() == "hello")
      sockets[0].send("x")
      #expect(sockets[0].text() == "x")
    }
  }

  @Test(
    "a dropped socket is closed with a code, or its connection ends without one",
    arguments: [
      (["code": 1011, "reason": "oops"], 1011), (["code": 4000], 4000), ([:], 1006), (nil, 1006),
    ] as [(JSON?, UInt16)])
  func drop(body: JSON?, code: UInt16) async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      #expect(try stand.control("POST", "sockets/1/drop", body).status == 200)
      let end = try socket.end()
      #expect(end.close.code.rawValue == code && end.isClean == (code != 1006))
      #expect(end.close.reason == body?["reason"]?.string ?? "")
    }
  }

  @Test("a silent socket answers nothing, stays listed and can be dropped")
  func silence() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      #expect(try stand.control("POST", "sockets/1/silence").status == 200)
      #expect(try stand.control("POST", "sockets/1/say", ["text": "unsaid"]).status == 200)
      #expect(await stand.emulator.sockets().count == 1)
      try await stand.emulator.drop(1)
      #expect(socket.connection.receiveAll() != .silent)
      #expect(socket.connection.received.isEmpty)
      while await !stand.emulator.sockets().isEmpty { await Task.yield() }
    }
  }

  @Test("an order to no open socket and an invalid order are refused")
  func refusals() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      for (path, body, status): (String, JSON?, Int) in [
        ("sockets/2/say", ["text": "x"], 404), ("sockets/2/drop", nil, 404),
        ("sockets/2/silence", nil, 404), ("sockets/x/drop", nil, 404),
        ("sockets/1/shout", nil, 404), ("sockets/1/say", [:], 400),
        ("sockets/1/say", nil, 400), ("sockets/1/drop", ["code": 1006], 400),
        ("sockets/1/drop", ["code": "soon"], 400), ("expire/nobody", nil, 404),
      ] {
        let answer = try stand.control("POST", path, body)
        #expect(answer.status == status, "\(path)")
        #expect(answer.json?["error"]?.string?.isEmpty == false)
      }
      socket.send("x")
      #expect(socket.text() == "x")
    }
  }

  @Test("a vendor's credentials expire on demand")
  func expire() async throws {
    try await Stand.runEcho { stand async throws in
      let socket = try RawSocket(stand.echo)
      #expect(try stand.control("POST", "expire/echo").json?["seed"] == 7)
      #expect(socket.text() == "expired")
    }
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      #expect(try device.inbox().isEmpty == false)
      #expect(try stand.control("POST", "expire/vibes").status == 200)
      #expect(try device.own("GET", "/person").status == 401)
    }
  }
}
