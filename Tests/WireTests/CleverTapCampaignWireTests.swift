import EngagementEmulator
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Campaigns and templates between the adapter and the vendor's server.
@Suite("CleverTap's campaigns over the wire", .timeLimit(.minutes(5)))
struct CleverTapCampaignWireTests {
  @Test("C4: the definitions reach the dashboard as the vendor's clients write them")
  func templates() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      try await engagement.syncTemplates(with: CleverTapWireScene.provider)
      #expect(await scene.effects("defineTemplates") == ["offer", "rate"])
      let request = try #require(
        scene.network.requests.last { $0.url.contains("/defineTemplates?") })
      let body = try #require(try JSON(parsing: request.body ?? []).array)
      #expect(body.count == 2 && body.first?["type"] == "meta")
      #expect(body.last == Self.payload)
    }
    try await scene.end()
  }

  private static let payload: JSON = [
    "type": "templatePayload",
    "definitions": [
      "offer": [
        "type": "template",
        "vars": [
          "title": ["defaultValue": "Offer", "type": "string", "order": 0],
          "price.amount": ["defaultValue": 1, "type": "number", "order": 1],
          "isUrgent": ["defaultValue": true, "type": "boolean", "order": 2],
          "picture": ["type": "file", "order": 3], "open": ["type": "action", "order": 4],
        ],
      ], "rate": ["type": "function", "vars": [:]],
    ],
  ]

  @Test("C4: a profile that is no test profile is told what to mark, and a release sends nothing")
  func refusedTemplates() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["testProfiles": false])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      let error = await #expect(throws: EngagementError.self) {
        try await engagement.syncTemplates(with: CleverTapWireScene.provider)
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.message.contains("test profile") == true)
    }
    let before = await scene.emulator.requests().count
    try await scene.run(debug: false) { engagement in
      let error = await #expect(throws: EngagementError.self) {
        try await engagement.syncTemplates(with: CleverTapWireScene.provider)
      }
      #expect(error?.code == .unsupported)
    }
    #expect(await scene.lines(after: before) == [])
    #expect(await scene.emulator.times("defineTemplates") == 0)
    try await scene.end()
  }

  /// The beginning of each PNG.
  private static let signature = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

  @Test("C8 C9: a campaign of the device is shown with its file, and told as viewed and clicked")
  func clientSide() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.put(
      [
        "file": "cup.png", "contentType": "image/png", "size": 20_000,
        "base64": .string(Self.signature.base64EncodedString()),
      ], in: "clevertap")
    try await scene.put(
      70, on: "Table chosen",
      [
        "vars": [
          "title": "For you", "picture": "{files}/cup.png",
          "open": ["actions": ["type": "close"]],
        ]
      ])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      scene.presenter.choose("open")
      try await engagement.track("Table chosen")
      try await scene.present(engagement)
      try await scene.settle(engagement)
      let downloads = await scene.effects("download")
      #expect(downloads.filter { $0 == "cup.png" }.count == 1, "it is fetched when it is listed")
      let shown = try #require(scene.presenter.shown.first)
      #expect((shown.campaign, shown.title) == ("70", "For you"))
      let file = try #require(shown.picture)
      let bytes = try Data(contentsOf: URL(filePath: file))
      #expect(bytes.count == 20_000 && bytes.starts(with: Self.signature))
    }
    let viewed = await scene.effects("Notification Viewed")
    #expect(viewed.count == 1 && viewed[0].hasPrefix("70_"), "\(viewed)")
    #expect(await scene.effects("Notification Clicked") == viewed)
    try await scene.end()
  }

  @Test("C8: an image of a message is fetched once, and is there without a network")
  func imageOfMessage() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.put(
      [
        "file": "shoe.png", "contentType": "image/png", "size": 5_000,
        "base64": .string(Self.signature.base64EncodedString()),
      ], in: "clevertap")
    try await scene.emulator.put(
      ["msg": ["content": [["media": ["url": "{files}/shoe.png", "content_type": "image/png"]]]]],
      in: "clevertap")
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.inbox)
      let address = try #require(engagement.inbox.messages.compactMap(\.imageURLText).first)
      let path = try await engagement.imageFile(at: address)
      #expect(try Data(contentsOf: URL(filePath: path)).count == 5_000)
      try await scene.emulator.load(EmulatorFaults(json: ["faults": [["fault": "resetBefore"]]]))
      #expect(try await engagement.imageFile(at: address) == path)
      #expect(await scene.effects("download") == ["shoe.png"])
    }
    try await scene.end()
  }

  @Test("C9: an announced campaign is told as evaluated once, and shown when it is delivered")
  func serverSide() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["deliveryMode": "SS"])
    try await scene.put(71, on: "Table chosen", ["delivery": "inapp_notifs_ss"])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      try await engagement.track("Table chosen")
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == [])
      try await scene.settle(engagement)
      #expect(await scene.effects("inapps_eval") == ["71"])
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == ["71"])
      try await engagement.track("Another")
      try await scene.settle(engagement)
      #expect(await scene.effects("inapps_eval") == ["71"], "it is told once")
    }
    try await scene.end()
  }

  @Test("C9: what was evaluated is told after a restart, also where the answer to it was lost")
  func toldAfterRestart() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["deliveryMode": "SS"])
    try await scene.put(72, on: "Table chosen", ["delivery": "inapp_notifs_ss"])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      try await engagement.track("Table chosen")
    }
    try await scene.run { engagement in
      try await scene.emulator.load(
        try EmulatorFaults(json: ["faults": [["fault": "resetAfter"]]]))
      await engagement.deliver(to: CleverTapWireScene.provider)
      #expect(await scene.effects("inapps_eval") == ["72"])
      try await scene.settle(engagement)
      #expect(await scene.effects("inapps_eval") == ["72", "72"], "the first answer was lost")
      try await engagement.track("Another")
      try await scene.settle(engagement)
      #expect(await scene.effects("inapps_eval").count == 2)
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == ["72"])
    }
    try await scene.end()
  }

  @Test("C9: a suppressed campaign is not shown, and told once")
  func suppressed() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.put(
      73, on: "Table chosen", ["suppressed": true, "wzrk_cgId": 3, "wzrk_pivot": "wzrk_control"])
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      try await engagement.track("Table chosen")
      try await scene.present(engagement)
      try await scene.settle(engagement)
      try await engagement.track("Another")
      try await scene.settle(engagement)
    }
    #expect(scene.presenter.campaigns == [])
    let told = await scene.effects("inapps_suppressed")
    #expect(told.count == 1 && told[0].hasPrefix("73_"), "\(told)")
    try await scene.end()
  }

  @Test("C9: the vendor's caps end the presentations of a day, and a new day begins anew")
  func caps() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["imc": 5, "imp": 1])
    for id in [74, 75] as [Int64] { try await scene.put(id, on: "Event \(id)") }
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      for event in ["Event 74", "Event 75"] {
        try await engagement.track(event)
        try await scene.present(engagement)
        try await scene.settle(engagement)
      }
      #expect(scene.presenter.campaigns == ["74"])
      await scene.advance(by: .seconds(86_400))
      try await engagement.track("Event 75")
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == ["74", "75"])
    }
    try await scene.end()
  }

  @Test(
    "C9: a campaign of a place, and one on a nested property, are due where the vendor's clients have them"
  )
  func placeAndNested() async throws {
    let scene = try await CleverTapWireScene()
    for (id, place) in [(81, 42.69), (82, 10)] as [(Int64, Double)] {
      try await scene.put(
        id, on: "Ignored",
        [
          "whenTriggers": [
            [
              "eventName": "Visit",
              "geoRadius": [["lat": .number(place), "lng": 23.32, "rad": 5]],
              "eventProperties": [
                ["propertyName": "shop.city", "operator": 1, "propertyValue": ["Sofia"]]
              ],
            ]
          ]
        ])
    }
    try await scene.run(location: .init(latitude: 42.7, longitude: 23.32)) { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      try await engagement.track("Visit", ["shop": ["city": "Varna"]])
      try await engagement.track("Visit", ["shop": ["city": "Sofia"]])
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == ["81"])
    }
    try await scene.end()
  }

  @Test("C9: the vendor's cap of a session ends with the session")
  func sessionCap() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.emulator.configure("clevertap", ["imc": 1, "imp": 10])
    for id in [77, 78] as [Int64] { try await scene.put(id, on: "Event \(id)") }
    try await scene.run { engagement in
      engagement.setScenePhase(.active)
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      for event in ["Event 77", "Event 78"] {
        try await engagement.track(event)
        try await scene.present(engagement)
        try await scene.settle(engagement)
      }
      #expect(scene.presenter.campaigns == ["77"])
      engagement.setScenePhase(.background)
      await scene.advance(by: .seconds(1_201))
      engagement.setScenePhase(.active)
      try await engagement.track("Event 78")
      try await scene.present(engagement)
      #expect(scene.presenter.campaigns == ["77", "78"])
    }
    try await scene.end()
  }

  @Test("C9: the header counts what was presented, of each campaign, of today and of all time")
  func header() async throws {
    let scene = try await CleverTapWireScene()
    for id in [79, 80] as [Int64] { try await scene.put(id, on: "Event \(id)") }
    func meta() throws -> JSON {
      let request = try #require(scene.network.requests.last { $0.url.contains("/a1?") })
      return try #require(try JSON(parsing: request.body ?? []).array?.first)
    }
    func show(_ id: Int64, _ engagement: Engagement) async throws {
      try await engagement.track("Event \(id)")
      try await scene.present(engagement)
      // The batch with the view was composed after the presentation.
      try await scene.settle(engagement)
    }
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      try await show(79, engagement)
      #expect(try meta()["imp"] == 1)
      #expect(try meta()["tlc"] == [["79", 1, 1]])
      try await show(80, engagement)
      try await show(79, engagement)
      #expect(try meta()["imp"] == 3)
    }
    await scene.advance(by: .seconds(86_400))
    try await scene.run { engagement in
      try await show(80, engagement)
      #expect(try meta()["imp"] == 1, "yesterday's do not count after a restart either")
      let counts = try #require(try meta()["tlc"]?.array)
      #expect(Set(counts) == [["79", 0, 2], ["80", 1, 2]])
    }
    try await scene.end()
  }

  @Test("C9: a campaign that the vendor removed is no longer due")
  func stale() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.put(76, on: "Table chosen")
    try await scene.run { engagement in
      try await scene.arrive(engagement)
      _ = await engagement.refresh(.campaigns)
      _ = try await scene.emulator.remove("76", from: "clevertap")
      try await engagement.track("Another")
      try await scene.settle(engagement)
      try await engagement.track("Table chosen")
      try await scene.present(engagement)
    }
    #expect(scene.presenter.campaigns == [])
    try await scene.end()
  }
}
