import EngagementModel

/// A simple model of the invariants: each user's deeds in order, and the items that must stay
/// hidden.
struct Reference {
  /// An accepted action or event.
  struct Deed: Hashable {
    var number: Int
    var user: User
    /// The item; nil for a custom event.
    var item: String?
    var action: String
  }

  /// All deeds in the order of acceptance.
  var deeds: [Deed] = []
  /// Users whose deeds up to this number were wiped.
  var wiped: [User: Int] = [:]
  /// Deeds that the vendor may have rejected.
  var mayBeRefused: Set<Int> = []
  /// Items that their user has removed.
  var gone: [User: Set<String>] = [:]
  private var last = 0

  mutating func accept(_ action: String, on item: String?, by user: User) -> Int {
    last += 1
    deeds.append(Deed(number: last, user: user, item: item, action: action))
    return last
  }

  /// Gives the anonymous deeds so far to the user.
  mutating func adopt(_ user: User) {
    for index in deeds.indices where deeds[index].user.isAnonymous { deeds[index].user = user }
    gone[user, default: []].formUnion(gone.removeValue(forKey: .anonymous) ?? [])
  }

  /// The user's deeds so far need not arrive.
  mutating func wipe(_ user: User) { wiped[user] = last }

  func mustArrive(_ deed: Deed) -> Bool {
    deed.number > wiped[deed.user] ?? 0 && !mayBeRefused.contains(deed.number)
  }
}
