import EngagementAtomicTools
import EngagementBrazeTools
import EngagementCleverTapTools
import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import EngagementVibesTools
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct EmulatorTests {
  @Test("X18: an emulator listens on one port for each vendor and one for control")
  func listens() async throws {
    try await Stand.run { stand async throws in
      let endpoints =
        Stand.vendors.map(stand.emulator.endpoint) + [
          stand.emulator.controlEndpoint
        ]
      #expect(Set(endpoints).count == Stand.vendors.count + 1)
      for endpoint in endpoints {
        #expect(endpoint.hasPrefix("http://127.0.0.1:"))
        #expect(try RawRequest("GET", "/nowhere").send(to: endpoint).status >= 400)
      }
      #expect(stand.emulator.endpoint(of: "nobody") == "")
    }
  }

  @Test("an unknown vendor is refused with the nearest name, and a duplicate vendor is refused")
  func unknownVendor() async throws {
    let error = await #expect(throws: EngagementError.self) {
      _ = try await Emulator.start(.init(Stand.registrations, vendors: ["brase"]))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("did you mean \"braze\"?") == true)
    await #expect(throws: EngagementError.self) {
      _ = try await Emulator.start(.init(Stand.registrations, vendors: ["braze", "braze"]))
    }
  }

  @Test("two registrations with one name are refused")
  func registeredTwice() async throws {
    let error = await #expect(throws: EngagementError.self) {
      _ = try await Emulator.start(.init([.braze, .vibes, .braze]))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("registered twice") == true)
  }

  @Test("a port in use gives an error with its number and the next step")
  func portInUse() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let taken = try #require(stand.braze.split(separator: ":").last.flatMap { Int($0) })
      for name in ["braze", "control"] {
        let error = await #expect(throws: EngagementError.self) {
          _ = try await Emulator.start(
            .init(Stand.registrations, vendors: ["braze"], ports: .any.with(taken, for: name)))
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("\(taken)") == true)
        #expect(error?.message.contains("ss -ltnp") == true)
      }
      #expect(try stand.sync()["full_sync"] == true)
    }
  }

  @Test("a port outside the range is refused", arguments: [-1, 65_536])
  func portOutOfRange(port: Int) async throws {
    let error = await #expect(throws: EngagementError.self) {
      _ = try await Emulator.start(.init(Stand.registrations, ports: .any.with(port, for: "braze")))
    }
    #expect(error?.code == .invalidConfiguration)
  }

  @Test("the standard ports are the documented ones")
  func standardPorts() {
    let names = ["braze", "vibes", "clevertap", "atomic", "control"]
    func numbers(_ ports: Emulator.Ports) -> [Int] {
      names.map { ports.number(of: $0, among: Stand.registrations + [.cleverTap, .atomic]) }
    }
    #expect(numbers(.standard) == [8400, 8401, 8402, 8403, 8409])
    #expect(numbers(.from(9000)) == [9000, 9001, 9002, 9003, 9009])
    #expect(numbers(.any) == [0, 0, 0, 0, 0])
  }

  @Test("a stopped emulator closes its connections, and a second stop is safe")
  func stops() async throws {
    let emulator = try await Emulator.start(.init(Stand.registrations, seed: 1))
    let endpoint = emulator.endpoint(of: "braze")
    let connection = try RawConnection(endpoint)
    async let first: Void = emulator.stop()
    async let second: Void = emulator.stop()
    _ = await (first, second)
    await emulator.stop()
    #expect(connection.receiveAll() != .silent)
    // Another process may have the port by now and answer.
    if let other = try? RawConnection(endpoint) {
      other.send(RawRequest("GET", "/").bytes(to: endpoint))
      _ = other.answer()
    }
    #expect(await emulator.requests().isEmpty)
  }

  @Test("a stop closes connections that hang", arguments: ["hang", "slowDrip", "delay"])
  func stopsInFlight(kind: String) async throws {
    let faults: JSON = [["fault": .string(kind), "milliseconds": 600_000, "times": "always"]]
    let emulator = try await Emulator.start(
      .init(Stand.registrations, faults: try EmulatorFaults(json: ["faults": faults])))
    let connections = try (0..<8).map { _ in
      try RawConnection(emulator.endpoint(of: "braze"))
    }
    for connection in connections {
      connection.send(
        RawRequest("POST", "/api/v3/data", Stand.body())
          .bytes(to: emulator.endpoint(of: "braze")))
    }
    while await emulator.requests().count < 8 { await Task.yield() }
    await emulator.stop()
    for connection in connections { #expect(connection.receiveAll() != .silent) }
  }

  @Test("an emulator stops when it is deallocated")
  func endsWithItsOwner() async throws {
    var emulator: Emulator? = try await Emulator.start(.init(Stand.registrations))
    let endpoint = try #require(emulator?.endpoint(of: "braze"))
    let connection = try RawConnection(endpoint)
    emulator = nil
    #expect(connection.receiveAll() != .silent)
  }

  @Test("a connection serves pipelined requests and chunked bodies")
  func keepsConnections() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let connection = try RawConnection(stand.braze)
      let body = Stand.body().encodedText
      let plain = RawRequest("POST", "/api/v3/data", Stand.body()).bytes(to: stand.braze)
      connection.send(plain + plain)
      let half = body.count / 2
      connection.send(
        """
        POST /api/v3/data HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r
        \(String(half, radix: 16))\r\n\(body.prefix(half))\r
        \(String(body.count - half, radix: 16));x=y\r\n\(body.dropFirst(half))\r\n0\r\n\r\n
        """)
      for _ in 0..<3 { #expect(connection.answer()?.status == 201) }
      #expect(
        await stand.emulator.requests().map(\.bytes) == [Int](repeating: body.count, count: 3))
    }
  }

  @Test("a body that is too long is refused with 413")
  func bodyLimit() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      var request = RawRequest("POST", "/api/v3/data")
      request.body = [UInt8](repeating: 0x20, count: 12 << 20 + 1)
      #expect(try request.send(to: stand.braze).status == 413)
      #expect(await stand.emulator.requests().isEmpty)
    }
  }

  @Test("requests are numbered in order of arrival across all vendors")
  func numbers() async throws {
    try await Stand.run { stand async throws in
      for _ in 0..<3 {
        for vendor in Stand.vendors {
          _ = try RawRequest("GET", "/no/where?token=secret")
            .send(to: stand.emulator.endpoint(of: vendor))
        }
      }
      let requests = await stand.emulator.requests()
      #expect(requests.map(\.number) == Array(1...3 * Stand.vendors.count))
      #expect(requests.allSatisfy { $0.path == "/no/where" && $0.status == 404 })
      #expect(requests.allSatisfy { $0.time == Stand.start && $0.method == "GET" })
      #expect(await stand.emulator.requests(after: 4).map(\.number) == [5, 6])
      #expect(await stand.emulator.requests(after: 99).isEmpty)
      await stand.emulator.clear()
      #expect(await stand.emulator.requests().isEmpty)
    }
  }

  @Test("the emulator answers a hundred concurrent clients")
  func manyClients() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let connections = try (0..<100).map { _ in try RawConnection(stand.braze) }
      for (index, connection) in connections.enumerated() {
        connection.send(
          RawRequest(
            "POST", "/api/v3/data",
            Stand.body(["events": [Stand.event("ce", ["n": .string("n-\(index)")])]])
          ).bytes(to: stand.braze))
      }
      for connection in connections { #expect(connection.answer()?.status == 201) }
      let effects = await stand.emulator.effects()
      #expect(effects.count == 100 && effects.values.allSatisfy { $0 == 1 })
    }
  }

  @Test("an offline emulator resets vendor connections, and the control interface still works")
  func offline() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let idle = try RawConnection(stand.braze)
      idle.send(RawRequest("POST", "/api/v3/data", Stand.body()).bytes(to: stand.braze))
      #expect(idle.answer()?.status == 201)
      await stand.emulator.setOffline(true)
      #expect(idle.receiveAll() == .reset)
      let (bytes, end) = try RawRequest("POST", "/api/v3/data", Stand.body())
        .receiveAll(from: stand.braze)
      #expect(bytes.isEmpty && end == .reset)
      #expect(try stand.control("GET", "status").json?["offline"] == true)
      await stand.emulator.setOffline(false)
      #expect(try stand.sync(inSession: false)["full_sync"] == true)
      #expect(await stand.emulator.requests().count == 2)
    }
  }
}

extension JSON {
  var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
