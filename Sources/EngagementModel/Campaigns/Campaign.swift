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
  public var triggers: [Trigger] = []
  /// The limits on how often it may be presented. All of them apply.
  public var limits: [Limit] = []
  /// The seconds between the event that makes it due and its presentation; nil: none.
  public var delaySeconds: Int?
  /// The seconds between the end of the delay and the campaign's end. If set, `expiresAt` does not
  /// count.
  public var lifetimeSeconds: Int?
  /// Whether the vendor wants to know that it was due, but does not want it presented: the user is
  /// in a control group.
  public var isSuppressed = false
  /// Data that the campaign's adapter needs to act on the campaign later; never printed.
  public var handle = JSONObject()

  public init(_ id: ItemID, vendor: Vendor, template: String) {
    self.id = id
    self.vendor = vendor
    self.template = template
  }
}
