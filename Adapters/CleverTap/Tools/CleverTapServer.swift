import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// CleverTap: the handshake, batches of events, campaigns, both inboxes, templates and files.
///
/// Nothing here is de-duplicated, since CleverTap does not: an event that comes twice happened twice.
/// What no client of the vendor sends is refused as a whole with 400. What the clients clean before
/// they send it has no effect but one named `fault`, whose subject says what is wrong.
struct CleverTapServer: VendorServer {
  static let paths = [
    "GET /hello", "POST /a1", "POST /defineTemplates", "POST /inbox/v2/getMessages",
    "POST /inbox/v2/deleteMessages", "GET /files/{name}",
  ]

  var settings = CleverTapSettings()
  var campaigns: [CleverTapCampaign]
  var messages: [CleverTapMessage]
  var files: [CleverTapFile]
  /// What was defined, as it came.
  var templates = JSONObject()
  /// The ids of campaigns that were removed, and the stamps of their removal.
  var stale: [(id: String, stamp: Int64)] = []
  /// Profiles by the names that the record has for them.
  var profiles: [String: CleverTapServerProfile] = [:]
  /// Devices by their GUIDs.
  var devices: [String: CleverTapDevice] = [:]
  var numbers: SeededNumbers
  /// The stamp of the last change of an item; each change has its own.
  private(set) var lastStamp: Int64 = 0

  /// The tokens that were accepted, and those of them that have been expired since.
  private var usedTokens: Set<Secret> = []
  private var expiredTokens: Set<Secret> = []

  init(seed: UInt64?, at now: Date) {
    numbers = SeededNumbers(seed: (seed ?? 1) ^ 0xc7e7)
    let time = Self.seconds(now)
    campaigns = seed == nil ? [] : CleverTapSeed.campaigns(&numbers, at: time)
    messages = seed == nil ? [] : CleverTapSeed.messages(&numbers, at: time)
    files = seed == nil ? [] : CleverTapSeed.files
  }

  mutating func answer(_ call: VendorRequest, at now: Date) -> VendorAnswer {
    guard let segments = call.segments else { return Self.unknown(call) }
    if call.method == "GET", segments.count == 2, segments[0] == "files" {
      return file(segments[1], call)
    }
    do throws(CleverTapRefusal) {
      switch "\(call.method) \(segments.joined(separator: "/"))" {
      case "GET hello": return try hello(call)
      case "POST a1": return try events(try batch(call, .events), call, at: now)
      case "POST defineTemplates": return try defineTemplates(try batch(call, .templates))
      case "POST inbox/v2/getMessages": return try inboxMessages(try batch(call, .fetch), call, now)
      case "POST inbox/v2/deleteMessages": return try deleteMessages(try batch(call, .delete))
      default: return Self.unknown(call)
      }
    } catch {
      return error.answer
    }
  }

  /// The handshake, which tells a client the domains for all that follows.
  private mutating func hello(_ call: VendorRequest) throws(CleverTapRefusal) -> VendorAnswer {
    try authorize(call)
    try CleverTapServerBatch.checkQuery(of: call, isOptional: true, hasTime: false)
    var reply = VendorReply(json: [:])
    let domain = settings.domain ?? call.header("Host") ?? ""
    reply.headers.append(("X-WZRK-RD", domain))
    reply.headers.append(("X-WZRK-SPIKY-RD", settings.viewedDomain ?? domain))
    reply.headers += settings.muteHeaders
    return VendorAnswer(reply: reply, summary: "handshake")
  }

  private mutating func batch(
    _ call: VendorRequest, _ kind: CleverTapServerBatch.Kind
  ) throws(CleverTapRefusal) -> CleverTapServerBatch {
    try authorize(call)
    let batch = try CleverTapServerBatch(call, kind)
    welcome(batch)
    return batch
  }

  /// The vendor takes the token in clear; it signs nothing.
  private mutating func authorize(_ call: VendorRequest) throws(CleverTapRefusal) {
    let account = call.header("X-CleverTap-Account-Id") ?? ""
    let token = Secret(call.header("X-CleverTap-Token") ?? "")
    guard !account.isEmpty, !token.revealed.isEmpty else {
      throw CleverTapRefusal(401, "The headers of the account and its token are not both there")
    }
    guard settings.account.map({ $0 == account }) ?? true else {
      throw CleverTapRefusal(403, "There is no such account")
    }
    guard settings.token.map({ $0 == token }) ?? true, !expiredTokens.contains(token) else {
      throw CleverTapRefusal(401, "The token is not the account's")
    }
    usedTokens.insert(token)
  }

  mutating func expireCredentials(at now: Date) { expiredTokens = usedTokens }

  /// A stamp for a change that happens now.
  mutating func stamp() -> Int64 {
    lastStamp += 1
    return lastStamp
  }

  static func seconds(_ date: Date) -> Int64 { Epoch.wholeSeconds(of: date) ?? 0 }
}

/// A request that the vendor does not take.
struct CleverTapRefusal: Error {
  let status: Int
  let reason: String
  /// The vendor's own code; nil where it is not known to have one.
  var code: Int64?

  init(_ status: Int, _ reason: String, code: Int64? = nil) {
    self.status = status
    self.reason = reason
    self.code = code
  }

  var answer: VendorAnswer {
    var body: JSONObject = ["error": .string(reason)]
    body["code"] = code.map(JSON.integer)
    return VendorAnswer(reply: VendorReply(status, json: .object(body)), summary: reason)
  }
}
