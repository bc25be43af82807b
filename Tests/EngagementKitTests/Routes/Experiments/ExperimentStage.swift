import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation

@testable import EngagementKit

/// Two vendors, and an experiment between them: an arm for each, one for both and an empty one.
enum ExperimentStage {
  static let vendors = [
    PuppetAdapter("a", hasContainers: true), PuppetAdapter("b", hasContainers: true),
    PuppetAdapter("c", hasContainers: true),
  ]

  static func split(
    _ experiment: String = "e", version: Int = 1, weights: [Int] = [1, 1, 1, 1],
    layer: Engagement.Split.Layer? = nil, holdOut: Engagement.Split.HoldOut? = nil
  ) throws -> Engagement.Split {
    try Engagement.Split(
      experiment, version: version,
      arms: [
        .init("a", weight: weights[0], providers: ["a"]),
        .init("b", weight: weights[1], providers: ["b"]),
        .init("both", weight: weights[2], providers: ["a", "b"]),
        .init("none", weight: weights[3], providers: []),
      ], otherwise: ["c"], layer: layer, holdOut: holdOut)
  }

  static func routes(_ split: Engagement.Split) -> Routes {
    Routes(cards: .split(split), inbox: .split(split))
  }

  /// Each vendor has two items, which have its name.
  static let script: ScriptedTransport.Script = { request in
    let name = ["a", "b", "c"].first { request.isFor(ProviderID($0)) } ?? "?"
    return .json(200, #"["\#(name)1","\#(name)2"]"#)
  }

  static func open(
    _ routes: Routes, at place: Stage.Place, _ vendors: [PuppetAdapter] = vendors,
    _ script: @escaping ScriptedTransport.Script = script
  ) async throws -> Stage {
    try await Stage(vendors, routes: routes, at: place, script)
  }

  /// The first users whom the split puts there.
  static func users(
    _ standing: Engagement.Split.Standing, of split: Engagement.Split, _ count: Int = 1
  ) -> [User] {
    var users: [User] = []
    for number in 0..<10_000 where users.count < count {
      let id = "u-\(number)"
      if split.standing(of: id) == standing { users.append(User(UserID(id))) }
    }
    return users
  }

  static func user(
    _ standing: Engagement.Split.Standing, of split: Engagement.Split
  ) -> User {
    users(standing, of: split).first ?? .anonymous
  }
}

extension Stage {
  func refresh() async {
    _ = await engagement.refresh(.cards(in: "home"))
    _ = await engagement.refresh(.inbox)
  }

  /// The vendors of the cards and messages that are shown.
  var shown: [String] {
    let cards = engagement.cards(in: "home").cards.map(\.id.provider.rawValue)
    return cards + engagement.inbox.messages.map(\.id.provider.rawValue)
  }
}

extension Stage.Place {
  /// What the ledger has of a user's experiments: `assigned e 1 a`.
  func experiments(_ user: User? = nil) throws -> [String] {
    let reader = try EngagementReader.open(
      at: self, ExperimentStage.vendors, routes: Routes(cards: .none, inbox: .none))
    return try reader.events(of: user).filter {
      $0.kind == .experimentAssigned || $0.kind == .experimentExposed
    }.map { event in
      let properties = event.properties
      return
        "\(event.kind.rawValue.dropFirst(11)) \(event.name ?? "") \(properties["version"]?.integer ?? -1) "
        + "\(properties["arm"]?.string ?? "")"
    }
  }
}
