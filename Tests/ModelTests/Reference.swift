import EngagementModel

/// A simple model of the invariants: each user's deeds in order, and the items that must stay
/// hidden.
struct Reference {
  /// An accepted action or event.
  struct Deed: Hashable {
    var number: Int
    var user: User
    /// The provider that has to hear of it.
    var provider: ProviderID
    /// The item; nil for a custom event.
    var item: String?
    var action: String
  }

  /// All deeds in the order of acceptance.
  var deeds: [Deed] = []
  /// Users whose deeds up to this number were wiped.
  var wiped: [User: Int] = [:]
  /// The numbers of deeds that a vendor may have rejected.
  var mayBeRefused: [ProviderID: Set<Int>] = [:]
  /// Items that their user has removed.
  var gone: [User: Set<ItemID>] = [:]
  /// The arm of the experiment that the user has seen, by its provider.
  var arms: [User: ProviderID] = [:]
  private var last = 0

  /// The deed's number. An event is one deed for each provider that it goes to.
  mutating func accept(
    _ action: String, on item: String?, by user: User, to providers: [ProviderID]
  ) -> Int {
    last += 1
    deeds += providers.map {
      Deed(number: last, user: user, provider: $0, item: item, action: action)
    }
    return last
  }

  /// Who was signed in before the anonymous stay; nil if nobody was.
  private var former: User?
  /// The last deed of earlier anonymous stays: nobody adopts those.
  private var earlier = 0

  /// An anonymous stay begins after that user.
  mutating func leave(_ user: User) {
    former = user
    earlier = last
  }

  /// Gives the deeds of the anonymous stay to the user, unless another user was here before.
  mutating func adopt(_ user: User) {
    let own = gone.removeValue(forKey: .anonymous) ?? []
    guard former == nil || former == user else { return }
    for index in deeds.indices
    where deeds[index].user.isAnonymous && deeds[index].number > earlier {
      deeds[index].user = user
    }
    gone[user, default: []].formUnion(own)
  }

  /// The user's deeds so far need not arrive.
  mutating func wipe(_ user: User) { wiped[user] = last }

  func mustArrive(_ deed: Deed) -> Bool {
    deed.number > wiped[deed.user] ?? 0
      && mayBeRefused[deed.provider]?.contains(deed.number) != true
  }
}
