import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// Random lists and actions of several providers with content keys.
@Suite(.timeLimit(.minutes(20))) struct ContentCopyRandomTests {
  private static let providers: [ProviderID] = ["a", "b", "c"]
  private static let adapters: [ProviderID: any EngagementAdapter] = [
    "a": PaperAdapter("a"), "b": PaperAdapter("b"), "c": PaperAdapter("c"),
  ]
  private static let keys: [ProviderID: ContentKeySource] = [
    "a": .extra("sku"), "b": .extra("sku"), "c": .extra("sku"),
  ]

  @Test(
    "X4: random lists, actions and refusals show the same as a model at every step",
    arguments: [1, 2, 3, 4] as [UInt64])
  func life(seed: UInt64) throws {
    let stand = try ItemCacheStand(Self.adapters, contentKeys: Self.keys)
    var model = ContentModel()
    var random = SplitMix64(seed: seed)
    for step in 0..<Effort.share(of: 1_200) {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        let list = ContentModel.List(&random)
        try stand.commit(.list(list.items.map(\.text), in: Feed(list.surface)), from: list.provider)
        model.take(list)
      case 5..<9:
        guard let (provider, surface, id) = model.someItem(&random) else { continue }
        let action = Self.action(stand.now, &random)
        try stand.act(action, on: id, surface, of: provider)
        model.act(action, on: id, surface, of: provider, at: stand.now)
      case 9:
        let list = ContentModel.List(&random)
        let action = Self.action(stand.now, &random)
        let id = "\(Int.random(in: 0..<6, using: &random))"
        try stand.undo(action, on: id, list.surface, of: list.provider)
        model.undo(action, on: id, list.surface, of: list.provider)
      case 10:
        let isLong = Int.random(in: 0..<4, using: &random) == 0
        stand.now += Double(Int.random(in: 0..<(isLong ? 60_000 : 40), using: &random))
      default: if Bool.random(using: &random) { try stand.restart() } else { stand.forget() }
      }
      model.now = stand.now
      for provider in Self.providers {
        let (cards, messages) = (try stand.view(of: provider), try stand.inbox(of: provider))
        try #require(
          cards.items.map(\.state) == model.cards(of: provider), "step \(step), \(provider)")
        try #require(
          messages.items.map(\.state) == model.messages(of: provider), "step \(step), \(provider)")
        #expect(cards.unreadCount == cards.with(cards.items).unreadCount)
      }
      try #require(
        try stand.count("SELECT count(*) FROM content_mark") == model.markCount, "step \(step)")
    }
    #expect(
      try stand.count(
        """
        SELECT count(*) FROM content_copy
        WHERE item NOT IN (SELECT id FROM item) OR source <> item >> 32
        """) == 0)
  }

  @Test(
    "X4: what is shown does not depend on who answered first, and a refresh changes nothing",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func order(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<Effort.share(of: 40) {
      var lists: [ContentModel.List] = []
      for provider in Self.providers {
        for surface in [Surface.cards, .inbox] {
          lists.append(ContentModel.List(&random, provider, surface))
        }
      }
      let acts: [(ItemAction, ContentModel.List, String)] = (0..<6).compactMap { _ in
        guard let list = lists.randomElement(using: &random),
          let item = list.items.randomElement(using: &random)
        else { return nil }
        return (Self.action(ItemCacheStand.start, &random), list, item.id)
      }
      let first = try Self.shown(lists, acts)
      #expect(try Self.shown(lists.shuffled(using: &random), acts) == first)
      #expect(try Self.shown(lists.reversed(), acts, refreshes: true) == first)
    }
  }

  /// What is shown after the lists came and the user did that.
  private static func shown(
    _ lists: [ContentModel.List], _ acts: [(ItemAction, ContentModel.List, String)],
    refreshes: Bool = false
  ) throws -> [String] {
    let stand = try ItemCacheStand(adapters, contentKeys: keys)
    func take(_ list: ContentModel.List) throws {
      try stand.commit(.list(list.items.map(\.text), in: Feed(list.surface)), from: list.provider)
    }
    for list in lists { try take(list) }
    for (action, list, id) in acts {
      try stand.act(action, on: id, list.surface, of: list.provider)
    }
    if refreshes {
      for list in lists { try take(list) }
      try stand.restart()
      for list in lists.reversed() { try take(list) }
    }
    return try providers.flatMap { provider in
      try stand.view(of: provider).items.map(\.state)
        + stand.inbox(of: provider).items.map(\.state)
    }
  }

  private static func action(_ now: Date, _ random: inout SplitMix64) -> ItemAction {
    let actions: [ItemAction] = [
      .impression, .click, .read, .open, .dismiss, .delete, .snooze(seconds: 30),
      .expire(at: now + 20),
    ]
    return actions.randomElement(using: &random) ?? .impression
  }
}

