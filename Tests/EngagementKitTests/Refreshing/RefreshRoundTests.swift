import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// What one refresh records and counts of its requests.
@Suite("rounds of a refresh", .timeLimit(.minutes(20))) struct RefreshRoundTests {
  @Test("X5: one request for a surface and its bridge is recorded once, by whichever asked")
  func bridged() async throws {
    let present = Locked(Gate())
    let stage = try await Stage(
      [BridgeStage.vendor("c", BridgeStage.cards)],
      routes: Routes(cards: .only("c"), inbox: .only("c"))
    ) { _ in
      await present.withLock(\.self).pass()
      return .json(200, #"["1"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    for order in [[RefreshTarget.cards, .inbox], [.inbox, .cards]] {
      let gate = Gate()
      present.withLock { $0 = gate }
      let before = (stage.transport.requests.count, try await recorded(stage))
      await withTaskGroup(of: Void.self) { group in
        group.addTask { _ = await stage.engagement.refresh(order[0]) }
        await gate.isHolding(1)
        group.addTask { _ = await stage.engagement.refresh(order[1]) }
        while stage.engagement.refresher.waiting(for: "c", .cards(in: nil, matching: [])) < 1 {
          await Task.yield()
        }
        gate.open()
      }
      #expect(stage.transport.requests.count == before.0 + 1)
      #expect(try await recorded(stage) == before.1 + 1)
      #expect(stage.cardIDs() == ["c/1"] && stage.messageIDs() == ["c/1"])
    }
    try await stage.end()
  }

  private func recorded(_ stage: Stage) async throws -> Int {
    try await stage.engagement.events().count { $0.kind == .providerRequest }
  }
}
