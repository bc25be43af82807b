import EngagementEmulator
import EngagementJSON
import EngagementModel
import Testing

@Suite struct EmulatorFaultsTests {
  @Test("a script that is not JSON is refused with the line number")
  func syntax() {
    let error = #expect(throws: EngagementError.self) {
      try EmulatorFaults(document: Array("{\"faults\": [\n  {\"fault\": status}\n]}".utf8))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("line 2") == true)
  }

  @Test(
    "an error in a script names its field",
    arguments: [
      ("the script.faults", [:]), ("the script", []), ("\"fault\"", ["fault": "status"]),
      ("faults[0]", ["faults": [7]]), ("faults[0].fault", ["faults": [[:]]]),
      ("did you mean \"truncate\"?", ["faults": [["fault": "truncated"]]]),
      ("did you mean \"probability\"?", ["faults": [["fault": "status", "probabilty": 1]]]),
      ("faults[1].from", ["faults": [["fault": "hang"], ["fault": "hang", "from": 0]]]),
      ("faults[0].times", ["faults": [["fault": "status", "times": "often"]]]),
      ("faults[0].probability", ["faults": [["fault": "status", "probability": 1.5]]]),
      ("faults[0].status", ["faults": [["fault": "status", "status": 99]]]),
      ("faults[0].milliseconds", ["faults": [["fault": "delay", "milliseconds": "5"]]]),
      ("faults[0].path", ["faults": [["fault": "delay", "path": 5]]]),
    ] as [(String, JSON)])
  func fields(part: String, script: JSON) {
    let error = #expect(throws: EngagementError.self) { try EmulatorFaults(json: script) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test("a fault of an unknown vendor is refused with the nearest name, at the start and later")
  func unknownVendor() async throws {
    let script: JSON = ["faults": [["fault": "status", "vendor": "braize"]]]
    let faults = try EmulatorFaults(json: script)
    let error = await #expect(throws: EngagementError.self) {
      _ = try await Emulator.start(.init(Stand.registrations, faults: faults))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("faults[0].vendor") == true)
    #expect(error?.message.contains("did you mean \"braze\"?") == true)
    try await Stand.run { stand async throws in
      await #expect(throws: EngagementError.self) { try await stand.emulator.load(faults) }
      #expect(try stand.control("PUT", "faults", script).status == 400)
    }
  }

  @Test("a script with every kind of fault is read")
  func kinds() throws {
    let script: JSON = [
      "faults": .array(EmulatorFaults.kinds.map { ["fault": .string($0), "times": "always"] })
    ]
    let faults = try EmulatorFaults(json: script)
    #expect(EmulatorFaults.kinds.count >= 20 && faults.count == EmulatorFaults.kinds.count)
    #expect(faults.json == script)
    #expect(try EmulatorFaults(document: faults.json.encoded()).json == script)
  }

  @Test("a fault affects the matching requests, from its first one and as often as it says")
  func matching() async throws {
    let faults: JSON = [
      ["fault": "status", "path": "/api/v3/data", "status": 503, "from": 2, "times": 2],
      ["fault": "unauthorized", "method": "GET"],
    ]
    try await Stand.run(vendors: ["braze"], faults: faults) { stand async throws in
      func status(_ method: String, _ path: String) throws -> Int {
        try RawRequest(method, path, method == "POST" ? Stand.body() : nil)
          .send(to: stand.braze).status
      }
      let path = "/api/v3/data"
      #expect(try status("POST", "/api/v3/content_cards/sync") == 201)
      let statuses = try (1...4).map { _ in try status("POST", path) }
      #expect(statuses == [201, 503, 503, 201])
      #expect(try status("GET", "/") == 401)
      #expect(try status("GET", "/") == 404)
      let names = await stand.emulator.requests().map(\.fault)
      #expect(names == [nil, nil, "status", "status", nil, "unauthorized", nil])
      try await stand.emulator.load(try EmulatorFaults(json: ["faults": faults]))
      #expect(try status("GET", "/") == 401)
    }
  }

  @Test("the same seed gives the same random faults")
  func probability() async throws {
    let script = try EmulatorFaults(json: [
      "faults": [["fault": "status", "probability": 0.3, "times": "always"]]
    ])
    var runs: [[Int?]] = []
    for seed: UInt64 in [1, 1, 2] {
      let emulator = try await Emulator.start(
        .init(Stand.registrations, vendors: ["braze"], seed: seed, faults: script))
      let connection = try RawConnection(emulator.endpoint(of: "braze"))
      for _ in 0..<200 {
        connection.send(RawRequest("GET", "/").bytes(to: emulator.endpoint(of: "braze")))
        _ = connection.answer()
      }
      runs.append(await emulator.requests().map(\.status))
      await emulator.stop()
    }
    #expect(runs[0] == runs[1] && runs[0] != runs[2])
    #expect((30...90).contains(runs[0].filter { $0 == 500 }.count))
  }
}
