import EngagementModel
import EngagementPlatform

/// How Atomic behaves towards its clients.
struct AtomicSettings: Sendable {
  /// The API key that alone is good; nil for any.
  var apiKey: String?
  /// The containers that there are; nil for every id of letters, digits, `-` and `_`.
  var containers: [String]?
  /// How many seconds a token may be good.
  var maximumTokenAge: Int64 = 604_800
  /// Whether a request without a header of the vendor's clients is refused.
  var isStrict = true
  /// Whether a refusal has the status 200 and its `errors`.
  var hasErrorsInOK = false
  /// Whether the socket opens.
  var hasSocket = true
  /// Whether the socket answers a `custom-ping`.
  var answersPings = true
}

/// A device that gets pushes.
struct AtomicServerDevice: Sendable {
  var token: Secret?
  var platform: String?
  var user: String
  var containers: [String] = []
  var notificationsEnabled: Bool?
}

/// An open web socket.
struct AtomicServerSocket: Sendable {
  /// A feed that a client is kept up to date about.
  struct Subscription: Sendable {
    var id: String
    var container: String
    var filter: AtomicServerFilter
    /// What the client has: the version of each card, by its id.
    var sent: [String: AtomicListedCard.Version] = [:]
    /// How many cards the client has, also those without an id.
    var total = 0
    /// The revision of the cards that it was last compared with.
    var revision: Int
    /// When the feed next changes by itself.
    var nextChange: Date?
    var comparedAt: Date
  }

  /// The token of the last `auth`; nil before, and after the token has expired.
  var token: AtomicServerToken?
  var subscriptions: [Subscription] = []
}

/// A card in the list of one user.
struct AtomicListedCard: Sendable {
  /// Differs when a client has to be told of the card again.
  struct Version: Hashable, Sendable {
    var revision: Int
    var activeSince: Date?
  }

  var id: String
  var version: Version
  var bytes: [UInt8]
}