/// What the store keeps of contents, said in the simplest way.
private struct ContentModel {
  struct Item: Hashable {
    var id: String
    var sku: String?
    var flags: String
    var text: String {
      let key = sku.map { #","g":"\#($0)""# } ?? ""
      return #"{"id":"\#(id)"\#(key)\#(flags.map { #","\#($0)":true"# }.joined())}"#
    }
  }

  /// A complete list of one provider.
  struct List {
    var provider: ProviderID
    var surface: Surface
    var items: [Item]

    init(_ random: inout SplitMix64, _ provider: ProviderID? = nil, _ surface: Surface? = nil) {
      self.provider = provider ?? ["a", "b", "c"].randomElement(using: &random) ?? "a"
      self.surface = surface ?? (Bool.random(using: &random) ? .cards : .inbox)
      let flags = self.surface == .cards ? ["v", "l", "d", "vl"] : ["r"]
      items = (0..<6).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }.map { id in
        Item(
          id: "\(id)",
          sku: Int.random(in: 0..<5, using: &random) == 0
            ? nil : "k\(Int.random(in: 0..<4, using: &random))",
          flags: Int.random(in: 0..<6, using: &random) == 0
            ? flags.randomElement(using: &random) ?? "" : "")
      }
    }
  }

  private struct Place: Hashable {
    var provider: ProviderID
    var surface: Surface
    var id: String
  }

  private var lists: [ProviderID: [Surface: [Item]]] = [:]
  private var own: [Place: Overlay] = [:]
  private var marks: [String: [Place: Overlay]] = [:]
  /// Since when nobody lists a content, and who has answered a day later.
  private var unlisted: [String: (since: Date, answered: Set<ProviderID>)] = [:]
  var now = ItemCacheStand.start

  var markCount: Int { marks.values.reduce(0) { $0 + $1.count } }

  func someItem(_ random: inout SplitMix64) -> (ProviderID, Surface, String)? {
    let all = ["a", "b", "c"].flatMap { (provider: ProviderID) in
      [Surface.cards, .inbox].flatMap { surface in
        (lists[provider]?[surface] ?? []).map { (provider, surface, $0.id) }
      }
    }
    return all.randomElement(using: &random)
  }

