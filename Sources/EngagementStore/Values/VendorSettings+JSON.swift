import EngagementAdapterAPI
import EngagementModel

extension VendorSettings {
  /// The stored form.
  var json: JSON {
    ObjectEncoder([
      "cardsEnabled": cardsEnabled, "inboxEnabled": inboxEnabled,
      "sessionTimeout": sessionTimeout?.milliseconds,
      "campaignsPerSession": campaignCaps?.perSession, "campaignsPerDay": campaignCaps?.perDay,
    ]).json
  }

  init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "settings"))
    let timeout: Int64? = try fields.read("sessionTimeout")
    let caps = CampaignCaps(
      perSession: try fields.read("campaignsPerSession"),
      perDay: try fields.read("campaignsPerDay"))
    self.init(
      cardsEnabled: try fields.read("cardsEnabled"), inboxEnabled: try fields.read("inboxEnabled"),
      sessionTimeout: timeout.map { .milliseconds($0) },
      campaignCaps: caps == CampaignCaps() ? nil : caps)
  }

  /// Takes the other's values; a nil there leaves the value unchanged.
  mutating func merge(_ other: VendorSettings) {
    cardsEnabled = other.cardsEnabled ?? cardsEnabled
    inboxEnabled = other.inboxEnabled ?? inboxEnabled
    if let caps = other.campaignCaps {
      campaignCaps = CampaignCaps(
        perSession: caps.perSession ?? campaignCaps?.perSession,
        perDay: caps.perDay ?? campaignCaps?.perDay)
    }
    // To the millisecond, as it is stored.
    sessionTimeout =
      other.sessionTimeout.map { .milliseconds($0.milliseconds) } ?? sessionTimeout
  }
}
