import EngagementModel
import EngagementVendors

/// What all of Braze's calls have in common.
struct BrazeRequest: Sendable {
  let body: JSONObject
  /// The JSON Web Token of the SDK authentication; never in a record.
  let signature: Secret?

  init(_ body: JSONObject, _ call: VendorRequest) {
    self.body = body
    signature = call.header("X-Braze-Auth-Signature").map(Secret.init)
  }

  var apiKey: String { body["api_key"]?.string ?? "" }
  var device: String { body["device_id"]?.string ?? "" }
  var respondWith: JSON? { body["respond_with"] }

  /// Who is signed in. Android's data calls say it in `respond_with` alone.
  var userID: String? {
    let user = body["user_id"]?.string ?? respondWith?["user_id"]?.string
    return user.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The signed-in user, or an anonymous one.
  var person: User { userID.map { User(UserID($0)) } ?? .anonymous }

  /// The user's name at this server.
  var user: String { userID ?? Self.anonymous(device) }

  static func anonymous(_ device: String) -> String { "anonymous:\(device)" }

  /// The users of the events and attributes inside, where they say.
  var mentionedUsers: [String] {
    ["events", "attributes"].flatMap { body[$0]?.array ?? [] }
      .compactMap { $0["user_id"]?.string }
  }
}

/// A device that was heard of.
struct KnownBrazeDevice: Sendable {
  var user: String?
  /// The session that its user began and has not ended.
  var session: String?
  /// What is left of its allowance of syncs, and when that was so.
  var bucket: (tokens: Double, time: Double)?
}

/// A user, signed in or not.
struct BrazeProfile: Sendable {
  /// What a user did to a card.
  struct CardState: Sendable {
    var isViewed = false
    var isClicked = false
    var isDismissed = false
    var stamp: Int64 = 0
  }

  var cards: [String: CardState] = [:]
  var attributes = JSONObject()
  var custom = JSONObject()
}
