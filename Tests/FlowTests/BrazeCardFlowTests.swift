import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flows 6 and 7: what a sync does to the cards, and what the user does meanwhile.
@Suite struct BrazeCardFlowTests {
  // MARK: A delta

  private static let first = BrazeScene.sync(
    full: true,
    [
      BrazeScene.card("aged"), BrazeScene.card("changed"), BrazeScene.card("gone"),
      BrazeScene.card("seen", #","v":1,"cl":true"#), BrazeScene.card("trial", #","t":true"#),
    ])

  private static let delta = BrazeScene.sync(
    full: false,
    [
      #"{"id":"aged","ca":99,"tt":"Too late","v":true}"#,
      #"{"id":"changed","ca":110,"tt":"Changed"}"#,
      #"{"id":"gone","r":true}"#, #"{"id":"unheard of","r":1}"#,
      #"{"id":"seen","ca":120,"v":0,"cl":false,"p":1}"#,
      BrazeScene.card("new", at: 130),
    ], updatedAt: 130)

  private static let last = BrazeScene.sync(
    full: true,
    [BrazeScene.card("seen", at: 140, #","v":false"#), BrazeScene.card("changed", at: 140)],
    fullAt: 2_000, updatedAt: 140)

  private func flowSync(_ variant: KitVariant) async throws {
    let scene = try await BrazeScene.enabled(variant, syncs: [Self.first, Self.delta, Self.last])
    #expect(await scene.sync() == .done)
    #expect(Set(scene.visible) == ["aged", "changed", "gone", "seen", "trial"])

    #expect(await scene.sync() == .done)
    #expect(Set(scene.visible) == ["aged", "changed", "seen", "trial", "new"])
    let aged = scene.card("aged")
    #expect(aged?.title == "aged title" && aged?.isViewed == false, "older: ignored whole")
    let changed = scene.card("changed")
    #expect(changed?.title == "Changed" && changed?.text == "changed text", "given fields only")
    let seen = scene.card("seen")
    #expect(seen?.isViewed == true && seen?.isClicked == true, "only ever set")
    #expect(seen?.isPinned == true)

    #expect(await scene.sync() == .done)
    #expect(Set(scene.visible) == ["changed", "seen", "trial"], "test cards survive")
    #expect(scene.card("changed")?.title == "changed title")
    #expect(scene.card("seen")?.isViewed == true, "viewed is retained")

    let marks = (0..<3).map { index in
      ["last_full_sync_at", "last_card_updated_at"].map { scene.body(index)[$0]?.integer }
    }
    #expect(marks == [[0, 0], [1_000, 100], [1_000, 130]])
    #expect(scene.memory.value(.user, "cards.fullSyncAt") == "2000")
    #expect(scene.memory.value(.user, "cards.updatedAt") == "140")
    #expect(scene.memory.quarantined.isEmpty)
  }

  @Test("flow 6 B4: a delta and a full sync change only the cards and fields that they name")
  func sync() async throws { try await flowSync(.complete) }

  @Test(
    "flow 6: the sync flow fails when one of these features is missing",
    arguments: [
      BrazeDoor.mode("patches") { if case .patch = $0 { .put } else { $0 } },
      BrazeDoor.mode("the age of a patch") { mode in
        guard case .patch(let rules) = mode else { return mode }
        return .patch(PatchRules(onlyEverSet: rules.onlyEverSet))
      },
      BrazeDoor.mode("members of a patch that are only ever set") { mode in
        guard case .patch(let rules) = mode else { return mode }
        return .patch(PatchRules(age: rules.age))
      },
      BrazeDoor.mode("test items that a list keeps") { mode in
        guard case .replace(let retention) = mode else { return mode }
        return .replace(Retention(onlyEverSet: retention.onlyEverSet))
      },
      BrazeDoor.mode("members that a list keeps") { mode in
        guard case .replace(let retention) = mode else { return mode }
        return .replace(Retention(testItems: retention.testItems))
      },
      BrazeDoor.changes("tombstones") { if case .removed = $0 { nil } else { $0 } },
      BrazeDoor.changes("values of the user") { change in
        if case .keep(.user, _, _) = change { nil } else { change }
      },
    ])
  func syncNeeds(variant: BrazeDoor) async {
    await withKnownIssue { try await flowSync(variant.variant) }
  }

  @Test("B4: the last entry for a card in a delta wins")
  func lastWord() async throws {
    let scene = try await BrazeScene.enabled(syncs: [
      BrazeScene.sync(
        full: false,
        [
          BrazeScene.card("a"), #"{"id":"a","r":true}"#, BrazeScene.card("b"),
          #"{"id":"b","r":true}"#, BrazeScene.card("b", at: 101, #","p":true"#),
        ])
    ])
    _ = await scene.sync()
    #expect(scene.visible == ["b"])
    #expect(scene.card("b")?.isPinned == true)
  }

  // MARK: A dismissal

  private static let both = BrazeScene.sync(
    full: true, [BrazeScene.card("x"), BrazeScene.card("y")])

  private func flowDismissal(_ variant: KitVariant) async throws {
    let scene = try await BrazeScene.enabled(
      variant,
      syncs: [
        Self.both, Self.both,
        BrazeScene.sync(full: false, [#"{"id":"x","ca":200,"tt":"Look again"}"#]),
        BrazeScene.sync(full: true, [BrazeScene.card("y")]), Self.both,
      ],
      data: [.json(200, #"{"message":"success"}"#), HTTPResponse(400)])
    _ = await scene.sync()
    try dismiss("x", in: scene)
    #expect(scene.visible == ["y"], "at once")
    #expect(scene.memory.pending.count == 1)
    scene.transport.forget()
    await scene.runners.drain()
    #expect(scene.transport.lines == [BrazeScene.dataLine])
    let event = scene.body(0)["events"]?.array?.first
    #expect(event?["name"] == "ccd" && event?["data"] == ["ids": ["x"]])
    #expect(event?["session_id"] == "session-1" && event?["user_id"] == "u-1")
    #expect(event?["time"]?.number == 1_790_845_200)
    #expect(scene.memory.outbox.map(\.state) == [.delivered])

    _ = await scene.sync()
    #expect(scene.visible == ["y"], "still listed, still hidden")
    _ = await scene.sync()
    #expect(scene.visible == ["y"], "changed, still hidden")
    _ = await scene.sync()
    #expect(scene.visible == ["y"])
    _ = await scene.sync()
    #expect(Set(scene.visible) == ["x", "y"], "sent again after it was gone: a new card")

    try dismiss("y", in: scene)
    #expect(scene.visible == ["x"])
    await scene.runners.drain()
    #expect(Set(scene.visible) == ["x", "y"], "refused, so it is back")
    #expect(scene.memory.outbox.last?.state == .rejected("Braze did not take the request."))
  }

  private func dismiss(_ id: String, in scene: BrazeScene) throws {
    let card = try #require(scene.card(id))
    try scene.memory.act(.dismiss, on: ItemReference(card))
  }

  @Test("flow 7 B3: a dismissed card stays hidden while the vendor lists it")
  func dismissal() async throws { try await flowDismissal(.complete) }

  @Test(
    "flow 7: the dismissal flow fails when one of these features is missing",
    arguments: [
      BrazeDoor(
        "an overlay that refreshes leave alone",
        KitVariant(host: { memory in
          BrazeChangedHost(
            memory: memory,
            commit: { changes in
              changes.flatMap { change -> [Change] in
                guard case .items(let feed, _, _) = change else { return [change] }
                return [.items(feed, .replace(.nothing), []), change]
              }
            })
        })),
      BrazeDoor(
        "actions that travel as events",
        .without { $0.capabilities.abilities[.act("dismiss", on: .cards)] = .localOnly }),
      BrazeDoor(
        "refusals that undo",
        .without { adapter in
          adapter.answer = { answer in
            guard case .refused = answer.verdict else { return answer }
            return Answer(answer.changes)
          }
        }),
      BrazeDoor.mode("lists that end what is not in them") { mode in
        if case .replace = mode { .put } else { mode }
      },
    ])
  func dismissalNeeds(variant: BrazeDoor) async {
    await withKnownIssue { try await flowDismissal(variant.variant) }
  }

  // MARK: What travels

  @Test("B3: a click without a link stays local, and a forbidden dismissal is undone")
  func whatTravels() async throws {
    let cards = [
      BrazeScene.card("linked", #","u":"https://example.com/a""#), BrazeScene.card("plain"),
      #"{"id":"fixed","tp":"banner_image","db":false}"#, #"{"id":"held","tp":"control"}"#,
      BrazeScene.card("unsafe", #","u":"JavaScript:alert(1)""#),
    ]
    let scene = try await BrazeScene.enabled(
      syncs: [BrazeScene.sync(full: true, cards)], data: [.json(200, #"{"message":"success"}"#)])
    _ = await scene.sync()
    let actions: [(ItemAction, String)] = [
      (.impression, "plain"), (.impression, "held"), (.click, "linked"), (.click, "plain"),
      (.click, "unsafe"), (.dismiss, "fixed"), (.dismiss, "linked"),
    ]
    for (action, id) in actions {
      try scene.memory.act(action, on: ItemReference(try #require(scene.card(id))))
    }
    scene.transport.forget()
    await scene.runners.drain()
    let events = scene.body(0)["events"]?.array ?? []
    let told = events.map {
      "\($0["name"]?.string ?? "") \(JSON.array($0["data"]?["ids"]?.array ?? []).encoded().text)"
    }
    #expect(
      told == [
        #"cci ["plain"]"#, #"ccic ["held"]"#, #"ccc ["linked"]"#, #"ccd ["linked"]"#,
      ])
    let states = scene.memory.outbox.map(\.state)
    #expect(states[5] == .rejected("The card cannot be dismissed."))
    #expect(states.filter { $0 == .delivered }.count == 6)
    #expect(scene.card("fixed") != nil && scene.card("linked") == nil)
    #expect(scene.card("plain")?.isClicked == true, "clicked here although nobody is told")
  }
}

extension [UInt8] {
  /// The bytes as text.
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
