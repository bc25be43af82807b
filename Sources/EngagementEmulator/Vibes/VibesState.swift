import EngagementModel

import struct FoundationEssentials.Date

/// How Vibes behaves towards its clients.
struct VibesSettings: Sendable {
  var inboxEnabled = true
  /// How long a token is good, in seconds; nil for as long as it is not renewed.
  var tokenLifetime: Int64?
}

/// A device that was registered.
struct VibesDevice: Sendable {
  var token: Secret
  var expiresAt: Date?
  var person: String
  var details: JSONObject
  var pushToken: Secret?
}

/// A person, known by a name from outside or not.
struct VibesPerson: Sendable {
  /// What a person did to a message.
  struct MessageState: Sendable {
    var isRead: Bool?
    var expiresAt: Date?
  }

  var externalID: String?
  var phone: String?
  var messages: [String: MessageState] = [:]
}

/// A message as the vendor has it, the same for everyone.
struct VibesMessage: Sendable {
  var members: JSONObject
  var createdAt: Date

  var uid: String { members["message_uid"]?.string ?? "" }
}
