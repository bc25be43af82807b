import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementVendors

/// A vendor server's data of each user: items as bytes, and the actions on them.
struct Belongings {
  private var items: [User: [Feed: [[UInt8]]]] = [:]
  private var marks: [User: Set<String>] = [:]
  /// The effects of the current request.
  private(set) var effects: [VendorEffect] = []

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    self.items[user, default: [:]][feed, default: []] += items
  }

  mutating func clear(_ feed: Feed, of user: User) { items[user]?[feed] = [] }

  /// The items as a JSON array, with the change applied to each object.
  func list(
    _ feed: Feed, of user: User, _ change: (inout JSONObject) -> Bool = { _ in true }
  ) -> [UInt8] {
    let all = items[user]?[feed] ?? []
    let listed = all.compactMap { bytes -> [UInt8]? in
      guard case .object(var object)? = try? JSON(parsing: bytes) else { return bytes }
      let before = object
      guard change(&object) else { return nil }
      return object == before ? bytes : JSON.object(object).encoded()
    }
    return Array("[".utf8) + listed.joined(separator: Array(",".utf8)) + Array("]".utf8)
  }

  /// The item whose `member` holds the id.
  func item(_ id: String, _ member: String, in feed: Feed, of user: User) -> JSONObject? {
    (items[user]?[feed] ?? []).lazy.compactMap { (try? JSON(parsing: $0))?.object }
      .first { $0[member]?.string?.hasSameBytes(as: id) == true }
  }

  /// Whether the user has set the mark on the item.
  func has(_ mark: String, on id: String, by user: User) -> Bool {
    marks[user]?.contains("\(mark) \(id)") ?? false
  }

  /// Sets a mark; a repeat has no effect.
  mutating func mark(_ mark: String, on id: String, by user: User) {
    guard marks[user, default: []].insert("\(mark) \(id)").inserted else { return }
    note(mark, of: id, by: user, id: mark)
  }

  mutating func note(
    _ name: String, of item: String? = nil, by user: User, id: String? = nil, time: Int64? = nil
  ) {
    effects.append(
      VendorEffect(
        name, of: item ?? "", by: user.id?.rawValue ?? "anonymous", id: id, time: time))
  }

  /// The answer to a request, with its effects.
  mutating func answer(_ reply: VendorReply) -> VendorAnswer {
    defer { effects = [] }
    return VendorAnswer(reply: reply, effects: effects)
  }
}
