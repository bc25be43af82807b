/// The description of this installation that vendors get. The application supplies it, such as with
/// `Device.current(appID:appVersion:)` of EngagementKit.
public struct Device: Hashable, Sendable {
  /// The id of this installation, made once and kept. If it is empty, EngagementKit makes one.
  public var id: String
  /// The application's own id, such as a bundle id.
  public var appID: String
  public var appVersion: String?
  public var appBuild: String?
  /// `iOS`, `Android`, `Linux`.
  public var system: String
  public var systemVersion: String
  public var make: String?
  public var model: String?
  /// A language and region, such as `en_US`.
  public var locale: String
  /// An IANA time zone, such as `Europe/Sofia`.
  public var timeZone: String
  /// The time zone's current offset from UTC in seconds.
  public var zoneOffset: Int
  public var advertisingID: String?
  public var location: Location?

  public init(
    id: String, appID: String, appVersion: String? = nil, appBuild: String? = nil,
    system: String, systemVersion: String, make: String? = nil, model: String? = nil,
    locale: String, timeZone: String, zoneOffset: Int = 0, advertisingID: String? = nil,
    location: Location? = nil
  ) {
    self.id = id
    self.appID = appID
    self.appVersion = appVersion
    self.appBuild = appBuild
    self.system = system
    self.systemVersion = systemVersion
    self.make = make
    self.model = model
    self.locale = locale
    self.timeZone = timeZone
    self.zoneOffset = zoneOffset
    self.advertisingID = advertisingID
    self.location = location
  }

  /// A place on Earth in degrees.
  public struct Location: Hashable, Sendable {
    public var latitude: Double
    public var longitude: Double

    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}
