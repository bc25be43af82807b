import EngagementEmulator
import EngagementModel
import Testing

@Suite(.timeLimit(.minutes(20))) struct CleverTapTemplateTests {
  private static let path = "/defineTemplates"
  private static let offer: JSON = [
    "type": "template",
    "vars": [
      "title": ["type": "string", "defaultValue": "", "order": 0],
      "price.amount": ["type": "number", "defaultValue": 2.5, "order": 1],
      "isUrgent": ["type": "boolean", "defaultValue": false, "order": 2],
      "picture": ["type": "file", "order": 3], "open": ["type": "action", "order": 4],
    ],
  ]

  private static func payload(_ definitions: JSON) -> JSON {
    ["type": "templatePayload", "definitions": definitions]
  }

  @Test("X18 C4: templates are defined, with the query or without, and each is an effect")
  func define() async throws {
    try await CleverTapPhone.run { stand, original async throws in
      var phone = original
      let function: JSON = ["type": "function", "vars": [:]]
      let payload = Self.payload(["offer": Self.offer, "log": function])
      for query in [original.query, ""] {
        phone.query = query
        #expect(try phone.good([payload], path: Self.path) == [:])
      }
      #expect(await stand.effects() == ["defineTemplates offer": 2, "defineTemplates log": 2])
    }
  }

  @Test("C4: a profile that is no test profile gets the vendor's 401")
  func production() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.configure("clevertap", ["testProfiles": false])
      let answer = try phone.send([Self.payload(["offer": Self.offer])], path: Self.path)
      #expect(answer.status == 401 && answer.json?["error"]?.string?.isEmpty == false)
      #expect(await stand.effects().isEmpty)
    }
  }

  private static func argument(_ argument: JSON, _ type: String = "template") -> JSON {
    payload(["offer": ["type": .string(type), "vars": ["a": argument]]])
  }

  @Test(
    "C4: a definition that no client sends is refused",
    arguments: [
      [], ["type": "varsPayload", "vars": [:]], payload([]),
      payload(["ctsystem_openurl": offer]), payload(["": offer]), payload(["offer": [:]]),
      payload(["offer": ["type": "card", "vars": [:]]]),
      payload(["offer": ["type": "template", "vars": [:], "isVisual": true]]),
      argument(["type": "string", "order": 0]), argument(["type": "string", "defaultValue": ""]),
      argument(["type": "string", "defaultValue": 1, "order": 0]),
      argument(["type": "number", "defaultValue": "1", "order": 0]),
      argument(["type": "boolean", "defaultValue": 1, "order": 0]),
      argument(["type": "file", "defaultValue": "x", "order": 0]),
      argument(["type": "action", "defaultValue": "x", "order": 0]),
      argument(["type": "action", "order": 0], "function"),
      argument(["type": "object", "order": 0]), argument(["type": "file", "order": 1]),
      argument(["type": "file", "order": 0, "name": "a"]),
    ] as [JSON])
  func refused(payload: JSON) async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let items = payload.array == nil ? [payload] : []
      #expect(try phone.send(items, path: Self.path).status == 400)
      #expect(await stand.effects().isEmpty)
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct CleverTapFileTests {
  private static func file(_ name: String, _ phone: CleverTapPhone) throws -> RawAnswer {
    try RawRequest("GET", "/files/\(name)").send(to: phone.endpoint)
  }

  @Test("X18: the seeded files are a picture, an animation and a text")
  func seeded() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      let picture = try Self.file("stamp.png", phone)
      #expect(picture.status == 200 && picture.header("Content-Type") == "image/png")
      #expect(picture.body.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
      #expect(try Self.file("steam.gif", phone).body.starts(with: Array("GIF89a".utf8)))
      #expect(try Self.file("terms.txt", phone).text.contains("Ten stamps"))
      #expect(await stand.effects().values.reduce(0, +) == 3)
      #expect(await stand.emulator.times("download", of: "stamp.png") == 1)
    }
  }

  @Test("X18: a file is put with its size, its type, its status or a redirect, and removed")
  func put() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      try await stand.emulator.put(
        ["file": "a.txt", "text": "abc", "size": 5, "contentType": "text/plain"], in: "clevertap")
      let answer = try Self.file("a.txt", phone)
      #expect(answer.body == Array("abc".utf8) + [0, 0])
      #expect(answer.header("Content-Type") == "text/plain")
      try await stand.emulator.put(["file": "b", "base64": "/w==", "status": 503], in: "clevertap")
      #expect(try Self.file("b", phone).status == 503)
      #expect(try Self.file("b", phone).body == [0xff])
      try await stand.emulator.put(["file": "a.txt", "redirect": "/files/b"], in: "clevertap")
      let redirect = try Self.file("a.txt", phone)
      #expect(redirect.status == 302 && redirect.header("Location") == "/files/b")
      let items = try await stand.emulator.items(of: "clevertap")
      #expect(items.count { $0["file"] != nil } == 5)
      #expect(try await stand.emulator.remove("b", from: "clevertap"))
      #expect(try Self.file("b", phone).status == 404)
    }
  }

  @Test("X18: a download that carries the account is refused")
  func secrets() async throws {
    try await CleverTapPhone.run { stand, phone async throws in
      var request = RawRequest("GET", "/files/stamp.png")
      request.headers = [CleverTapPhone.account[1]]
      #expect(try request.send(to: phone.endpoint).status == 400)
      #expect(await stand.effects().isEmpty)
    }
  }

  @Test(
    "X18: a file that cannot be is refused",
    arguments: [
      ["file": ""], ["file": "a/b"], ["file": "a", "base64": "%"], ["file": "a", "size": -1],
      ["file": "a", "text": "abc", "size": 2], ["file": "a", "status": 99], ["file": "a", "x": 1],
    ] as [JSON])
  func refused(item: JSON) async throws {
    try await CleverTapPhone.run { stand, _ async throws in
      await #expect(throws: EngagementError.self) {
        try await stand.emulator.put(item, in: "clevertap")
      }
      #expect(try await stand.emulator.items(of: "clevertap").count { $0["file"] != nil } == 3)
    }
  }
}
