import EngagementPlatform

extension Campaign {
  /// What happened, in the words of the vendor whose campaigns it may make due.
  public struct Occurrence: Hashable, Sendable {
    /// The vendor's name for the event.
    public var name: String
    public var properties: JSONObject
    /// The items of a purchase.
    public var items: [JSONObject]
    /// The attribute of the person that changed; nil for an event. Its new value is the property
    /// `newValue`. The cache adds the former one as `oldValue`, and drops what changes nothing.
    public var attribute: String?
    /// Where the user is; nil if unknown. The cache fills it in.
    public var position: Position?
    /// Whether it is the user's first event of this name. The cache decides that.
    public var isFirst: Bool
    /// Whether it counts only after the vendor has answered its event, or has failed to: the answer
    /// may bring the campaigns that it makes due.
    public var waitsForAnswer: Bool

    public init(
      _ name: String, properties: JSONObject = [:], items: [JSONObject] = [],
      attribute: String? = nil, position: Position? = nil, isFirst: Bool = false,
      waitsForAnswer: Bool = false
    ) {
      self.name = name
      self.properties = properties
      self.items = items
      self.attribute = attribute
      self.position = position
      self.isFirst = isFirst
      self.waitsForAnswer = waitsForAnswer
    }
  }

  /// A point on the earth, in degrees.
  public struct Position: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }

    package init(_ location: Device.Location) {
      self.init(latitude: location.latitude, longitude: location.longitude)
    }
  }
}

extension Campaign.Place {
  /// Whether the position is on the earth and in the circle.
  func contains(_ position: Campaign.Position) -> Bool {
    guard abs(position.latitude) <= 90, abs(position.longitude) <= 180 else { return false }
    return distance(to: position) <= kilometres
  }

  /// The distance in kilometres, by the haversine formula.
  private func distance(to position: Campaign.Position) -> Double {
    let radian = Double.pi / 180
    let north = sin((position.latitude - latitude) * radian / 2)
    let east = sin((position.longitude - longitude) * radian / 2)
    let chord =
      north * north
      + east * east * cos(latitude * radian) * cos(position.latitude * radian)
    return 2 * Self.earthRadius * asin(min(1, chord.squareRoot()))
  }

  private static let earthRadius = 6_371.0
}
