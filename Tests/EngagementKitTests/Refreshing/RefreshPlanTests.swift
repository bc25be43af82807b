import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("refresh plan") struct RefreshPlanTests {
  private static let containers: ContainerMap = [
    "home": ["atomic": .container("c-1"), "braze": .extra("slot", is: "home")],
    "offers": ["atomic": .container("c-2")],
  ]
  private let atomic = Provider("atomic", PuppetAdapter("atomic", hasContainers: true))
  private let braze = Provider("braze", PuppetAdapter("braze"))

  private func asked(
    _ target: RefreshTarget, of provider: Provider, known: [Feed] = [],
    by routes: [ContainerID: Route] = [:]
  ) -> [EngagementAdapterAPI.Operation] {
    let plans = RoutePlans(
      Routes(cards: .merge(["atomic", "braze"]), inbox: .none, containers: routes))
    return RefreshPlan(target, at: provider, Self.containers, plans, known: known)
      .requests.map(\.operation)
  }

  @Test("a container uses the vendor's configured name, or its own name")
  func container() {
    #expect(asked(.cards(in: "home"), of: atomic) == [.cards(in: "c-1", matching: [])])
    #expect(asked(.cards(in: "else"), of: atomic) == [.cards(in: "else", matching: [])])
  }

  @Test("a vendor without containers has one feed for every target")
  func oneFeed() {
    for target in [RefreshTarget.cards(in: "home"), .cards(in: "else"), .cards] {
      #expect(asked(target, of: braze, known: [.cards]) == [.cards(in: nil, matching: [])])
    }
  }

  @Test("refreshing all cards requests each configured or shown container once")
  func all() throws {
    let urgent = try CardFilter(field: .priority, operator: .equal, values: [.integer(1)])
    let known = [
      Feed(.cards, in: "c-2"), Feed(.cards, in: "seen"), .inbox,
      Feed(.cards, in: "filtered", matching: [urgent]),
    ]
    #expect(
      asked(.cards, of: atomic, known: known) == [
        .cards(in: "c-1", matching: []), .cards(in: "c-2", matching: []),
        .cards(in: "seen", matching: []),
      ])
  }

  @Test("X2: refreshing all cards requests no container that other providers fill")
  func ownRoutes() {
    let known = [Feed(.cards, in: "c-2"), Feed(.cards, in: "seen")]
    #expect(
      asked(
        .cards, of: atomic, known: known, by: ["offers": .only("braze"), "new": .only("atomic")])
        == [
          .cards(in: "c-1", matching: []), .cards(in: "new", matching: []),
          .cards(in: "seen", matching: []),
        ])
    let few = RoutePlans(
      Routes(cards: .only("braze"), inbox: .none, containers: ["offers": .only("atomic")]))
    #expect(
      RefreshPlan(.cards, at: atomic, Self.containers, few, known: known).requests.map(\.feed)
        == [Feed(.cards, in: "c-2")])
  }

  @Test("a refresh requests only what the vendor supports")
  func lacking() {
    let bare = Provider("bare", PuppetAdapter("bare", abilities: [.person: .request]))
    for target: RefreshTarget in [.cards, .cards(in: "home"), .inbox, .metrics, .campaigns] {
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