  mutating func take(_ list: List) {
    let former = lists[list.provider]?[list.surface] ?? []
    lists[list.provider, default: [:]][list.surface] = list.items
    for item in list.items where !former.contains(item) {
      guard let sku = item.sku else { continue }
      let place = Place(provider: list.provider, surface: list.surface, id: item.id)
      var said = Overlay(vendorOf: content(item, list.surface))
      if !former.contains(where: { $0.id == item.id }), let mine = own[place] {
        said = said.joined(with: mine)
      }
      edit(sku, place) { $0 = $0.joined(with: said) }
    }
    for (place, overlay) in own
    where place.provider == list.provider && place.surface == list.surface {
      var settled = overlay
      if let item = list.items.first(where: { $0.id == place.id }) {
        settled.settle(with: content(item, list.surface), at: now)
      } else {
        settled = Overlay()
      }
      own[place] = settled.isEmpty ? nil : settled
    }
    let listed = Set(
      lists.values.flatMap(\.values).joined().compactMap(\.sku))
    for (sku, rest) in unlisted where !listed.contains(sku) && now >= rest.since + 86_400 {
      unlisted[sku]?.answered.insert(list.provider)
      if unlisted[sku]?.answered.count == 3 { marks[sku] = nil }
    }
    for sku in marks.keys where !listed.contains(sku) && unlisted[sku] == nil {
      unlisted[sku] = (now, [list.provider])
    }
    unlisted = unlisted.filter { !listed.contains($0.key) && marks[$0.key] != nil }
  }

  mutating func act(
    _ action: ItemAction, on id: String, _ surface: Surface, of provider: ProviderID, at now: Date
  ) {
    let place = Place(provider: provider, surface: surface, id: id)
    own[place, default: Overlay()].record(action, at: now)
    if own[place]?.isEmpty == true { own[place] = nil }
    guard let sku = lists[provider]?[surface]?.first(where: { $0.id == id })?.sku else { return }
    edit(sku, place) { $0.record(action, at: now) }
  }

  mutating func undo(
    _ action: ItemAction, on id: String, _ surface: Surface, of provider: ProviderID
  ) {
    let place = Place(provider: provider, surface: surface, id: id)
    own[place]?.undo(action)
    if own[place]?.isEmpty == true { own[place] = nil }
    for sku in marks.keys where marks[sku]?[place] != nil { edit(sku, place) { $0.undo(action) } }
  }

  private mutating func edit(_ sku: String, _ place: Place, _ body: (inout Overlay) -> Void) {
    var overlay = marks[sku]?[place] ?? Overlay()
    body(&overlay)
    marks[sku, default: [:]][place] = overlay.isEmpty ? nil : overlay
    if marks[sku]?.isEmpty == true { marks[sku] = nil }
  }

  private func content(_ item: Item, _ surface: Surface) -> ItemContent {
    if surface == .inbox {
      var message = InboxMessage(ItemID("x", item.id), vendor: "paper")
      message.isRead = item.flags.contains("r")
      return .message(message)
    }
    var card = Card(ItemID("x", item.id), vendor: "paper", kind: .classic)
    card.isViewed = item.flags.contains("v")
    card.isClicked = item.flags.contains("l")
    card.isDismissed = item.flags.contains("d")
    return .card(card)
  }

  private func overlay(_ item: Item, _ provider: ProviderID, _ surface: Surface) -> Overlay {
    var overlay = own[Place(provider: provider, surface: surface, id: item.id)] ?? Overlay()
    for (place, mark) in item.sku.flatMap({ marks[$0] }) ?? [:] {
      overlay = overlay.joined(with: mark.seen(on: surface, from: place.surface))
    }
    return overlay
  }

  func cards(of provider: ProviderID) -> [String] {
    (lists[provider]?[.cards] ?? []).compactMap { item in
      guard case .card(let card) = content(item, .cards), !card.isDismissed else { return nil }
      let overlay = overlay(item, provider, .cards)
      return overlay.hides(at: now) ? nil : overlay.applied(to: card).state
    }
  }

  func messages(of provider: ProviderID) -> [String] {
    (lists[provider]?[.inbox] ?? []).compactMap { item in
      guard case .message(let message) = content(item, .inbox) else { return nil }
      let overlay = overlay(item, provider, .inbox)
      return overlay.hides(at: now) ? nil : overlay.applied(to: message).state
    }
  }
}

extension Card {
  fileprivate var state: String { "\(id.value) \(self.isViewed) \(self.isClicked)" }
}

extension InboxMessage {
  fileprivate var state: String { "\(id.value) \(isRead)" }
}
