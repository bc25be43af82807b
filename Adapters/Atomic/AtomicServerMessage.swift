import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// A message from the server. Any bytes give a message.
enum AtomicServerMessage {
  case authenticated
  /// The token has expired or is invalid.
  case tokenRefused
  case pong
  case updates([AtomicUpdate])
  /// The vendor has confirmed these events.
  case processed([EventID])
  /// The vendor refuses a subscription, or those of the message that asked for them.
  case subscriptionRefused(String?, message: String?)
  /// A message without an effect in this version.
  case other

  init(_ bytes: [UInt8]) { self = (try? Self.read(bytes)) ?? .other }

  private static func read(_ bytes: [UInt8]) throws(JSONFault) -> AtomicServerMessage {
    var cursor = JSONCursor(bytes)
    guard try cursor.enterObject() else { return .other }
    var type: JSONKey?
    var data: ArraySlice<UInt8> = []
    while let key = try cursor.nextKey() {
      switch key {
      case "messageType": type = try cursor.string().map(JSONKey.init(_:))
      // A faulty card affects only itself, so it must not make the message fail here.
      case "data": data = try cursor.item(at: 0).bytes
      default: _ = try cursor.item(at: 0)
      }
    }
    try cursor.finish()
    return try message(type, data)
  }

  private static func message(
    _ type: JSONKey?, _ data: ArraySlice<UInt8>
  ) throws(JSONFault) -> AtomicServerMessage {
    switch type {
    case "auth-success": return .authenticated
    case "token-expiry": return .tokenRefused
    case "custom-pong": return .pong
    case "update-cards": return .updates(try AtomicUpdate.list(data))
    case "events-processed":
      return .processed(try JSONFields(data).strings("eventIds")?.map(EventID.init(_:)) ?? [])
    case "error": return failure(try JSONFields(data))
    default: return .other
    }
  }

  private static func failure(_ data: JSONFields) -> AtomicServerMessage {
    switch data.string("errorType").map(JSONKey.init(_:)) {
    case "invalid-token", "expired-token": .tokenRefused
    case "invalid-stream-container-id", "invalid-filter":
      .subscriptionRefused(data.string("subscriptionId"), message: data.string("messageId"))
    default: .other
    }
  }
}

/// An update of one feed.
struct AtomicUpdate {
  private let subscription: String
  private let news: News

  private enum News {
    case replaced([RawItem], total: Int?)
    case put(RawItem)
    case removed(String)
    case counted(Int)

    var isReplacement: Bool { if case .replaced = self { true } else { false } }
  }

  /// The updates in a message. An invalid update is left out.
  static func list(_ data: ArraySlice<UInt8>) throws(JSONFault) -> [AtomicUpdate] {
    var cursor = JSONCursor(data)
    guard try cursor.enterObject() else { return [] }
    var (updates, totals): ([AtomicUpdate], [AtomicUpdate]) = ([], [])
    while let key = try cursor.nextKey() {
      switch key {
      case "updates": updates = (try cursor.items() ?? []).compactMap { AtomicUpdate($0.bytes) }
      case "meta":
        let meta = try cursor.item(at: 0).bytes
        totals = (try? Self.totals(meta)) ?? []
      default: _ = try cursor.item(at: 0)
      }
    }
    return updates + totals
  }

  /// How many cards each subscription has after the updates.
  private static func totals(_ meta: ArraySlice<UInt8>) throws(JSONFault) -> [AtomicUpdate] {
    let subscriptions = try JSONFields(meta).fields("subscriptions")
    return (subscriptions?.members ?? []).compactMap { member in
      let total = (try? JSONFields(member.value))?.integer("totalCards")
      return total.flatMap { Int(exactly: $0) }.map { AtomicUpdate(member.key, .counted($0)) }
    }
  }

  private init?(_ bytes: ArraySlice<UInt8>) {
    guard let update = try? Self.read(bytes) else { return nil }
    self = update
  }

  private init(_ subscription: String, _ news: News) {
    self.subscription = subscription
    self.news = news
  }

  private static func read(_ bytes: ArraySlice<UInt8>) throws(JSONFault) -> AtomicUpdate? {
    var cursor = JSONCursor(bytes)
    guard try cursor.enterObject() else { return nil }
    var type: JSONKey?
    var data: ArraySlice<UInt8> = []
    while let key = try cursor.nextKey() {
      switch key {
      case "type": type = try cursor.string().map(JSONKey.init(_:))
      case "data": data = try cursor.item(at: 0).bytes
      default: _ = try cursor.item(at: 0)
      }
    }
    let content = try Content(data)
    guard let subscription = content.subscription, let news = content.news(type) else {
      return nil
    }
    return AtomicUpdate(subscription, news)
  }

  /// The members of an update's data, for all types of updates.
  private struct Content {
    var subscription: String?
    private var items: [RawItem]?
    private var total: Int?
    private var item: RawItem?
    private var id: String?

    init(_ data: ArraySlice<UInt8>) throws(JSONFault) {
      var cursor = JSONCursor(data)
      guard try cursor.enterObject() else { return }
      while let key = try cursor.nextKey() {
        switch key {
        case "subscriptionId": subscription = try cursor.string()
        case "cardInstances": try readInstances(&cursor)
        case "cardInstance": item = try cursor.item(at: 0)
        case "cardInstanceId": id = try cursor.string()
        default: _ = try cursor.item(at: 0)
        }
      }
    }

    private mutating func readInstances(_ cursor: inout JSONCursor) throws(JSONFault) {
      guard try cursor.enterObject() else { return }
      while let key = try cursor.nextKey() {
        switch key {
        case "instances": items = try cursor.items()
        case "totalCards": total = try cursor.integer().flatMap { Int(exactly: $0) }
        default: _ = try cursor.item(at: 0)
        }
      }
    }

    func news(_ type: JSONKey?) -> News? {
      switch type {
      case "replace-feed": items.map { .replaced($0, total: total) }
      case "update-card": item.map(News.put)
      case "remove-card": id.map(News.removed)
      default: nil
      }
    }
  }

  // MARK: Changes

  /// The changes of the updates. Whole feeds come first, wherever they are in the message. Updates
  /// of an unknown subscription are ignored, because it was cancelled.
  static func changes(
    _ updates: [AtomicUpdate], _ entry: (String) -> AtomicSubscriptions.Entry?
  ) -> [Change] {
    var changes: [Change] = []
    var tags: Set<String> = []
    let ordered = updates.filter(\.news.isReplacement) + updates.filter { !$0.news.isReplacement }
    for update in ordered {
      guard let entry = entry(update.subscription) else { continue }
      changes += update.changes(of: entry.feed)
      // The stored HTTP tag belongs to an earlier state of the feed. With it, a later 304 would
      // keep the feed that the socket sent.
      if tags.insert(entry.tag).inserted { changes.append(.keep(.user, entry.tag, nil)) }
    }
    return changes
  }

  private func changes(of feed: Feed) -> [Change] {
    switch news {
    case .replaced(let items, let total):
      let list = Change.items(feed, .replace(.nothing), items)
      return [list] + (total.map { [.total(feed, max(0, $0))] } ?? [])
    case .put(let item): return [.items(feed, .put, [item])]
    case .removed(let id): return [.removed(feed, ids: [id])]
    case .counted(let total): return [.total(feed, max(0, total))]
    }
  }
}
