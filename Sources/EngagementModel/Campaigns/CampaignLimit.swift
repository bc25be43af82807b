extension Campaign {
  /// How often a campaign may be presented to one user.
  public struct Limit: Hashable, Sendable {
    public var kind: Kind
    /// The number of presentations; for `onEvery` and `onExactly` the number of fired triggers.
    public var limit: Int
    /// The number of periods that count; only for periods.
    public var frequency: Int?

    public init(_ kind: Kind, _ limit: Int, frequency: Int? = nil) {
      self.kind = kind
      self.limit = limit
      self.frequency = frequency
    }

    /// A limit that the adapter cannot read. The campaign is never due, because without the limit
    /// it would be presented too often.
    public static let unreadable = Limit(.unreadable, 0)

    public enum Kind: String, Hashable, Sendable, CaseIterable {
      /// Fewer than `limit` presentations in the session of use.
      case session
      /// Fewer than `limit` presentations in the last `frequency` periods.
      case seconds, minutes, hours
      /// Fewer than `limit` presentations today and on the `frequency` - 1 days before, by the
      /// device's time zone.
      case days
      /// As `days`, for weeks, which begin on Monday.
      case weeks
      /// Fewer than `limit` presentations today.
      case day
      /// Fewer than `limit` presentations in all.
      case ever
      /// Each time that the campaign's triggers fired a multiple of `limit` times.
      case onEvery
      /// Once, when the campaign's triggers fired `limit` times.
      case onExactly
      /// Never.
      case unreadable
    }
  }
}

extension Campaign.Limit: FieldValue {
  package var json: JSON {
    ObjectEncoder([
      "type": kind, "limit": kind == .unreadable ? nil : limit, "frequency": frequency,
    ]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    let kind: Kind = try fields.require("type")
    self.init(
      kind, try kind == .unreadable ? 0 : fields.require("limit"),
      frequency: try fields.read("frequency"))
  }
}

extension Campaign.Limit.Kind: FieldValue {}
