import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Where a candidate is compared, and what a refresh of it and a reading of it are.
enum ShadowSpotKind: String, CaseIterable, Sendable {
  case cards, inbox, container

  func routes(_ route: Route) -> Routes {
    switch self {
    case .cards: Routes(cards: route, inbox: .none)
    case .inbox: Routes(cards: .none, inbox: route)
    case .container: Routes(cards: .none, inbox: .none, containers: ["home": route])
    }
  }

  var target: RefreshTarget { self == .inbox ? .inbox : .cards }
  var surface: Surface { self == .inbox ? .inbox : .cards }
  var path: String { surface.rawValue }

  func shown(by engagement: Engagement) -> [String] {
    self == .inbox
      ? engagement.inbox.messages.map(\.id.description)
      : engagement.cards(in: "home").cards.map(\.id.description)
  }
}

/// A suite over vendor `a`, which is shown, and vendor `b`, which is compared. An item is
/// `id.key.title`; without further dots it has no key, and the title `same`.
protocol ShadowSuite: Sendable {
  var place: Stage.Place { get }
  var answers: Locked<[ProviderID: HTTPResponse]> { get }
}

extension ShadowSuite {
  static var keys: ContentKeys { ["a": .extra("sku"), "b": .extra("sku")] }

  static func vendor(_ provider: ProviderID) -> PuppetAdapter {
    var abilities = PuppetAdapter.able
    abilities[.settings] = nil
    abilities[.act("impression", on: .cards)] = .request
    var vendor = PuppetAdapter(provider, abilities: abilities)
    @Sendable func part(_ index: Int, of id: ItemID) -> String? {
      let parts = id.value.split(separator: ".")
      return parts.indices.contains(index) ? String(parts[index]) : nil
    }
    vendor.shape = { card in
      card.extras["sku"] = part(1, of: card.id).map(JSON.string)
      card.title = part(2, of: card.id) ?? "same"
    }
    vendor.shapeMessage = { message in
      message.custom["sku"] = part(1, of: message.id).map(JSON.string)
      message.subject = part(2, of: message.id) ?? "same"
    }
    vendor.onAnswer = { _, response, _ in
      response.status == 429 ? .retry(.rateLimited, "Later.", after: .seconds(7_200)) : nil
    }
    return vendor
  }

  static var vendors: [PuppetAdapter] { [vendor("a"), vendor("b")] }

  static func route(
    _ shown: Route = .only("a"), every interval: Duration = .seconds(900)
  ) throws -> Route { .shadow(shown, try Shadow(["b"], every: interval)) }

  func set(_ list: String, at provider: ProviderID) {
    answers.withLock { $0[provider] = .json(200, list) }
  }

  func set(_ status: Int, at provider: ProviderID) {
    answers.withLock { $0[provider] = HTTPResponse(status) }
  }

  func stage(
    _ spot: ShadowSpotKind = .cards, _ route: Route? = nil, keys: ContentKeys = keys,
    vendors: [PuppetAdapter] = vendors, script: ScriptedTransport.Script? = nil
  ) async throws -> Stage {
    let answers = answers
    return try await Stage(
      vendors, routes: spot.routes(try route ?? Self.route()), contentKeys: keys, at: place,
      script ?? { request in
        let provider = vendors.map(\.provider).first { request.isFor($0) }
        return answers.withLock { all in provider.flatMap { all[$0] } } ?? .json(200, "[]")
      })
  }

  func signedIn(
    _ spot: ShadowSpotKind = .cards, _ route: Route? = nil, keys: ContentKeys = keys,
    vendors: [PuppetAdapter] = vendors, script: ScriptedTransport.Script? = nil
  ) async throws -> Stage {
    let stage = try await stage(spot, route, keys: keys, vendors: vendors, script: script)
    try await stage.signIn("u-1", consent: .full)
    return stage
  }

  func reader(_ spot: ShadowSpotKind = .cards, _ route: Route? = nil) throws -> EngagementReader {
    try EngagementReader.open(
      at: place, Self.vendors, routes: spot.routes(try route ?? Self.route()),
      contentKeys: Self.keys)
  }

  /// Refreshes what is shown, compares, and returns the one report.
  func compare(_ stage: Stage, _ spot: ShadowSpotKind = .cards) async throws -> ParityReport {
    #expect(await stage.engagement.refresh(spot.target).isComplete)
    let reports = try await stage.engagement.compareShadows()
    #expect(reports.count == 1)
    return try #require(reports.first)
  }

  /// How often the candidate was asked.
  func asked(_ stage: Stage, _ provider: ProviderID = "b") -> Int {
    stage.transport.requests.count { $0.isFor(provider) }
  }
}
