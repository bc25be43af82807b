import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("the key of a batch", .timeLimit(.minutes(20))) struct BatchKeyTests {
  @Test("G3: a batch keeps one key in every attempt, even after its first event is delivered")
  func key() async throws {
    let keys = Locked<[OperationKey]>([])
    let sizes = Locked<[Int]>([])
    var vendor = PuppetAdapter("braze", abilities: [.events: .event, .cards: .idempotentRequest])
    vendor.capabilities.eventKinds = [.custom]
    vendor.capabilities.batching = EventBatching(limit: 10)
    vendor.onStep = { operation, context throws(EngagementError) in
      guard case .events(let events) = operation else { return nil }
      keys.withLock { $0.append(context.key) }
      sizes.withLock { $0.append(events.count) }
      return nil
    }
    vendor.onAnswer = { operation, _, _ in
      guard case .events(let events) = operation, events.count > 1 else { return nil }
      return Answer([.settled([events[0].id])], .retry(EngagementError(.unavailable, "Again.")))
    }
    let stage = try await Stage([vendor])
    try await stage.engagement.setConsent(.full)
    for name in ["a", "b", "c"] { try await stage.engagement.track(name) }
    for _ in 0..<10 {
      await stage.drain("braze")
      stage.clock.advance(by: .seconds(400))
    }
    #expect(sizes.withLock { $0 } == [3, 2, 1])
    #expect(Set(keys.withLock { $0 }).count == 1)
    try await stage.end()
  }
}
