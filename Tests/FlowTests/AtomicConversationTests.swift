import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import TestSupport
import Testing

/// What Atomic's conversation never does, whatever happens, and what it always comes to.
@Suite struct AtomicConversationTests {
  @Test(
    "flow 11 G6 G13 G17: the conversation keeps its rules under any order of events, timers and messages"
  )
  func anyOrder() throws {
    let seen = try walk(.complete)
    #expect(
      seen == [
        "auth", "close 3000", "close 3001", "close 3004", "commit", "connect", "custom-ping",
        "poll", "poll never", "record", "renew", "subscribe", "timer", "unsubscribe",
      ])
  }

  @Test(
    "flow 11: the rules detect a conversation that breaks them",
    arguments: ["timer", "close 3001", "auth"])
  func anyOrderNeeds(_ action: String) {
    withKnownIssue {
      _ = try walk(.withoutAction { AtomicLiveLaws.name(of: $0) == action })
    }
  }

  /// Many random walks; tells what was done on them.
  private func walk(_ variant: KitVariant) throws -> [String] {
    let adapter = variant.adapter(try AtomicSamples.adapter())
    var seen: Set<String> = []
    for seed in 1...400 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var laws = AtomicLiveLaws(adapter)
      for _ in 0..<120 { laws.happen(&random) }
      #expect(laws.broken.isEmpty, "seed \(seed)")
      seen.formUnion(laws.seen)
      if !laws.broken.isEmpty { break }
    }
    return seen.sorted()
  }

  @Test(
    "flow 11 G17: the conversation keeps its rules when a message is cut or changed at any byte")
  func hostileMessages() throws {
    let adapter = try AtomicSamples.adapter()
    for message in AtomicLiveLaws.messages.map({ Array($0.utf8) }) {
      for index in message.indices {
        var changed = message
        changed[index] = UInt8(truncatingIfNeeded: index &* 151 &+ 7)
        for bytes in [Array(message[..<index]), changed] {
          var laws = AtomicLiveLaws(adapter)
          laws.begin()
          laws.happen(.message(bytes))
          #expect(laws.broken.isEmpty, "byte \(index)")
        }
      }
    }
  }

  @Test("flow 11 G17: a bad card in an update costs only itself")
  func badCard() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    let cards = [
      AtomicSamples.card("a"), #"{"instance":{"id":"b\u0000"}}"#, "7", AtomicSamples.card("c"),
    ]
    try await script.hear(replacement(cards))
    #expect(script.ids() == ["a", "c"])
    #expect(try await script.scene.quarantined == 2)
    let bad = #"{"type":"update-card","data":{"subscriptionId":"s1","cardInstance":{"a":1,"a":2}}}"#
    let good =
      #"{"type":"remove-card","data":{"subscriptionId":"s1","cardInstanceId":"a","note":"\u0000"}}"#
    try await script.hear(
      #"{"messageType":"update-cards","data":{"updates":[7,\#(bad),{},\#(good)]}}"#)
    #expect(script.ids() == ["c"])
    #expect(try await script.scene.quarantined == 3)
    try await script.scene.end()
  }

  @Test(
    "flow 11 G20: the next whole feed repairs lost, duplicated and reordered updates"
  )
  func convergence() async throws {
    var script = try await AtomicLiveScript()
    try await script.begin()
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var truth: [String: Int] = [:]
      var messages: [String] = []
      for _ in 0..<20 { messages.append(change(&truth, &random)) }
      for message in messages.shuffled(using: &random) {
        for _ in 0..<random.below(3) { try await script.hear(message) }
      }
      try await script.hear(
        replacement(truth.map { AtomicSamples.card($0.key, priority: $0.value) }))
      let cards = script.cards()
      #expect(Set(cards.map(\.id.value)) == Set(truth.keys), "seed \(seed)")
      #expect(cards.map { $0.priority ?? 0 } == truth.values.sorted(), "seed \(seed)")
    }
    try await script.scene.end()
  }

  // MARK: Parts

  private func replacement(_ cards: [String]) -> String {
    #"{"messageType":"update-cards","data":{"updates":[{"type":"replace-feed","data":{"#
      + #""subscriptionId":"s1","cardInstances":{"instances":[\#(cards.joined(separator: ","))]}}}]}}"#
  }

  /// Something that happens to the feed at the server, and the message that tells of it.
  private func change(_ truth: inout [String: Int], _ random: inout SeededGenerator) -> String {
    let id = "c\(random.below(6))"
    let data: String
    if random.below(3) == 0 {
      truth[id] = nil
      data = #"{"type":"remove-card","data":{"subscriptionId":"s1","cardInstanceId":"\#(id)"}}"#
    } else {
      let priority = 1 + random.below(10)
      truth[id] = priority
      let card = AtomicSamples.card(id, priority: priority)
      data = #"{"type":"update-card","data":{"subscriptionId":"s1","cardInstance":\#(card)}}"#
    }
    return #"{"messageType":"update-cards","data":{"updates":[\#(data)]}}"#
  }
}
