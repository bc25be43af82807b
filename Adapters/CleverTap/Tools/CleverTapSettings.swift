import EngagementModel
import EngagementPlatform
import EngagementVendors

/// How CleverTap behaves towards its clients: what a dashboard sets, and what a test wants to try.
struct CleverTapSettings: Sendable {
  enum DeliveryMode: String, CaseIterable, Sendable {
    case clientSide = "CS"
    case serverSide = "SS"
  }

  /// The account and the token that alone are good; nil for any.
  var account: String?
  var token: Secret?
  var isMuted = false
  /// Until when, in milliseconds since 1970; nil for the clients' own day.
  var muteEnd: Int64?
  /// The authorities that the handshake names; nil for the one that the request was sent to.
  var domain: String?
  var viewedDomain: String?
  var hasTestProfiles = true
  var hasInboxV2 = true
  /// Whether batches are answered with the older inbox; nil while the newer one is off.
  var hasInboxV1: Bool?
  /// How campaigns are evaluated; nil sends both lists and no mode.
  var deliveryMode: DeliveryMode? = .clientSide
  /// The greatest numbers of impressions in a session and on a day.
  var sessionCap: Int64 = 10
  var dailyCap: Int64 = 10
  /// What a client is to send back with each batch.
  var additionalParameters = JSONObject()
  var discardedEvents: [String] = []
  /// The GUID that every client is to take; nil to leave them theirs.
  var guid: String?

  var listsInboxV1: Bool { hasInboxV1 ?? !hasInboxV2 }

  var muteHeaders: [(name: String, value: String)] {
    guard isMuted else { return [] }
    let end = muteEnd.map { [(name: "X-WZRK-MUTE-DURATION", value: "\($0)")] } ?? []
    return [(name: "X-WZRK-MUTE", value: "true")] + end
  }

  var arp: JSONObject {
    var arp = additionalParameters
    if !discardedEvents.isEmpty { arp["d_e"] = .array(discardedEvents.map(JSON.string)) }
    return arp
  }
}

extension CleverTapServer {
  /// The settings that `configure` knows; the README of this folder says what they do.
  static let settingNames = [
    "account", "token", "expireTokens", "muted", "muteSeconds", "domain", "viewedDomain",
    "testProfiles", "inboxV2", "inboxV1", "deliveryMode", "imc", "imp", "arp", "discardedEvents",
    "guid",
  ]

  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    let fields = try SettingFields(settings, allowed: Self.settingNames)
    var new = self.settings
    new.account = try Self.optional(fields, "account", new.account)
    new.token = try Self.optional(fields, "token", new.token?.revealed).map(Secret.init)
    new.domain = try Self.optional(fields, "domain", new.domain)
    new.viewedDomain = try Self.optional(fields, "viewedDomain", new.viewedDomain)
    new.guid = try Self.optional(fields, "guid", new.guid)
    new.hasTestProfiles = try fields.bool("testProfiles") ?? new.hasTestProfiles
    new.hasInboxV2 = try fields.bool("inboxV2") ?? new.hasInboxV2
    if fields.object["inboxV1"] == .null {
      new.hasInboxV1 = nil
    } else {
      new.hasInboxV1 = try fields.bool("inboxV1") ?? new.hasInboxV1
    }
    new.sessionCap = try fields.count("imc") ?? new.sessionCap
    new.dailyCap = try fields.count("imp") ?? new.dailyCap
    new.discardedEvents = try fields.texts("discardedEvents") ?? new.discardedEvents
    if let arp = fields.object["arp"] {
      guard let arp = arp.object else { throw fields.wrong("arp", "no object") }
      new.additionalParameters = arp
    }
    try Self.readMute(fields, &new, at: now)
    try Self.readDeliveryMode(fields, &new)
    let expires = try fields.bool("expireTokens") ?? false
    if new.deliveryMode != self.settings.deliveryMode { changeCampaigns() }
    self.settings = new
    if expires { expireCredentials(at: now) }
  }

  /// A text, or null to forget it.
  private static func optional(
    _ fields: SettingFields, _ key: String, _ old: String?
  ) throws(EngagementError) -> String? {
    fields.object[key] == .null ? nil : try fields.text(key) ?? old
  }

  private static func readMute(
    _ fields: SettingFields, _ settings: inout CleverTapSettings, at now: Date
  ) throws(EngagementError) {
    settings.isMuted = try fields.bool("muted") ?? settings.isMuted
    if fields.object["muteSeconds"] == .null {
      settings.muteEnd = nil
    } else if let seconds = try fields.count("muteSeconds") {
      settings.muteEnd = (Self.seconds(now) + seconds) * 1_000
    }
  }

  private static func readDeliveryMode(
    _ fields: SettingFields, _ settings: inout CleverTapSettings
  ) throws(EngagementError) {
    guard fields.object["deliveryMode"] != .null else {
      settings.deliveryMode = nil
      return
    }
    guard let text = try fields.text("deliveryMode") else { return }
    guard let mode = CleverTapSettings.DeliveryMode(rawValue: text) else {
      throw fields.wrong("deliveryMode", "neither CS nor SS")
    }
    settings.deliveryMode = mode
  }

  /// Makes every campaign new to the devices.
  private mutating func changeCampaigns() {
    for index in campaigns.indices { campaigns[index].stamp = stamp() }
  }
}
