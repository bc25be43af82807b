public import EngagementModel

extension Operation {
  /// The kind of an operation, as capabilities, logs and errors name it: `inbox`,
  /// `device.register`, `cards.dismiss`, `vendor.callback`.
  public struct Verb: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let settings: Verb = "settings"
    public static let cards: Verb = "cards"
    public static let inbox: Verb = "inbox"
    public static let message: Verb = "message"
    public static let person: Verb = "person"
    public static let associate: Verb = "person.associate"
    public static let updatePerson: Verb = "person.update"
    public static let metrics: Verb = "metrics"
    public static let campaigns: Verb = "campaigns"
    public static let events: Verb = "events"
    public static let templates: Verb = "templates"
    public static let upload: Verb = "upload"
    public static let optOut: Verb = "optOut"
    public static let registerPush: Verb = "push.register"
    public static let unregisterPush: Verb = "push.unregister"
    public static let pushContainers: Verb = "push.containers"

    public static func device(_ change: DeviceChange) -> Verb { Verb("device.\(change.rawValue)") }

    /// An action on an item of a surface, such as `cards.dismiss`.
    public static func act(_ action: String, on surface: Surface) -> Verb {
      Verb("\(surface.rawValue).\(action)")
    }

    public static func vendor(_ name: String) -> Verb { Verb("vendor.\(name)") }
  }

  public var verb: Verb {
    switch self {
    case .settings: .settings
    case .device(let change): .device(change)
    case .registerPush: .registerPush
    case .unregisterPush: .unregisterPush
    case .pushContainers: .pushContainers
    case .cards: .cards
    case .inbox: .inbox
    case .message: .message
    case .person: .person
    case .associate: .associate
    case .updatePerson: .updatePerson
    case .metrics: .metrics
    case .campaigns: .campaigns
    case .act(let action, let item): .act(action.name, on: item.surface)
    case .events: .events
    case .templates: .templates
    case .upload: .upload
    case .optOut: .optOut
    case .vendor(let name, _): .vendor(name)
    }
  }
}
