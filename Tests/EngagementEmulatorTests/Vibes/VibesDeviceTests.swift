import EngagementEmulator
import EngagementModel
import EngagementVendors
import Testing

@Suite(.timeLimit(.minutes(20))) struct VibesDeviceTests {
  @Test("X18: a device is registered, updated and unregistered")
  func lifecycle() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      #expect(try device.own("PATCH", "", VibesDevice.details).status == 204)
      #expect(try device.call("GET", "").json == ["app_id": "demo", "inbox_enabled": true])
      #expect(try device.own("DELETE", "").status == 204)
      #expect(try device.own("GET", "/person").status == 401)
      let names = await stand.emulator.requests().flatMap(\.effects).map(\.name)
      #expect(names == ["register", "update", "unregister"])
    }
  }

  @Test("the base path of the vendor is optional")
  func base() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      #expect(try VibesDevice(stand, prefix: "/demo").call("GET", "").status == 200)
    }
  }

  @Test("each registration creates a new device")
  func twice() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let (first, second) = (try VibesDevice(stand), try VibesDevice(stand))
      #expect(first.id != second.id && first.token != second.token)
      #expect(await stand.emulator.times("register") == 2)
      first.token = second.token
      #expect(try first.own("GET", "/person").status == 404)
    }
  }

  @Test(
    "an invalid device is refused in the vendor's error format",
    arguments: [nil, [:], ["device": [:]], ["device": ["os": "webOS"]]] as [JSON?])
  func refused(body: JSON?) async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let answer = try RawRequest("POST", "/mobile_apps/demo/devices", body ?? .null)
        .send(to: stand.emulator.endpoint(of: "vibes"))
      #expect(answer.status == 422)
      #expect(answer.json?["errors"]?.array?.first?["message"]?.string?.isEmpty == false)
    }
  }

  @Test("an expired token can renew itself, and the old token is refused afterwards")
  func renewal() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      try await stand.emulator.configure("vibes", ["tokenLifetime": 3_600])
      let device = try VibesDevice(stand)
      #expect(try device.own("GET", "/person").status == 200)
      await stand.emulator.advanceClock(by: .seconds(3_600))
      #expect(try device.own("GET", "/person").status == 401)
      let answer = try device.own("PUT", "", VibesDevice.details)
      #expect(answer.json?["device"]?["vibes_device_id"] == .string(device.id))
      let old = device.token
      device.token = try #require(answer.json?["auth_token"]?.string)
      #expect(device.token != old)
      #expect(try device.own("GET", "/person").status == 200)
      try await stand.emulator.configure("vibes", ["expireTokens": true, "tokenLifetime": .null])
      #expect(try device.own("GET", "/person").status == 401)
      device.token = old
      #expect(try device.own("PUT", "", VibesDevice.details).status == 401)
      #expect(!"\(await stand.emulator.requests())".contains(old))
    }
  }

  @Test("a push token registered twice is one effect, and it can be unregistered")
  func push() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      for token in ["00FF", "00FF", "11EE"] {
        let body: JSON = ["device": ["push_token": .string(token)]]
        #expect(try device.own("POST", "/push_registration", body).status == 204)
      }
      #expect(try device.own("POST", "/push_registration", [:]).status == 422)
      for _ in 0..<2 { #expect(try device.own("DELETE", "/push_registration").status == 204) }
      #expect(await stand.emulator.times("push_register", of: device.id) == 2)
      #expect(await stand.emulator.times("push_unregister", of: device.id) == 1)
    }
  }

  @Test(
    "an unknown external id is assigned to the person, and a known one moves the device to its person"
  )
  func assign() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let (first, second) = (try VibesDevice(stand), try VibesDevice(stand))
      #expect(try first.person()["external_person_id"] == .null)
      let ada: JSON = ["external_person_id": "ada"]
      #expect(try first.own("POST", "/assign", ada).json?["external_person_id"] == "ada")
      #expect(try first.person() != second.person())
      #expect(try second.own("POST", "/assign", ada).status == 200)
      #expect(try first.person() == second.person())
      #expect(try second.own("POST", "/assign", ada).status == 200)
      #expect(await stand.emulator.times("assign") == 2)
      #expect(try first.own("POST", "/assign", ["person_key": "nobody"]).status == 404)
      #expect(try first.own("POST", "/assign", ["external_person_id": ""]).status == 422)
    }
  }

  @Test("a batch holds events of one type, and each uuid counts once")
  func events() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      func send(_ events: [JSON], type: String?) throws -> Int {
        try device.own("POST", "/events", ["events": .array(events)], type: type).status
      }
      let open = VibesDevice.event("e-1", "inbox_open", message: "m")
      #expect(try send([open, VibesDevice.event("e-2", "inbox_open")], type: "inbox_open") == 200)
      #expect(try send([open], type: "inbox_open") == 200)
      #expect(await stand.emulator.times("inbox_open") == 2)
      #expect(await stand.emulator.times("inbox_open", of: "m") == 1)
      let launch = VibesDevice.event("e-3", "launch")
      #expect(try send([launch, open], type: "launch") == 422)
      #expect(try send([], type: "launch") == 422)
      #expect(try send([launch], type: nil) == 422)
      #expect(try send([launch], type: "clickthru") == 422)
      var wrong = try #require(launch.object)
      wrong["timestamp"] = "yesterday"
      #expect(try send([.object(wrong)], type: "launch") == 422)
      wrong["timestamp"] = "2026-11-22T02:00:00+02:00"
      #expect(try send([.object(wrong)], type: "launch") == 200)
      #expect(await stand.emulator.times("launch", of: "e-3") == 1)
    }
  }

  @Test("a migration callback counts once for its item")
  func migration() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let device = try VibesDevice(stand)
      let body: JSON = ["migration_item_id": "i", "vibes_device_id": .string(device.id)]
      #expect(try device.call("PUT", "/migrations/callbacks", body).status == 204)
      #expect(try device.call("PUT", "/migrations/callbacks", [:]).status == 422)
      #expect(await stand.emulator.times("migrate", of: "i") == 1)
    }
  }

  @Test("shop tracking needs no token and refuses an invalid list")
  func track() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let endpoint = stand.emulator.endpoint(of: "vibes")
      let list =
        "%5B%7B%22action%22:%22add%22,%22personId%22:%22p%22,%22data%22:%7B%22id%22:%22x%22%7D%7D%5D"
      #expect(try RawRequest("GET", "/track?d=\(list)").send(to: endpoint).status == 204)
      #expect(try RawRequest("GET", "/track?d=x").send(to: endpoint).status == 400)
      #expect(await stand.emulator.times("track.add", of: "x", by: "p") == 1)
    }
  }

  @Test("R-V-2: shop tracking takes a value with an ampersand as the vendor's client sends it")
  func ampersand() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      let endpoint = stand.emulator.endpoint(of: "vibes")
      let list =
        "%5B%7B%22action%22:%22add%22,%22data%22:%7B%22id%22:%22T%C3%A9%20&%20cake=1%22%7D%7D%5D"
      #expect(try RawRequest("GET", "/track/?d=\(list)").send(to: endpoint).status == 204)
      #expect(await stand.emulator.times("track.add", of: "Té & cake=1") == 1)
      for query in ["d=&", "d", "x=1&d=%5B&", "e=\(list)"] {
        #expect(try RawRequest("GET", "/track?\(query)").send(to: endpoint).status == 400)
      }
    }
  }

  @Test("an unknown path gives a 404 that lists the known paths")
  func unknownPath() async throws {
    try await Stand.run(vendors: ["vibes"]) { stand async throws in
      for (method, path) in [("GET", "/"), ("POST", "/mobile_apps"), ("GET", "/a/b/c/d/e/f")] {
        let answer = try RawRequest(method, path).send(to: stand.emulator.endpoint(of: "vibes"))
        #expect(answer.status == 404)
        #expect(answer.json?["paths"]?.array?.contains("GET /mobile_apps/{app}") == true)
      }
    }
  }
}
