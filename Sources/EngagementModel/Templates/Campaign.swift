public import FoundationEssentials

/// A template to be shown with these arguments when something happens.
public struct Campaign: Hashable, Sendable, Identifiable {
  public var id: ItemID
  public var vendor: Vendor
  /// The name under which the application defined the template.
  public var template: String
  /// The arguments by flat dotted name; an action is an object with `action`.
  public var arguments = JSONObject()
  public var priority: Int?
  public var expiresAt: Date?
  /// Whether frequency caps leave the campaign alone.
  public var excludedFromCaps = false
  /// What makes the campaign due: any of them.
  public var triggers: [JSONObject] = []
  /// How often it may be shown: all of them.
  public var limits: [JSONObject] = []
  /// What the campaign's own adapter needs to speak of it again; never printed.
  public var handle = JSONObject()

  public init(_ id: ItemID, vendor: Vendor, template: String) {
    self.id = id
    self.vendor = vendor
    self.template = template
  }
}
