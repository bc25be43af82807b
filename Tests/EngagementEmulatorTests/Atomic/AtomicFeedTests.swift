import EngagementAtomicTools
import EngagementEmulator
import EngagementModel
import EngagementVendors
import Testing

/// Feeds, filters and metrics of the emulated Atomic.
@Suite(.timeLimit(.minutes(20))) struct AtomicFeedTests {
  @Test("X18: the seed gives cards, and a client gets no member that is the marketer's own")
  func seed() async throws {
    try await Stand.run(vendors: ["atomic"]) { stand async throws in
      let items = try await stand.emulator.items(of: "atomic")
      #expect(items.count == 4 && items.allSatisfy { $0["payload"] != nil })
      let cards = try AtomicPhone(stand).feed()
      #expect(cards.count == 4)
      #expect(try AtomicPhone(stand).feed("Xy12").count == 3, "one is in a single container")
      for card in cards {
        let keys = card.object?.members.map(\.key)
        #expect(
          keys == [
            "instance", "actions", "metadata", "runtimeVariables", "defaultView", "subviews",
          ])
      }
      #expect(cards.first?["instance"]?["eventName"] == "brunch", "the highest priority")
    }
  }

  @Test("cards are sorted by priority, then by when they were active, then by when they came")
  func order() async throws {
    func card(_ id: String, _ priority: JSON, _ active: String, _ received: String) -> JSON {
      Stand.card(
        id,
        [
          "metadata": [
            "priority": priority, "lastCardActiveTime": .string(active),
            "receivedAt": .string(received),
          ]
        ])
    }
    let (early, late) = ("2026-10-01T09:00:00.000Z", "2026-10-01T10:00:00.000Z")
    let cards = [
      card("5", 5, early, early), card("4", 5, early, late), card("3", 5, late, early),
      card("2", 1, early, early), card("6", 10, late, late),
    ]
    try await Stand.runAtomic(cards: cards) { stand async throws in
      #expect(try AtomicPhone(stand).ids() == ["2", "3", "4", "5", "6"])
    }
  }

  private static let filtered: [JSON] = [
    Stand.card(
      "1",
      [
        "metadata": ["priority": 1], "created": "2026-10-01T00:00:00.000Z",
        "cardTemplateId": "t1", "cardTemplateName": "Bill",
        "payload": ["detail": ["tier": "gold", "special": true, "count": 3]],
      ]),
    Stand.card(
      "5",
      [
        "metadata": ["priority": 5], "created": "2026-11-01T00:00:00.000Z",
        "cardTemplateId": "t2", "cardTemplateName": "Note",
        "payload": ["detail": ["tier": "silver", "special": false, "count": 7.5]],
      ]),
    Stand.card("9", ["metadata": ["priority": 9], "created": "2026-11-20T00:00:00.000Z"]),
  ]

  @Test(
    "a filter has its effect, over HTTP and on the socket",
    arguments: [
      (["metadata.priority__eq": 5], "5"), (["metadata.priority__ne": 5], "1 9"),
      (["metadata.priority__gt": 5], "9"), (["metadata.priority__gte": 5], "5 9"),
      (["metadata.priority__lt": 5], "1"), (["metadata.priority__lte": 5], "1 5"),
      (["metadata.priority__in": [1, 9]], "1 9"), (["metadata.priority__nin": [1, 9]], "5"),
      (["metadata.priority__between": [1, 5]], "1 5"),
      (["metadata.priority__between": [6, 2]], ""),
      (["metadata.created__gte": "2026-11-01T00:00:00.000Z"], "5 9"),
      (["metadata.created__lt": "2026-11-01T00:00:00Z"], "1"),
      (["metadata.created__nin": ["2026-11-01T00:00:00Z"]], "1 9"),
      (["metadata.created__between": ["2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"]], "1 5"),
      (["metadata.cardTemplateId__eq": "t1"], "1"),
      (["metadata.cardTemplateName__in": ["Bill", "Note"]], "1 5"),
      (["metadata.cardTemplateName__nin": ["Bill"]], "5 9"),
      (["variables.tier__in": ["gold", "bronze"]], "1"), (["variables.tier__ne": "gold"], "5 9"),
      (["variables.special__eq": true], "1"), (["variables.special__ne": true], "5 9"),
      (["variables.count__gt": 3], "5"), (["variables.count__between": [3, 7.5]], "1 5"),
      (["variables.unknown__eq": 1], ""), ([:], "1 5 9"),
      (["metadata.priority__gt": 1, "variables.special__ne": true], "5 9"),
    ] as [(JSON, String)])
  func filters(filters: JSON, ids: String) async throws {
    try await Stand.runAtomic(cards: Self.filtered) { stand async throws in
      let phone = AtomicPhone(stand)
      let expected = ids.split(separator: " ").map(String.init)
      #expect(try phone.ids(filters: filters.encodedText.replacing("\"", with: "%22")) == expected)
      #expect(try phone.authenticatedSocket().subscribe(filters: filters) == expected)
    }
  }

  @Test(
    "a filter with an unknown field, or an operator that its type does not have, is refused",
    arguments: [
      [1], "x", ["priority__eq": 5], ["metadata.priority": 5], ["metadata.title__eq": "x"],
      ["metadata.priority__like": 5], ["metadata.priority__eq": "5"],
      ["metadata.priority__eq": 11], ["metadata.priority__eq": 1.5],
      ["metadata.priority__in": 5], ["metadata.priority__eq": [5]],
      ["metadata.priority__between": [1]], ["metadata.priority__between": [1, 2, 3]],
      ["metadata.created__eq": "soon"],
      ["metadata.created__in": ["soon"]],
      ["metadata.cardTemplateId__gt": "t"], ["metadata.cardTemplateId__eq": 5],
      ["variables.tier__gt": "gold"], ["variables.special__in": [true]],
      ["variables.special__lt": true], ["variables.count__in": [1, "2"]],
      ["variables.tier__eq": .null], ["variables.__eq": 1],
    ] as [JSON])
  func refusedFilters(filters: JSON) async throws {
    try await Stand.runAtomic(cards: Self.filtered) { stand async throws in
      let phone = AtomicPhone(stand)
      let text = filters.encodedText.replacing("\"", with: "%22")
      #expect(try phone.call("GET", "feed/BqWL1sT?filters=\(text)").status == 400)
      let socket = try phone.authenticatedSocket()
      socket.send(
        "subscribe",
        [
          "data": [
            "subscriptions": [
              ["subscriptionId": "s1", "streamContainerId": "BqWL1sT", "filters": filters]
            ]
          ]
        ])
      let error = try #require(socket.next())
      #expect(error["messageType"] == "error" && error["data"]?["errorType"] == "invalid-filter")
      #expect(error["data"]?["subscriptionId"] == "s1")
      #expect(error["data"]?["errorMessage"]?.string?.isEmpty == false)
    }
  }

  @Test("an id that is no container's is refused, and so is one that the settings do not list")
  func containers() async throws {
    try await Stand.runAtomic { stand async throws in
      let phone = AtomicPhone(stand)
      #expect(try phone.call("GET", "feed/no%20container").status == 404)
      #expect(try phone.call("GET", "theme/no%20container").status == 404)
      try await stand.emulator.configure("atomic", ["containers": ["BqWL1sT"]])
      #expect(try phone.call("GET", "feed/Xy12").status == 404)
      #expect(try phone.ids().isEmpty)
    }
  }

  @Test("metrics count active cards in all and by container, and a displayed card is seen")
  func metrics() async throws {
    let cards = [
      Stand.card("1", options: ["targetStreamIds": ["BqWL1sT"]]),
      Stand.card("2", options: ["targetStreamIds": ["BqWL1sT", "Xy12"]]),
      Stand.card("3", options: ["embargo": "2026-11-22T01:00:00.000Z"]),
    ]
    try await Stand.runAtomic(cards: cards) { stand async throws in
      let phone = AtomicPhone(stand)
      func metrics() throws -> JSON? {
        try phone.call("GET", "user-metrics").json?["aggregates"]?["cards"]
      }
      #expect(
        try metrics() == [
          "total": ["active": 2, "unseenCardInstanceIds": ["1", "2"]],
          "byContainer": [
            ["containerId": "BqWL1sT", "active": 2, "unseenCardInstanceIds": ["1", "2"]],
            ["containerId": "Xy12", "active": 1, "unseenCardInstanceIds": ["2"]],
          ],
        ])
      let event = AtomicEventSample.json("e1", card: "2")
      #expect(try phone.call("PUT", "analytics", ["data": [event]]).status == 200)
      #expect(try phone.act("snooze", "1", ["interval": "PT60S"]).status == 200)
      #expect(try metrics()?["total"] == ["active": 1, "unseenCardInstanceIds": []])
      await stand.emulator.advanceClock(by: .seconds(3_599))
      #expect(try metrics()?["total"] == ["active": 2, "unseenCardInstanceIds": ["1"]])
    }
  }

  @Test("a marketer's change arrives, keeps the other members, and an invalid one is refused")
  func items() async throws {
    try await Stand.runAtomic(cards: [Stand.card("1", ["metadata": ["title": "Old"]])]) {
      stand async throws in
      let phone = AtomicPhone(stand)
      try await stand.emulator.put(
        Stand.card("1", ["metadata": ["title": "New"]]), in: "atomic")
      let metadata = try phone.feed().first?["metadata"]
      #expect(metadata?["title"] == "New" && metadata?["receivedAt"]?.string != nil)
      let added = try await stand.emulator.put(["metadata": ["priority": 1]], in: "atomic")
      #expect(try phone.ids() == [added.instanceID, "1"])
      #expect(try await stand.emulator.remove("1", from: "atomic"))
      #expect(try phone.ids() == [added.instanceID])
      for item: JSON in [
        [], ["instance": ["id": ""]], ["instance": ["id": 5]], ["metadata": ["priority": 11]],
        ["metadata": ["receivedAt": "soon"]], ["payload": ["cardOptions": ["embargo": 5]]],
        ["payload": ["cardOptions": ["targetStreamIds": "BqWL1sT"]]],
      ] {
        await #expect(throws: EngagementError.self) {
          try await stand.emulator.put(item, in: "atomic")
        }
      }
      #expect(try await stand.emulator.items(of: "atomic").count == 1)
    }
  }

  @Test("an embargoed card comes at its time, and one that expires goes")
  func times() async throws {
    let cards = [
      Stand.card("1", options: ["embargo": "2026-11-22T01:00:00.000Z"]),
      Stand.card("2", options: ["expires": "2026-11-22T02:00:00.000Z"]),
    ]
    try await Stand.runAtomic(cards: cards) { stand async throws in
      let phone = AtomicPhone(stand)
      #expect(try phone.ids() == ["2"])
      #expect(try phone.act("dismiss", "1").status == 404)
      await stand.emulator.advanceClock(by: .seconds(3_600))
      #expect(try phone.ids().sorted() == ["1", "2"])
      await stand.emulator.advanceClock(by: .seconds(3_600))
      #expect(try phone.ids() == ["1"])
      #expect(try phone.act("dismiss", "2").status == 409)
    }
  }

  @Test("made-up items fill a feed")
  func madeUp() async throws {
    let emulator = try await Emulator.start(
      .init([.atomic], seed: 7, itemCount: 50, clock: Stand.start))
    let ids = try AtomicPhone(Stand(emulator: emulator)).ids()
    #expect(ids.count == 50 && Set(ids).count == 50)
    await emulator.stop()
  }
}
