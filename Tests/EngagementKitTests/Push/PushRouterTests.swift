import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("the push router", .timeLimit(.minutes(20))) struct PushRouterTests {
  private let place = Stage.Place()

  /// A vendor whose pushes have its name as a key, and an optional `id`.
  private static let marked: PuppetAdapter = {
    var adapter = PuppetAdapter(
      "marked", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })
    adapter.capabilities.eventKinds = [.receive, .click, .custom]
    adapter.capabilities.pushKinds = [.receive, .click]
    adapter.capabilities.pushMarks = PushMarks(keys: ["marked"])
    adapter.onPush = { push, _ in received(push, if: push["marked"] != nil) }
    return adapter
  }()

  /// A vendor without a mark: any push with an `id` could belong to it.
  private static let bare: PuppetAdapter = {
    var adapter = PuppetAdapter("bare")
    adapter.onPush = { push, _ in received(push, if: push["id"] != nil) }
    return adapter
  }()

  private static func received(_ push: JSON, if isOwn: Bool) -> Received? {
    guard isOwn else { return nil }
    var notification = PushNotification(vendor: "puppet")
    notification.messageID = push["id"]?.string
    notification.handle = ["from": "the push"]
    return Received(notification, operations: [.vendor("welcome", push["id"] ?? .null)])
  }

  private func stage() async throws -> Stage {
    let stage = try await Stage([Self.bare, Self.marked], at: place)
    try await stage.signIn("u-1")
    try await stage.engagement.setConsent(.full)
    return stage
  }

  private func welcomes(
    _ stage: Stage, of provider: ProviderID = "marked"
  ) async throws -> Int {
    try await stage.waiting(for: provider, of: "u-1").count { work in
      if case .operation(.vendor("welcome", _)) = work { true } else { false }
    }
  }

  private func events(
    _ stage: Stage, _ kind: EngagementEvent.Kind
  ) async throws -> [EngagementEvent] {
    try await stage.waiting(for: "marked", of: "u-1").compactMap { work in
      if case .event(let event) = work, event.kind == kind { event } else { nil }
    }
  }

  // MARK: Owners

  @Test("X16: a push with a vendor's mark belongs to that vendor even if another could claim it")
  func marks() async throws {
    let stage = try await stage()
    let both = try await stage.engagement.handlePush(["id": "1", "marked": true])
    #expect(both?.provider == "marked")
    #expect(try await stage.engagement.handlePush(["id": "2"])?.provider == "bare")
    #expect(try await stage.engagement.handlePush(["marked": true])?.provider == "marked")
    #expect(try await stage.engagement.handlePush(["aps": ["alert": "Hello"]]) == nil)
    #expect(try await welcomes(stage, of: "bare") == 1)
    try await stage.end()
  }

  @Test(
    "X16: a push with the mark of an unconfigured vendor is left to the application",
    arguments: [
      ["id": "1", "itbl": ["messageId": "1"]], ["id": "1", "ab": ["c": "1"]],
      ["id": "1", "_ab": "true"], ["id": "1", "wzrk_id": "7"], ["id": "1", "W$id": "7"],
      ["id": "1", "CIO-Delivery-ID": "7"], ["id": "1", "body": ["_k": ["m": 1]]],
      ["id": "1", "posthog": [:]], ["id": "1", "a4sid": "7"], ["id": "1", "atomic": [:]],
    ] as [JSON])
  func strangers(push: JSON) async throws {
    let stage = try await stage()
    #expect(try await stage.engagement.handlePush(push) == nil)
    #expect(try await stage.waiting(for: "bare", of: "u-1").isEmpty)
    try await stage.end()
  }

  // MARK: Repeats

  @Test("X16: a push counts once a phase, even after a restart, and its operation is accepted once")
  func once() async throws {
    let push: JSON = ["id": "1", "marked": true]
    for isFirstLife in [true, false] {
      let stage = isFirstLife ? try await stage() : try await Stage([Self.marked], at: place)
      for phase in PushPhase.allCases {
        for call in 1...3 {
          let reception = try #require(try await stage.engagement.handlePush(push, phase: phase))
          #expect(reception.isRepeated == !(isFirstLife && call == 1), "\(phase) \(call)")
          #expect(reception.notification.messageID == "1", "each call returns the notification")
        }
      }
      #expect(try await welcomes(stage) == 1)
      let received = try await events(stage, .receive)
      #expect(received.map(\.item?.id) == [ItemID("marked", "1")])
      #expect(received.first?.item?.surface == .push)
      #expect(received.first?.item?.handle == ["from": "the push"])
      #expect(try await events(stage, .click).count == 1)
      #expect(try await events(stage, .dismiss).isEmpty, "the vendor takes no dismissals of pushes")
      let recorded = try await stage.engagement.dependencies.store.entries(after: 0, limit: 100)
        .map(\.event.kind)
      #expect(recorded.count { [.receive, .click, .dismiss].contains($0) } == 3)
      try await stage.end()
    }
  }

  @Test("X16: a push first reported as opened has its operation accepted once")
  func opened() async throws {
    let stage = try await stage()
    let push: JSON = ["id": "1", "marked": true]
    #expect(try await stage.engagement.handlePush(push, phase: .opened)?.isRepeated == false)
    #expect(try await welcomes(stage) == 1)
    #expect(try await events(stage, .receive).isEmpty, "no arrival was reported")
    #expect(try await stage.engagement.handlePush(push)?.isRepeated == false)
    #expect(try await welcomes(stage) == 1)
    try await stage.end()
  }

  @Test("X16: in a hundred concurrent reports of two pushes, each push counts once")
  func together() async throws {
    let stage = try await stage()
    let engagement = stage.engagement
    let firsts = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          let push: JSON = ["id": .string("\(number % 2)"), "marked": true]
          return try await engagement.handlePush(push)?.isRepeated == false ? 1 : 0
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(firsts == 2)
    #expect(try await welcomes(stage) == 2)
    try await stage.end()
  }

  @Test("X16 G8: in concurrent reports to two processes, each push counts once")
  func processes() async throws {
    let stages = [try await stage(), try await Stage([Self.bare, Self.marked], at: place)]
    try await stages[1].signIn("u-1")
    let engagements = stages.map(\.engagement)
    let firsts = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          let push: JSON = ["id": .string("\(number / 2 % 10)"), "marked": true]
          let reception = try await engagements[number % 2].handlePush(push)
          return reception?.isRepeated == false ? 1 : 0
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(firsts == 10)
    #expect(try await welcomes(stages[0]) == 10)
    let received = try await events(stages[0], .receive).compactMap(\.item?.id.value)
    #expect(received.sorted() == (0..<10).map(String.init))
    for id in 0..<10 {
      let push: JSON = ["id": .string("\(id)"), "marked": true]
      for engagement in engagements {
        #expect(try await engagement.handlePush(push)?.isRepeated == true, "\(id) was forgotten")
      }
    }
    for stage in stages { try await stage.end() }
  }

  @Test("X16 X6 G8: a push that one process imports and another gets counts once")
  func importing() async throws {
    let (stage, importer) = (
      try await stage(), try await Stage([Self.bare, Self.marked], at: place)
    )
    try await importer.signIn("u-1")
    let journal = try EngagementJournal(cache: place.cache, clock: place.clock)
    for round in 0..<10 {
      let pushes = (0..<5).map { JSON.object(["id": .string("\(round) \($0)"), "marked": true]) }
      for push in pushes { try journal.received(push) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await importer.engagement.suspend()
          try await importer.engagement.resume()
        }
        for push in pushes {
          group.addTask { _ = try await stage.engagement.handlePush(push) }
        }
        try await group.waitForAll()
      }
      let received = try await events(stage, .receive).compactMap(\.item?.id.value)
      #expect(received.count == Set(received).count && received.count == 5 * (round + 1))
      for push in pushes {
        #expect(try await stage.engagement.handlePush(push)?.isRepeated == true)
      }
    }
    for stage in [stage, importer] { try await stage.end() }
  }

  @Test("X16 G13: the same push counts again for another user")
  func users() async throws {
    let stage = try await stage()
    let push: JSON = ["id": "1", "marked": true]
    _ = try await stage.engagement.handlePush(push)
    try await stage.signIn("u-2")
    #expect(try await stage.engagement.handlePush(push)?.isRepeated == false)
    try await stage.signIn("u-1")
    #expect(try await stage.engagement.handlePush(push)?.isRepeated == true)
    try await stage.end()
  }

  @Test("X16: without an id, pushes with equal members in any order count as one for a minute")
  func bytes() async throws {
    let stage = try await stage()
    let push: JSON = ["marked": ["a": 1, "b": [["c": 2, "d": 3]]], "aps": ["alert": "Hi"]]
    let turned: JSON = ["aps": ["alert": "Hi"], "marked": ["b": [["d": 3, "c": 2]], "a": 1]]
    let other: JSON = ["aps": ["alert": "Hi!"], "marked": ["b": [["d": 3, "c": 2]], "a": 1]]
    #expect(try await stage.engagement.handlePush(push)?.isRepeated == false)
    #expect(try await stage.engagement.handlePush(turned)?.isRepeated == true)
    #expect(try await stage.engagement.handlePush(other)?.isRepeated == false)
    place.clock.advance(by: .seconds(61))
    #expect(
      try await stage.engagement.handlePush(turned)?.isRepeated == false,
      "a new push after a minute")
    try await stage.end()
  }

  @Test("X16 X6: a push reported by both an extension and the application counts once")
  func journal() async throws {
    let stage = try await stage()
    let journal = try EngagementJournal(cache: place.cache, clock: place.clock)
    let (first, second): (JSON, JSON) = (["id": "1", "marked": true], ["id": "2", "marked": true])
    _ = try await stage.engagement.handlePush(first)
    for push in [first, second, second] { try journal.received(push) }
    try await stage.engagement.suspend()
    try await stage.engagement.resume()
    #expect(try await stage.engagement.handlePush(second)?.isRepeated == true)
    #expect(try await welcomes(stage) == 2)
    #expect(try await events(stage, .receive).count == 2)
    let dropped = try await stage.engagement.dependencies.store.entries(after: 0, limit: 100)
      .filter { $0.event.kind == .outboxDropped }
    #expect(dropped.isEmpty, "a repeated push does not count as dropped")
    try await stage.end()
  }

  @Test("X16: the kit remembers the last two hundred handled pushes")
  func bounded() {
    var handled = PushLog(nil)
    func isFirst(_ number: Int, _ time: Double) -> Bool {
      var notification = PushNotification(vendor: "puppet")
      notification.messageID = "\(number)"
      let push = PushLog.Push([:], notification, of: "marked")
      return handled.isFirst(push, "receive", at: Date(timeIntervalSince1970: time))
    }
    for number in 0..<300 { #expect(isFirst(number, Double(number))) }
    #expect(handled.json.array?.count == 200)
    handled = PushLog(handled.json)
    #expect((100..<300).allSatisfy { !isFirst($0, 1e6) })
    #expect(isFirst(0, 300))
    for spoilt: JSON in [.null, ["x"], [["digest": 1]], [["digest": "a"]], "text"] {
      #expect(PushLog(spoilt).json == [])
    }
  }
}
