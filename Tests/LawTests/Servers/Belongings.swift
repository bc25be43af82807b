import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementVendors

/// What a vendor's server keeps of each user: items as bytes, and what was done to them.
struct Belongings {
  private var items: [User: [Feed: [[UInt8]]]] = [:]
  private var marks: [User: Set<String>] = [:]
  /// What the request that is answered now has changed.
  private(set) var effects: [VendorEffect] = []

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User) {
    self.items[user, default: [:]][feed, default: []] += items
  }

  mutating func clear(_ feed: Feed, of user: User) { items[user]?[feed] = [] }

  /// The items as a JSON array, each as the change makes it; what is no object stays as it is.
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

  /// The item of that id, by the member that holds it.
  func item(_ id: String, _ member: String, in feed: Feed, of user: User) -> JSONObject? {
    (items[user]?[feed] ?? []).lazy.compactMap { (try? JSON(parsing: $0))?.object }
      .first { $0[member]?.string?.hasSameBytes(as: id) == true }
  }

  /// Whether the user did that to the item.
  func has(_ mark: String, on id: String, by user: User) -> Bool {
    marks[user]?.contains("\(mark) \(id)") ?? false
  }

  /// Does what has the same effect however often it comes.
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

  /// The answer to a request, with what it changed.
  mutating func answer(_ reply: VendorReply) -> VendorAnswer {
    defer { effects = [] }
    return VendorAnswer(reply: reply, effects: effects)
  }
}
