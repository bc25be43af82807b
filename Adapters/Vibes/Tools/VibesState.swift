import EngagementModel
import EngagementPlatform

/// How Vibes behaves towards its clients.
struct VibesSettings: Sendable {
  var inboxEnabled = true
  /// How long a token is good, in seconds; nil for as long as it is not renewed.
  var tokenLifetime: Int64?
  /// What every token begins with, so that a test finds one that leaks.
  var tokenPrefix = ""
  /// Whether a new device's id is Base64, in which `/`, `+` and `=` occur, and not a UUID.
  var hasBase64DeviceIDs = false
}

/// A device that was registered.
struct RegisteredVibesDevice: Sendable {
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

/// A message as the vendor has it.
struct VibesMessage: Sendable {
  var members: JSONObject
  var createdAt: Date
  /// The user who alone has it; nil for everyone's.
  var owner: User?
  /// Bytes that are listed unchanged and may be malformed; nil for a message that has members.
  var bytes: [UInt8]?

  var uid: String { members["message_uid"]?.string ?? "" }
}
