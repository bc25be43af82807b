import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("what a refresh asks for") struct RefreshPlanTests {
  private static let containers: ContainerMap = [
    "home": ["atomic": .container("c-1"), "braze": .extra("slot", is: "home")],
    "offers": ["atomic": .container("c-2")],
  ]
  private let atomic = Provider("atomic", PuppetAdapter("atomic", hasContainers: true))
  private let braze = Provider("braze", PuppetAdapter("braze"))

  private func asked(
    _ target: RefreshTarget, of provider: Provider, known: [Feed] = []
  ) -> [EngagementAdapterAPI.Operation] {
    RefreshPlan(target, at: provider, Self.containers, known: known).requests.map(\.operation)
  }

  @Test("a container goes by the vendor's name for it, or by its own")
  func container() {
    #expect(asked(.cards("home"), of: atomic) == [.cards(in: "c-1", matching: [])])
    #expect(asked(.cards("else"), of: atomic) == [.cards(in: "else", matching: [])])
  }

  @Test("a vendor without containers has one feed, whatever is asked for")
  func oneFeed() {
    for target in [RefreshTarget.cards("home"), .cards("else"), .cards(nil)] {
      #expect(asked(target, of: braze, known: [.cards]) == [.cards(in: nil, matching: [])])
    }
  }

  @Test("all cards are those of every container that was named or shown, each once")
  func all() throws {
    let urgent = try CardFilter(field: .priority, operator: .equal, values: [.integer(1)])
    let known = [
      Feed(.cards, in: "c-2"), Feed(.cards, in: "seen"), .inbox,
      Feed(.cards, in: "filtered", matching: [urgent]),
    ]
    #expect(
      asked(.cards(nil), of: atomic, known: known) == [
        .cards(in: "c-1", matching: []), .cards(in: "c-2", matching: []),
        .cards(in: "seen", matching: []),
      ])
  }

  @Test("what the vendor lacks is not asked for")
  func lacking() {
    let bare = Provider("bare", PuppetAdapter("bare", abilities: [.person: .request]))
    for target: RefreshTarget in [.cards(nil), .cards("home"), .inbox, .metrics, .campaigns] {
      #expect(asked(target, of: bare).isEmpty)
    }
    #expect(asked(.person, of: bare) == [.person])
  }

  @Test("the outcome of several requests is the worst of them")
  func worst() {
    let error = EngagementError(.unavailable, "down")
    let order: [ProviderOutcome] = [
      .unsupported, .notModified, .fresh, .throttled(until: .distantFuture),
      .stale(age: .zero, error), .failed(error),
    ]
    for (index, outcome) in order.enumerated() {
      #expect(ProviderOutcome.worst(of: Array(order[0...index])) == outcome)
      #expect(ProviderOutcome.worst(of: Array(order[0...index].reversed())) == outcome)
    }
    #expect(ProviderOutcome.worst(of: []) == nil)
  }
}
