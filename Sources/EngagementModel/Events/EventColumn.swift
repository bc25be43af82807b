/// The columns of an exported event, in their order. Those that CloudEvents 1.0 has are named as there;
/// the others are extensions of ours.
public enum EventColumn: Int, CaseIterable, Sendable {
  /// Tells two events of one source apart. Stays the same in every export.
  case id
  /// The installation that recorded the event.
  case source
  /// What happened, such as `engage.card.impression`.
  case type
  /// The item, such as `braze/42`.
  case subject
  case time
  /// Increases with every event of the source.
  case sequence
  case recordedTime
  /// What the steady clock of the machine said then, in milliseconds.
  case uptime
  /// The offset of the local time zone from UTC, in seconds.
  case zoneOffset
  case user
  case session
  case provider
  case surface
  case container
  /// The name of a custom event or a purchase.
  case name
  /// The properties, as JSON.
  case data

  /// In lower case, as CloudEvents wants its attributes.
  public var name: String {
    switch self {
    case .id: "id"
    case .source: "source"
    case .type: "type"
    case .subject: "subject"
    case .time: "time"
    case .sequence: "sequence"
    case .recordedTime: "recordedtime"
    case .uptime: "uptime"
    case .zoneOffset: "zoneoffset"
    case .user: "userid"
    case .session: "sessionid"
    case .provider: "provider"
    case .surface: "surface"
    case .container: "container"
    case .name: "name"
    case .data: "data"
    }
  }
}
