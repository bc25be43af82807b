import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 6: what a sync does to the cards.
@Suite("Braze: cards", .timeLimit(.minutes(20))) struct BrazeCardFlowTests {
  // MARK: A delta

  private static let first = Braze.sync(
    full: true,
    [
      Braze.card("aged"), Braze.card("changed"), Braze.card("gone"),
      Braze.card("seen", #","v":1,"cl":true"#), Braze.card("trial", #","t":true"#),
    ])

  private static let delta = Braze.sync(
    full: false,
    [
      #"{"id":"aged","ca":99,"tt":"Too late","v":true}"#,
      #"{"id":"changed","ca":110,"tt":"Changed"}"#,
      #"{"id":"gone","r":true}"#, #"{"id":"unheard of","r":1}"#,
      #"{"id":"seen","ca":120,"v":0,"cl":false,"p":1}"#,
      Braze.card("new", at: 130),
    ], updatedAt: 130)

  private static let last = Braze.sync(
    full: true,
    [Braze.card("seen", at: 140, #","v":false"#), Braze.card("changed", at: 140)],
    fullAt: 2_000, updatedAt: 140)

  private func flowSync(_ variant: KitVariant) async throws {
    let warnings = Locked<[String]>([])
    let logger = Engagement.LinesLogger(level: .warning) { line in
      warnings.withLock { $0.append(line) }
    }
    let scene = try await AppScene.braze(
      behind: variant, loggers: [logger], syncs: [Self.first, Self.delta, Self.last])
    #expect(await scene.sync() == .done)
    #expect(Set(scene.cards()) == ["aged", "changed", "gone", "seen", "trial"])

    #expect(await scene.sync() == .done)
    #expect(Set(scene.cards()) == ["aged", "changed", "seen", "trial", "new"])
    let aged = scene.card("aged")
    #expect(aged?.title == "aged title" && aged?.isViewed == false, "older: ignored whole")
    let changed = scene.card("changed")
    #expect(changed?.title == "Changed" && changed?.text == "changed text", "given fields only")
    let seen = scene.card("seen")
    #expect(seen?.isViewed == true && seen?.isClicked == true, "only ever set")
    #expect(seen?.isPinned == true)

    #expect(await scene.sync() == .done)
    #expect(Set(scene.cards()) == ["changed", "seen", "trial"], "test cards survive")
    #expect(scene.card("changed")?.title == "changed title")
    #expect(scene.card("seen")?.isViewed == true, "viewed is retained")

    let marks = (0..<3).map { index in
      ["last_full_sync_at", "last_card_updated_at"].map { scene.body(index)[$0]?.integer }
    }
    #expect(marks == [[0, 0], [1_000, 100], [1_000, 130]])
    #expect(try await scene.userValue("cards.fullSyncAt") == "2000")
    #expect(try await scene.userValue("cards.updatedAt") == "140")
    #expect(warnings.withLock(\.self) == [], "no card is set aside")
    try await scene.end()
  }

  @Test("flow 6 B4: a delta and a full sync change only the cards and fields that they name")
  func sync() async throws { try await flowSync(.complete) }

  @Test(
    "flow 6: the sync flow fails when one of these features is missing",
    arguments: [
      BrazeVariant.mode("patches") { if case .patch = $0 { .put } else { $0 } },
      BrazeVariant.mode("the age of a patch") { mode in
        guard case .patch(let rules) = mode else { return mode }
        return .patch(PatchRules(onlyEverSet: rules.onlyEverSet))
      },
      BrazeVariant.mode("members of a patch that are only ever set") { mode in
        guard case .patch(let rules) = mode else { return mode }
        return .patch(PatchRules(age: rules.age))
      },
      BrazeVariant.mode("test items that a list keeps") { mode in
        guard case .replace(let retention) = mode else { return mode }
        return .replace(Retention(onlyEverSet: retention.onlyEverSet))
      },
      BrazeVariant.mode("members that a list keeps") { mode in
        guard case .replace(let retention) = mode else { return mode }
        return .replace(Retention(testItems: retention.testItems))
      },
      BrazeVariant.changes("tombstones") { if case .removed = $0 { nil } else { $0 } },
      BrazeVariant.changes("values of the user") { change in
        if case .keep(.user, _, _) = change { nil } else { change }
      },
    ])
  func syncNeeds(variant: BrazeVariant) async {
    await withKnownIssue { try await flowSync(variant.variant) }
  }

  @Test("B4: the last entry for a card in a delta wins")
  func lastWord() async throws {
    let scene = try await AppScene.braze(syncs: [
      Braze.sync(
        full: false,
        [
          Braze.card("a"), #"{"id":"a","r":true}"#, Braze.card("b"),
          #"{"id":"b","r":true}"#, Braze.card("b", at: 101, #","p":true"#),
        ])
    ])
    _ = await scene.sync()
    #expect(scene.cards() == ["b"])
    #expect(scene.card("b")?.isPinned == true)
    try await scene.end()
  }

  // MARK: What travels

  @Test("B3: a click without a link stays local, and a forbidden dismissal is undone")
  func whatTravels() async throws {
    let cards = [
      Braze.card("linked", #","u":"https://example.com/a""#), Braze.card("plain"),
      #"{"id":"fixed","tp":"banner_image","db":false}"#, #"{"id":"held","tp":"control"}"#,
      Braze.card("unsafe", #","u":"JavaScript:alert(1)""#),
    ]
    let scene = try await AppScene.braze(
      syncs: [Braze.sync(full: true, cards)], data: [.json(200, #"{"message":"success"}"#)])
    _ = await scene.sync()
    let actions: [(ItemAction, String)] = [
      (.impression, "plain"), (.impression, "held"), (.click, "linked"), (.click, "plain"),
      (.click, "unsafe"), (.dismiss, "fixed"), (.dismiss, "linked"),
    ]
    var receipts: [Engagement.Receipt] = []
    for (action, id) in actions { receipts.append(try await scene.perform(action, on: id)) }
    scene.transport.forget()
    await scene.deliver()
    let events = scene.body(0)["events"]?.array ?? []
    let told = events.map {
      "\($0["name"]?.string ?? "") \(JSON.array($0["data"]?["ids"]?.array ?? []).encoded().text)"
    }
    #expect(
      told == [
        "ss []", #"cci ["plain"]"#, #"ccic ["held"]"#, #"ccc ["linked"]"#, #"ccd ["linked"]"#,
      ])
    for (receipt, (action, id)) in zip(receipts, actions) {
      let outcome = try await receipt.outcome(within: .zero)
      if id == "fixed" {
        #expect(outcome?.refusal == "The card cannot be dismissed.")
      } else {
        #expect(outcome == .delivered, "\(action) on \(id)")
      }
    }
    #expect(scene.card("fixed") != nil && scene.card("linked") == nil)
    #expect(scene.card("plain")?.isClicked == true, "clicked here, and kept here")
    try await scene.end()
  }
}

extension [UInt8] {
  /// The bytes as text.
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
