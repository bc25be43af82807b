public import EngagementHTTP

/// Campaigns of a vendor whose triggers the device evaluates.
public struct CampaignSamples: Sendable {
  /// The name of an event that makes both campaigns due.
  public var event: String
  /// The template that both campaigns fill in.
  public var template: String
  /// A campaign with this id that the device has and presents.
  public var onDevice: @Sendable (_ id: String) -> [UInt8]
  /// A campaign with this id that the device only announces: the vendor sends it when it is due.
  public var announced: @Sendable (_ id: String) -> [UInt8]
  /// Ids that the vendor can have made, of the first campaign and of the second.
  public var ids: (onDevice: String, announced: String)
  /// What a request tells the vendor of campaigns; nil for a request that tells nothing.
  public var told: @Sendable (HTTPRequest) -> Told?

  public init(
    event: String, template: String, ids: (onDevice: String, announced: String),
    onDevice: @escaping @Sendable (_ id: String) -> String,
    announced: @escaping @Sendable (_ id: String) -> String,
    told: @escaping @Sendable (HTTPRequest) -> Told?
  ) {
    self.event = event
    self.template = template
    self.ids = ids
    self.onDevice = { Array(onDevice($0).utf8) }
    self.announced = { Array(announced($0).utf8) }
    self.told = told
  }

  /// What one request tells the vendor.
  public struct Told: Hashable, Sendable {
    /// The ids of announced campaigns that are due.
    public var due: [String]
    /// How many campaigns were shown today.
    public var shownToday: Int
    /// How often each campaign was shown in its lifetime.
    public var shown: [String: Int]

    public init(due: [String] = [], shownToday: Int = 0, shown: [String: Int] = [:]) {
      self.due = due
      self.shownToday = shownToday
      self.shown = shown
    }
  }
}
