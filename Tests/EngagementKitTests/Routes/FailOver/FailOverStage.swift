import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Where a route with a fail-over is, and what a refresh of it and a reading of it are.
enum FailOverSpot: String, CaseIterable, Sendable {
  case cards, inbox, container

  func routes(_ route: Route) -> Routes {
    switch self {
    case .cards: Routes(cards: route, inbox: .none)
    case .inbox: Routes(cards: .none, inbox: route)
    case .container: Routes(cards: .none, inbox: .none, containers: ["home": route])
    }
  }

  var target: RefreshTarget { self == .inbox ? .inbox : .cards(in: "home") }

  func shown(by engagement: Engagement) -> [String] {
    self == .inbox
      ? engagement.inbox.messages.map(\.id.description)
      : engagement.cards(in: "home").cards.map(\.id.description)
  }

  func returnToFirstChoice(_ engagement: Engagement) async throws(EngagementError) {
    switch self {
    case .cards: try await engagement.returnToFirstChoice(of: .cards)
    case .inbox: try await engagement.returnToFirstChoice(of: .inbox)
    case .container: try await engagement.returnToFirstChoice(of: .cards, in: "home")
    }
  }
}

/// A suite over two vendors, of which the test says who is down.
protocol FailOverSuite: Sendable {
  var place: Stage.Place { get }
  var down: Locked<Set<ProviderID>> { get }
}

extension FailOverSuite {
  /// A vendor without a settings request.
  static func plain(_ provider: ProviderID) -> PuppetAdapter {
    var abilities = PuppetAdapter.able
    abilities[.settings] = nil
    var adapter = PuppetAdapter(provider, abilities: abilities)
    adapter.onAnswer = { _, response, _ in
      response.status == 429 ? .retry(.rateLimited, "Later.", after: .seconds(60)) : nil
    }
    return adapter
  }

  static var vendors: [PuppetAdapter] { [plain("a"), plain("b")] }

  static func route(
    _ failures: Int = 3, _ returning: FailOver.Returning = .atOnce
  ) throws -> Route {
    .firstReady(
      ["a", "b"],
      try FailOver(
        failures: failures, within: .seconds(300), coolDown: .seconds(30), returning: returning))
  }

  /// Each vendor that is up has one item, `1`.
  func stage(
    _ spot: FailOverSpot = .cards, _ route: Route,
    _ script: ScriptedTransport.Script? = nil
  ) async throws -> Stage {
    try await Stage(
      Self.vendors, routes: spot.routes(route), at: place,
      script ?? { [down] request in
        let isDown = down.withLock { all in all.contains { request.isFor($0) } }
        return isDown ? HTTPResponse(503) : .json(200, #"["1"]"#)
      })
  }

  func set(down providers: Set<ProviderID>) { down.withLock { $0 = providers } }

  func reader(_ spot: FailOverSpot, _ route: Route) throws -> EngagementReader {
    try EngagementReader.open(at: place, Self.vendors, routes: spot.routes(route))
  }

  /// The events of fail-overs, each as `outcome from>to reason`.
  func moves() throws -> [String] {
    try events().map { event in
      let words = ["outcome", "from", "to", "reason"].map { event[$0]?.string ?? "" }
      return "\(words[0]) \(words[1])>\(words[2]) \(words[3])"
    }
  }

  func events() throws -> [JSONObject] {
    try EngagementReader.open(
      at: place, Self.vendors, routes: Routes(cards: .none, inbox: .none)
    ).events().filter { $0.kind == .providerFallback }.map(\.properties)
  }

  func asked(_ stage: Stage) -> [ProviderID: Int] {
    Dictionary(
      uniqueKeysWithValues: Self.vendors.map { vendor in
        (vendor.provider, stage.transport.requests.count { $0.isFor(vendor.provider) })
      })
  }

  /// Shows `a`, and then lets it fail until `b` is shown.
  func fall(_ stage: Stage, _ spot: FailOverSpot, _ failures: Int) async throws {
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(spot.target)
    #expect(spot.shown(by: stage.engagement) == ["a/1"])
    set(down: ["a"])
    for _ in 0..<failures { _ = await stage.engagement.refresh(spot.target) }
    #expect(spot.shown(by: stage.engagement) == ["b/1"])
  }
}
