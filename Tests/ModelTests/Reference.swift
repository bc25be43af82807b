import EngagementModel

/// What must be true, kept as plainly as possible: who did what, in which order, and what must
/// not come back.
struct Reference {
  /// Something that was accepted.
  struct Deed: Hashable {
    var number: Int
    var user: User
    /// The item, or nil for an event of the application's own.
    var item: String?
    var action: String
  }

  /// In the order in which they were accepted.
  var deeds: [Deed] = []
  /// Deeds of these users were taken away, each up to this number.
  var wiped: [User: Int] = [:]
  /// Deeds of anonymous use up to this number are this user's now.
  var adoptions: [(user: User, upTo: Int)] = []
  /// What the vendor may have refused for good while it refused.
  var mayBeRefused: Set<Int> = []
  /// Items that their user took away.
  var gone: [User: Set<String>] = [:]
  private var last = 0

  mutating func accept(_ action: String, on item: String?, by user: User) -> Int {
    last += 1
    deeds.append(Deed(number: last, user: user, item: item, action: action))
    return last
  }

  /// What was done so far in anonymous use is the user's now.
  mutating func adopt(_ user: User) {
    for index in deeds.indices where deeds[index].user.isAnonymous { deeds[index].user = user }
    gone[user, default: []].formUnion(gone.removeValue(forKey: .anonymous) ?? [])
  }

  /// What the user did so far need not arrive any more.
  mutating func wipe(_ user: User) { wiped[user] = last }

  func mustArrive(_ deed: Deed) -> Bool {
    deed.number > wiped[deed.user] ?? 0 && !mayBeRefused.contains(deed.number)
  }
}
