import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite struct CapabilityReportTests {
  typealias Verb = EngagementAdapterAPI.Operation.Verb

  private static func adapter(
    _ id: ProviderID, _ abilities: [Verb: Ability]
  ) -> PuppetAdapter {
    PuppetAdapter(id, abilities: abilities)
  }

  private static let vendors = [
    adapter("a", [.cards: .idempotentRequest, .registerPush: .idempotentRequest]),
    adapter("b", [.cards: .idempotentRequest, .inbox: .idempotentRequest]),
    adapter("c", [.campaigns: .idempotentRequest]),
  ]

  private static let report = Engagement.CapabilityReport(
    of: Engagement.Providers(vendors.map { ($0.provider, $0) }))

  private static func find(
    _ provider: ProviderID, _ surface: Engagement.Surface
  ) throws -> Engagement.SurfaceCapability {
    let own = try #require(report.providers.first { $0.provider == provider })
    return try #require(own.surfaces.first { $0.surface == surface })
  }

  @Test("X19: the report says what is native, what is absent and why, and which routes follow")
  func whole() throws {
    let cards = try Self.find("a", .cards)
    #expect(cards.support == .native)
    #expect(Set(cards.strategies).isSuperset(of: ["only", "merge", "firstReady"]))
    #expect(try Self.find("a", .events).support != .native)
    let push = try Self.find("b", .push)
    #expect(push.support == .absent("the vendor has no push.register") && push.strategies.isEmpty)
    let templates = try Self.find("c", .templates)
    #expect(templates.support == .native && !templates.strategies.contains("merge"))
  }

  @Test("X19: a route may name a provider exactly where the report says so")
  func routes() throws {
    let rules = RouteRules(
      providers: Self.vendors.map { Provider($0.provider, $0) }, containers: [:])
    for vendor in Self.vendors {
      for surface in RoutedSurface.allCases {
        let place = RoutePlace.surface(surface)
        let found = try Self.find(vendor.provider, surface.surface)
        let isTaken: Bool
        do {
          try rules.check(.only(vendor.provider), at: place)
          isTaken = true
        } catch { isTaken = false }
        #expect(isTaken == found.strategies.contains("only"), "\(vendor.provider) \(surface)")
        if case .absent(let why) = found.support { #expect(!isTaken && !why.isEmpty) }
      }
    }
  }

  @Test("X19: an engagement gives the report of its own providers")
  func own() async throws {
    let stage = try await Stage(
      Self.vendors, routes: Routes(cards: .only("a"), inbox: .none))
    #expect(stage.engagement.capabilities == Self.report)
    try await stage.end()
  }
}
