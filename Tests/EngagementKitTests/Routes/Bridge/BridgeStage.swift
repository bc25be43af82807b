import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation

@testable import EngagementKit

/// Two vendors, of which one has cards alone and the other messages alone.
struct BridgeStage: Sendable {
  typealias Verb = EngagementAdapterAPI.Operation.Verb

  let place = Stage.Place()
  private let lists = Locked<[String: String]>([:])
  private let down = Locked<Set<ProviderID>>([])

  static let cards: [Verb: Ability] = [
    .cards: .idempotentRequest, .act("impression", on: .cards): .request,
    .act("click", on: .cards): .request, .act("dismiss", on: .cards): .request,
    .act("snooze", on: .cards): .request,
  ]
  static let inbox: [Verb: Ability] = [
    .inbox: .idempotentRequest, .act("read", on: .inbox): .request,
    .act("open", on: .inbox): .request, .act("delete", on: .inbox): .request,
  ]

  /// A vendor whose items have what follows the first dot of their ids as their key.
  static func vendor(
    _ provider: ProviderID, _ abilities: [Verb: Ability], hasContainers: Bool = false
  ) -> PuppetAdapter {
    var vendor = PuppetAdapter(provider, abilities: abilities, hasContainers: hasContainers)
    vendor.shape = { card in
      card.title = "card \(card.id.value)"
      card.kind = card.id.value.hasPrefix("control") ? .control : .classic
      card.isViewed = card.id.value.hasPrefix("old")
      card.extras["sku"] = key(card.id)
    }
    vendor.shapeMessage = { message in
      message.subject = "message \(message.id.value)"
      message.isRead = message.id.value.hasPrefix("old")
      message.custom["sku"] = key(message.id)
    }
    return vendor
  }

  private static func key(_ id: ItemID) -> JSON? {
    id.value.split(separator: ".", maxSplits: 1).dropFirst().first.map { .string(String($0)) }
  }

  static let vendors = [vendor("c", cards), vendor("m", inbox)]
  static let keys: ContentKeys = ["c": .extra("sku"), "m": .extra("sku")]

  /// What the vendor lists, as a list of ids in JSON.
  func set(_ list: String, at provider: ProviderID) {
    lists.withLock { $0[provider.rawValue] = list }
  }

  func setDown(_ providers: Set<ProviderID>) { down.withLock { $0 = providers } }

  func stage(
    _ routes: Routes, vendors: [PuppetAdapter] = vendors, containers: ContainerMap = [:],
    keys: ContentKeys = [:], consent: Consent = .full
  ) async throws -> Stage {
    let (lists, down) = (lists, down)
    let stage = try await Stage(
      vendors, routes: routes, containers: containers, contentKeys: keys, at: place
    ) { request in
      let provider = request.isFor("c") ? "c" : "m"
      guard !down.withLock({ $0.contains(ProviderID(provider)) }) else {
        return .json(503, "{}")
      }
      let isList = request.line.hasSuffix("/cards") || request.line.hasSuffix("/inbox")
      return .json(200, isList ? lists.withLock { $0[provider] } ?? "[]" : "[]")
    }
    try await stage.signIn("u-1", consent: consent)
    return stage
  }

  func reader(_ routes: Routes) throws -> EngagementReader {
    try EngagementReader.open(at: place, Self.vendors, routes: routes)
  }
}

extension Stage {
  /// The actions that wait for the provider, as `word surface id`.
  func acts(at provider: ProviderID) async throws -> [String] {
    try await waiting(for: provider, of: "u-1").compactMap { work in
      guard case .operation(.act(let action, let item)) = work else { return nil }
      return "\(action.name) \(item.surface) \(item.id.value)"
    }
  }

  func messageIDs() -> [String] { engagement.inbox.messages.map(\.id.description) }

  func cardIDs() -> [String] { engagement.cards(in: "home").cards.map(\.id.description) }

  /// The events that users made, as `kind surface`, with the vendor's word where it has another.
  func deeds() async throws -> [String] {
    try await engagement.exportData(of: "u-1").compactMap { record in
      guard record["record"] == "event", let surface = record["item"]?["surface"]?.string,
        let kind = record["kind"]?.string, kind != "delivered"
      else { return nil }
      let word = record["properties"]?["vendorKind"]?.string
      return "\(kind) \(surface)" + (word.map { " as \($0)" } ?? "")
    }
  }
}
