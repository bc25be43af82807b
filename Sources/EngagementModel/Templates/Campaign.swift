public import EngagementPlatform

/// A template with arguments, to be shown when a trigger fires.
public struct Campaign: Hashable, Sendable, Identifiable {
  public var id: ItemID
  public var vendor: Vendor
  /// The application's name for the template.
  public var template: String
  /// The arguments by flat dotted name; an action is an object with `action`.
  public var arguments = JSONObject()
  public var priority: Int?
  public var expiresAt: Date?
  /// Whether frequency caps do not apply to the campaign.
  public var isExcludedFromCaps = false
  /// The triggers. The campaign is due when any of them fires.
  public var triggers: [JSONObject] = []
  /// The limits on how often it may be shown. All of them apply.
  public var limits: [JSONObject] = []
  /// Data that the campaign's adapter needs to act on the campaign later; never printed.
  public var handle = JSONObject()

  public init(_ id: ItemID, vendor: Vendor, template: String) {
    self.id = id
    self.vendor = vendor
    self.template = template
  }
}
