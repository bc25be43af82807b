/// Changes to the vendors' data about the signed-in person. A field that is nil does not change.
public struct PersonUpdate: Hashable, Sendable {
  public var externalID: String?
  public var name: String?
  public var email: String?
  public var phone: String?
  public var city: String?
  public var country: String?
  public var region: String?
  /// Custom fields by name; a null removes the field.
  public var custom = JSONObject()
  public var notifications: Bool?
  /// When notifications may arrive, by day. A day with an empty list gets none.
  public var timeFrames: [Day: [TimeFrame]]?

  public init() {}

  /// Whether there is nothing to change. An empty `timeFrames` changes nothing either.
  public var isEmpty: Bool {
    var rest = self
    if timeFrames?.isEmpty == true { rest.timeFrames = nil }
    return rest == PersonUpdate()
  }

  /// A day of the week, or `everyDay` for the days without an entry.
  public enum Day: String, Hashable, Sendable, CaseIterable {
    case everyDay = "default"
    case monday = "mon"
    case tuesday = "tue"
    case wednesday = "wed"
    case thursday = "thu"
    case friday = "fri"
    case saturday = "sat"
    case sunday = "sun"
  }

  /// A time of day and a later one.
  public struct TimeFrame: Hashable, Sendable {
    /// Minutes after midnight, 0 to 1439.
    public let from: Int
    public let to: Int

    /// Throws `invalidArgument` for an hour outside 0–23, a minute outside 0–59 or an end before
    /// the start.
    public init(
      fromHour: Int, minute fromMinute: Int, toHour: Int, minute toMinute: Int
    ) throws(EngagementError) {
      guard (0...23).contains(fromHour), (0...23).contains(toHour) else {
        throw EngagementError(.invalidArgument, "An hour of a time frame lies in 0…23.")
      }
      guard (0...59).contains(fromMinute), (0...59).contains(toMinute) else {
        throw EngagementError(.invalidArgument, "A minute of a time frame lies in 0…59.")
      }
      from = fromHour * 60 + fromMinute
      to = toHour * 60 + toMinute
      guard from <= to else {
        throw EngagementError(.invalidArgument, "A time frame must not end before it starts.")
      }
    }
  }
}
