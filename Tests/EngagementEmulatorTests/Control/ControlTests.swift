import EngagementEmulator
import EngagementJSON
import EngagementModel
import EngagementVendors
import Testing

@Suite(.timeLimit(.minutes(20))) struct ControlTests {
  @Test("the status lists the vendors, their endpoints, the clock and the seed")
  func status() async throws {
    try await Stand.run { stand async throws in
      let status = try #require(try stand.control("GET", "status").json)
      for vendor in Stand.vendors {
        #expect(status["vendors"]?[vendor] == .string(stand.emulator.endpoint(of: vendor)))
      }
      #expect(status["clock"] == "2026-11-22T00:00:00.000Z" && status["seed"] == 7)
      #expect(status["offline"] == false && status["requests"] == 0)
    }
  }

  @Test("an unknown path gives a 404 that lists the known paths", arguments: ["", "x", "items"])
  func unknownPath(path: String) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let answer = try stand.control("GET", path)
      #expect(answer.status == 404)
      #expect(answer.json?["paths"]?.array?.contains("GET /_emulator/status") == true)
    }
  }

  @Test("an item is added, changed, listed and removed")
  func items() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let added = try #require(
        try stand.control("PUT", "items/braze", ["tp": "short_news", "tt": "New"]).json)
      let id = try #require(added["id"]?.string)
      #expect(try stand.sync().cards[id]?["tt"] == "New")
      let change: JSON = ["id": .string(id), "tt": "Newer"]
      #expect(try stand.control("PUT", "items/braze", change).json?["tt"] == "Newer")
      let items = try stand.control("GET", "items/braze").json?["items"]?.array
      #expect(items?.last?["tt"] == "Newer" && items?.count == 14)
      // Base64 has characters that a path must escape.
      let path = "items/braze/\(id.replacing("=", with: "%3D").replacing("/", with: "%2F"))"
      #expect(try stand.control("DELETE", path).status == 200)
      #expect(try stand.control("DELETE", path).status == 404)
      #expect(try stand.sync().cards[id] == nil)
      #expect(try stand.control("GET", "items/nobody").status == 404)
      #expect(try stand.control("PUT", "items/braze", []).status == 400)
    }
  }

  @Test("requests and effects are listed and cleared")
  func record() async throws {
    try await Stand.run { stand async throws in
      try stand.data(["events": [Stand.event("ce", ["n": "x"]), Stand.event("ce", ["n": "x"])]])
      let requests = try stand.control("GET", "requests").json?["requests"]?.array
      let request = try #require(requests?.first)
      #expect(requests?.count == 1 && request["vendor"] == "braze" && request["status"] == 201)
      #expect(request["path"] == "/api/v3/data" && request["number"] == 1)
      #expect(request["effects"]?.array?.count == 2 && request["fault"] == nil)
      #expect(
        try stand.control("GET", "effects").json == [
          "effects": [["name": "ce", "subject": "x", "user": "ada", "count": 2]]
        ])
      #expect(
        try stand.control("GET", "requests?vendor=nobody").json == ["requests": []])
      #expect(try stand.control("GET", "requests?after=1").json == ["requests": []])
      #expect(try stand.control("GET", "requests?after=x").status == 400)
      #expect(try stand.control("DELETE", "requests").status == 200)
      #expect(try stand.control("GET", "effects").json == ["effects": []])
      // Who asks for the requests after the last one goes on.
      try stand.data(["events": [Stand.event("ce", ["n": "y"])]])
      let next = try stand.control("GET", "requests?after=1").json?["requests"]?.array
      #expect(next?.map { $0["number"] } == [2])
    }
  }

  @Test("a seed request resets the items and the record")
  func seed() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let first = try await stand.emulator.items(of: "braze")
      #expect(try stand.control("POST", "seed", ["seed": 8]).json?["seed"] == 8)
      #expect(try await stand.emulator.items(of: "braze") != first)
      try stand.data(["events": [Stand.event("ce", ["n": "x"])]])
      _ = try stand.control("POST", "seed", ["seed": 7])
      #expect(try await stand.emulator.items(of: "braze") == first)
      #expect(await stand.emulator.effects().isEmpty)
      #expect(try stand.control("POST", "seed", ["seed": "seven"]).status == 400)
    }
  }

  @Test(
    "the control interface moves or sets the clock",
    arguments: [
      (["advance": 3_600], "2026-11-22T01:00:00.000Z"),
      (["advance": "P1DT1H"], "2026-11-23T01:00:00.000Z"),
      (["advance": -60], "2026-11-21T23:59:00.000Z"),
      (["now": "2030-01-01T00:00:00Z"], "2030-01-01T00:00:00.000Z"),
    ] as [(JSON, String)])
  func clock(change: JSON, time: String) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      #expect(try stand.control("POST", "clock", change).json?["clock"] == .string(time))
    }
  }

  @Test(
    "an invalid control request is refused with an error",
    arguments: [
      ("clock", [:]), ("clock", ["now": "soon"]), ("clock", ["advance": 1e30]),
      ("offline", ["offline": "yes"]), ("push/braze", ["x": 1]), ("seed", [:]),
    ] as [(String, JSON)])
  func refusals(path: String, body: JSON) async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let answer = try stand.control("POST", path, body)
      #expect(answer.status == 400 && answer.json?["error"]?.string?.isEmpty == false)
    }
  }

  @Test("the control interface loads, shows and removes a fault script and names a wrong field")
  func faults() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      let script: JSON = ["faults": [["fault": "status", "status": 502, "times": "always"]]]
      #expect(try stand.control("PUT", "faults", script).status == 200)
      #expect(try stand.control("GET", "faults").json == script)
      let request = RawRequest("POST", "/api/v3/data", Stand.body())
      #expect(try request.send(to: stand.braze).status == 502)
      let wrong = try stand.control("PUT", "faults", ["faults": [["fault": "statsu"]]])
      #expect(wrong.status == 400)
      #expect(wrong.json?["error"]?.string?.contains("faults[0].fault") == true)
      #expect(try request.send(to: stand.braze).status == 502)
      #expect(try stand.control("DELETE", "faults").status == 200)
      #expect(try request.send(to: stand.braze).status == 201)
    }
  }

  @Test("the control interface changes settings, sends pushes and switches the network off")
  func rest() async throws {
    try await Stand.run(vendors: ["braze"]) { stand async throws in
      #expect(try stand.control("PATCH", "settings/braze", ["cardsEnabled": false]).status == 200)
      #expect(try stand.sync()["cards"] == [])
      #expect(try stand.control("PATCH", "settings/braze", ["x": 1]).status == 400)
      let push = try stand.control("POST", "push/braze", ["title": "T"])
      #expect(push.json?["aps"]?["alert"]?["title"] == "T")
      #expect(try stand.control("POST", "offline", ["offline": true]).json?["offline"] == true)
      let (_, end) = try RawRequest("POST", "/", [:]).receiveAll(from: stand.braze)
      #expect(end == .reset)
    }
  }
}
