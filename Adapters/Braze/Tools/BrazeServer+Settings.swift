import EngagementModel
import EngagementPlatform
import EngagementVendors

extension BrazeServer {
  /// The settings that `configure` knows; the documentation of the module says what they do.
  static let settingNames = [
    "cardsEnabled", "authentication", "refuseTokens", "refreshRateLimit", "rateLimit", "syncLimit",
    "requiresSession", "messagingSessionTimeout", "minimumSessionTimeout", "blockedAPIKeys",
    "eventsBlacklist",
    "attributesBlacklist",
    "purchasesBlacklist",
  ]

  mutating func configure(_ settings: JSON, at now: Date) throws(EngagementError) {
    let fields = try SettingFields(settings, allowed: Self.settingNames)
    var new = self.settings
    new.cardsEnabled = try fields.bool("cardsEnabled") ?? new.cardsEnabled
    new.refusesTokens = try fields.bool("refuseTokens") ?? new.refusesTokens
    new.refreshRateLimit = try fields.count("refreshRateLimit") ?? new.refreshRateLimit
    new.requiresSession = try fields.bool("requiresSession") ?? new.requiresSession
    new.messagingSessionTimeout =
      try fields.count("messagingSessionTimeout") ?? new.messagingSessionTimeout
    new.minimumSessionTimeout =
      try fields.count("minimumSessionTimeout") ?? new.minimumSessionTimeout
    new.blockedAPIKeys = try fields.texts("blockedAPIKeys").map { Set($0) } ?? new.blockedAPIKeys
    new.eventsBlacklist = try fields.texts("eventsBlacklist") ?? new.eventsBlacklist
    new.attributesBlacklist = try fields.texts("attributesBlacklist") ?? new.attributesBlacklist
    new.purchasesBlacklist = try fields.texts("purchasesBlacklist") ?? new.purchasesBlacklist
    if let text = try fields.text("authentication") {
      guard let authentication = BrazeSettings.Authentication(rawValue: text) else {
        throw fields.wrong("authentication", "none of off, optional and required")
      }
      new.authentication = authentication
    }
    try Self.readLimits(fields, &new)
    new.changedAt = stamp(now)
    self.settings = new
  }

  private static func readLimits(
    _ fields: SettingFields, _ settings: inout BrazeSettings
  ) throws(EngagementError) {
    if let json = fields.object["rateLimit"] {
      let names = ["enabled", "capacity", "refillRate"]
      let limit = try SettingFields(json, allowed: names, prefix: "rateLimit.")
      settings.rateLimit = (
        try limit.bool("enabled") ?? true, try limit.count("capacity") ?? 5,
        try limit.count("refillRate") ?? 90
      )
    }
    if let json = fields.object["syncLimit"] {
      guard json != .null else {
        settings.syncLimit = nil
        return
      }
      let limit = try SettingFields(
        json, allowed: ["capacity", "refillSeconds"], prefix: "syncLimit.")
      let seconds = Double(try limit.count("refillSeconds") ?? 180)
      guard seconds > 0 else { throw limit.wrong("refillSeconds", "0") }
      settings.syncLimit = BrazeSettings.SyncLimit(
        capacity: Int(try limit.count("capacity") ?? 5), refillSeconds: seconds)
    }
  }
}
