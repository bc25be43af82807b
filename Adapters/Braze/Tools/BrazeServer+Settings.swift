import EngagementModel
import EngagementPlatform
import EngagementVendors

extension BrazeServer {
  /// The settings that `configure` knows; the documentation of the module says what they do.
  static let settingNames = [
    "cardsEnabled", "authentication", "refuseTokens", "refreshRateLimit", "rateLimit", "syncLimit",
    "requestLimit", "endpointLimits", "requestBackoff", "dataPause",
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
    if let pause = fields.object["dataPause"] {
      new.dataPause = pause == .null ? nil : try fields.count("dataPause")
    }
    try Self.readLimits(fields, &new)
    try Self.readRequestLimits(fields, &new)
    new.changedAt = stamp(now)
    self.settings = new
  }

  private static func readRequestLimits(
    _ fields: SettingFields, _ settings: inout BrazeSettings
  ) throws(EngagementError) {
    func limit(_ json: JSON, _ name: String) throws(EngagementError) -> (Int64, Double) {
      let limit = try SettingFields(json, allowed: ["capacity", "refillRate"], prefix: "\(name).")
      guard let rate = limit.object["refillRate"]?.number, rate > 0 else {
        throw limit.wrong("refillRate", "no number above zero")
      }
      return (try limit.count("capacity") ?? 30, rate)
    }
    if let json = fields.object["requestLimit"] {
      settings.requestLimit = try limit(json, "requestLimit")
    }
    if let json = fields.object["endpointLimits"] {
      settings.endpointLimits = [:]
      let paths = try SettingFields(
        json, allowed: ["data", "content_cards/sync", "template"], prefix: "endpointLimits.")
      for member in paths.object.members {
        settings.endpointLimits[member.key] = try limit(
          member.value, "endpointLimits.\(member.key)")
      }
    }
    if let json = fields.object["requestBackoff"] {
      guard json != .null else {
        settings.requestBackoff = nil
        return
      }
      let backoff = try SettingFields(
        json, allowed: ["shortest", "longest", "factor"], prefix: "requestBackoff.")
      settings.requestBackoff = (
        try backoff.count("shortest") ?? 1_000, try backoff.count("longest") ?? 60_000,
        backoff.object["factor"]?.number ?? 2
      )
    }
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
