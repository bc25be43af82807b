import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors

/// A device that was heard of: the vendor's GUID.
struct CleverTapDevice: Sendable {
  /// The name of its profile in the record.
  var profile: String
  /// The stamps up to which it was told of campaigns and of messages.
  var toldCampaigns: Int64 = -1
  var toldMessages: Int64 = -1
}

/// A person, known by an identity or not.
struct CleverTapServerProfile: Sendable {
  var identity: String?
  var attributes = JSONObject()
  /// The types of the push tokens that it has.
  var tokens: [Secret: String] = [:]
  var readMessages: Set<String> = []
  var deletedMessages: Set<String> = []
  /// When it opted out, and whether the vendor's own events still come; nil if it did not.
  var optOut: (time: Int64, allowsSystemEvents: Bool)?

  var user: User { identity.map { User(UserID($0)) } ?? .anonymous }
}

/// A campaign as the vendor has it.
struct CleverTapCampaign: Sendable {
  /// The list of an answer in which a client finds it.
  enum Delivery: String, CaseIterable, Sendable {
    case immediate = "inapp_notifs"
    case clientSide = "inapp_notifs_cs"
    case serverSide = "inapp_notifs_ss"
    case appLaunched = "inapp_notifs_applaunched"
  }

  /// The wire's members.
  var members: JSONObject
  var delivery: Delivery
  /// When it changed last.
  var stamp: Int64
  /// The user who alone has it; nil for everyone's.
  var owner: User?
  /// Bytes that are listed unchanged and may be malformed; nil for one that has members.
  var bytes: [UInt8]?

  /// Numbers and texts are the same id: the clients read both.
  var id: String { Self.id(members["ti"]) ?? "" }

  static func id(_ json: JSON?) -> String? { json?.integer.map { "\($0)" } ?? json?.string }

  /// What a client needs to evaluate a campaign that the server delivers later.
  private static let announced = [
    "ti", "whenTriggers", "frequencyLimits", "occurrenceLimits", "priority", "excludeGlobalFCaps",
    "inactionDuration", "wzrk_pivot",
  ]

  func isVisible(to user: User, at time: Int64) -> Bool {
    guard owner == nil || owner == user else { return false }
    guard bytes == nil else { return true }
    return members["wzrk_ttl"]?.integer.map { $0 > time } ?? true
  }

  var listed: [UInt8] {
    if let bytes, delivery != .serverSide { return bytes }
    guard delivery == .serverSide else { return whole }
    return JSON.object(
      JSONObject(uniqueMembers: members.members.filter { Self.announced.contains($0.key) })
    ).encoded()
  }

  var whole: [UInt8] { bytes ?? JSON.object(members).encoded() }
}

/// A message of the inbox as the vendor has it.
struct CleverTapMessage: Sendable {
  /// The wire's members.
  var members: JSONObject
  /// When it changed last.
  var stamp: Int64
  /// The user who alone has it; nil for everyone's.
  var owner: User?
  /// Bytes that are listed unchanged and may be malformed; nil for one that has members.
  var bytes: [UInt8]?

  var id: String { members["_id"]?.string ?? "" }

  func isVisible(to profile: CleverTapServerProfile, at time: Int64) -> Bool {
    guard owner == nil || owner == profile.user, !profile.deletedMessages.contains(id) else {
      return false
    }
    guard bytes == nil else { return true }
    let end = members["wzrk_ttl"]?.integer ?? 0
    return end <= 0 || end > time
  }

  /// The message as it stands in a list; the read state is the newer inbox's alone.
  func listed(for profile: CleverTapServerProfile, withReadState: Bool) -> [UInt8] {
    let isRead = profile.readMessages.contains(id)
    if let bytes, !isRead { return bytes }
    var message = members
    if withReadState, isRead || message["isRead"] == nil { message["isRead"] = .bool(isRead) }
    return JSON.object(message).encoded()
  }
}

/// Something to download.
struct CleverTapFile: Sendable {
  var name: String
  var contentType: String
  var bytes: [UInt8]
  var status: Int64 = 200
  /// Where the client is sent instead.
  var redirect: String?

  /// The file as the control interface lists it.
  var json: JSON {
    var file: JSONObject = [
      "file": .string(name), "contentType": .string(contentType),
      "size": .integer(Int64(bytes.count)),
    ]
    if status != 200 { file["status"] = .integer(status) }
    file["redirect"] = redirect.map(JSON.string)
    return .object(file)
  }
}
