extension Campaign {
  /// What makes a campaign due: an event with this name, or a change of an attribute of the person.
  /// All conditions must hold.
  public struct Trigger: Hashable, Sendable {
    /// The name of the event.
    public var event: String
    /// The attribute of the person. A change of it fires the trigger too.
    public var attribute: String?
    /// The conditions on the properties of the event.
    public var properties: [Condition]
    /// The conditions on the items of a purchase. At least one item must meet each of them.
    public var itemProperties: [Condition]
    /// The user must be at one of these places; empty: anywhere.
    public var places: [Place]
    /// Whether only the user's first event of this name fires the trigger.
    public var isFirstTimeOnly: Bool

    public init(
      _ event: String, attribute: String? = nil, properties: [Condition] = [],
      itemProperties: [Condition] = [], places: [Place] = [], isFirstTimeOnly: Bool = false
    ) {
      self.event = event
      self.attribute = attribute
      self.properties = properties
      self.itemProperties = itemProperties
      self.places = places
      self.isFirstTimeOnly = isFirstTimeOnly
    }
  }

  /// A comparison of a property with a value.
  public struct Condition: Hashable, Sendable {
    public var name: String
    public var comparison: Comparison
    /// The value, or a list of values; nil for `isSet` and `isNotSet`.
    public var value: JSON?

    public init(_ name: String, _ comparison: Comparison, _ value: JSON? = nil) {
      self.name = name
      self.comparison = comparison
      self.value = value
    }
  }

  public enum Comparison: String, Hashable, Sendable, CaseIterable {
    case greaterThan, equals, lessThan, contains
    /// Within two values, both included.
    case between
    case notEquals, isSet, isNotSet, doesNotContain
  }

  /// A circle on the earth.
  public struct Place: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double
    /// The radius.
    public var kilometres: Double

    public init(latitude: Double, longitude: Double, kilometres: Double) {
      self.latitude = latitude
      self.longitude = longitude
      self.kilometres = kilometres
    }
  }
}

extension Campaign.Trigger: FieldValue {
  package var json: JSON {
    ObjectEncoder([
      "event": event, "attribute": attribute, "properties": properties,
      "itemProperties": itemProperties, "places": places,
      "firstTimeOnly": isFirstTimeOnly ? true : nil,
    ]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      try fields.require("event"), attribute: try fields.read("attribute"),
      properties: try fields.read("properties") ?? [],
      itemProperties: try fields.read("itemProperties") ?? [],
      places: try fields.read("places") ?? [],
      isFirstTimeOnly: try fields.read("firstTimeOnly") ?? false)
  }
}

extension Campaign.Condition: FieldValue {
  package var json: JSON {
    ObjectEncoder(["name": name, "is": comparison, "value": value]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      try fields.require("name"), try fields.require("is"), try fields.read("value"))
  }
}

extension Campaign.Comparison: FieldValue {}

extension Campaign.Place: FieldValue {
  package var json: JSON {
    ObjectEncoder(["latitude": latitude, "longitude": longitude, "kilometres": kilometres]).json
  }

  package init(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    self.init(
      latitude: try fields.require("latitude"), longitude: try fields.require("longitude"),
      kilometres: try fields.require("kilometres"))
  }
}
