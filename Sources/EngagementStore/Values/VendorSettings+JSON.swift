import EngagementAdapterAPI
import EngagementModel

extension VendorSettings {
  /// The stored form.
  var json: JSON {
    ObjectEncoder([
      "cardsEnabled": cardsEnabled, "inboxEnabled": inboxEnabled,
      "sessionTimeout": sessionTimeout?.milliseconds,
    ]).json
  }

  init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "settings"))
    let timeout: Int64? = try fields.read("sessionTimeout")
    self.init(
      cardsEnabled: try fields.read("cardsEnabled"), inboxEnabled: try fields.read("inboxEnabled"),
      sessionTimeout: timeout.map { .milliseconds($0) })
  }

  /// Takes the other's values; a nil there leaves the value unchanged.
  mutating func merge(_ other: VendorSettings) {
    cardsEnabled = other.cardsEnabled ?? cardsEnabled
    inboxEnabled = other.inboxEnabled ?? inboxEnabled
    // To the millisecond, as it is stored.
    sessionTimeout =
      other.sessionTimeout.map { .milliseconds($0.milliseconds) } ?? sessionTimeout
  }
}
