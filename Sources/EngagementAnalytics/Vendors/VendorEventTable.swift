public import EngagementModel

/// How a vendor's export of events corresponds to ours, as data: names of events and fields, and the unit
/// of its times. The vendor writes an event as a JSON object.
///
/// What the table does not name is kept: a field as a property under `prefix`, an event as a custom event
/// with the vendor's name.
public struct VendorEventTable: Sendable {
  /// As one names it, such as `braze-currents`.
  public var name: String
  /// What help says of it, in lines that are wrapped already.
  public var summary: String
  /// Whose items its events concern.
  public var provider: ProviderID
  /// Where a record has the name of its event.
  public var nameField: Path
  public var timeField: Path
  public var timeFormat: TimeFormat
  /// The object with the application's own properties.
  public var properties: Path
  /// The fields that an event of any name may have.
  public var fields: [Field]
  public var events: [Event]
  /// The vendor's name of an event of the application's own, which has its own name in another field; nil
  /// if the event's own name stands where the vendor's do.
  public var customName: String?
  /// Fields that tell who a person is, with everything in them, and whose names do not say so. They are left
  /// out where users are hashed, with the users' ids and all that is personal by its name or its value.
  public var personal: [Path] = []
  /// What the items of a notification are, where the event's name does not tell it.
  public var surfaces: Surfaces?
  /// Whether a file may have the name of its events on its first line.
  public var hasHeading = false

  public init(
    name: String, summary: String, provider: ProviderID, nameField: Path, timeField: Path,
    timeFormat: TimeFormat, properties: Path, fields: [Field], events: [Event],
    customName: String? = nil
  ) {
    (self.name, self.summary, self.provider) = (name, summary, provider)
    (self.nameField, self.timeField, self.timeFormat) = (nameField, timeField, timeFormat)
    (self.properties, self.fields, self.events) = (properties, fields, events)
    self.customName = customName
  }

  /// A field's place in a record: the names of the objects around it and its own, with dots between them.
  public struct Path: Hashable, Sendable, ExpressibleByStringLiteral {
    var names: [String]

    init(_ names: [String]) { self.names = names }

    /// A field of an object.
    public init(_ object: String, _ name: String) { names = [object, name] }

    public init(stringLiteral text: String) {
      names = text.split(separator: ".").map { String($0) }
    }

    var text: String { names.joined(separator: ".") }
  }

  /// A field of the vendor's and what it is with us.
  public struct Field: Hashable, Sendable {
    /// Where it is written.
    public var path: Path
    public var field: EventField
    /// Where it is read, in the order of preference. What is read elsewhere than at `path` is kept as well.
    public var sources: [Path]
    /// The character before which the text ends that is read.
    public var end: Character?

    /// A column with a text.
    public init(
      _ path: Path, _ column: EventColumn, from sources: [Path] = [], before end: Character? = nil
    ) {
      (self.path, field) = (path, .column(column))
      self.sources = sources.isEmpty ? [path] : sources
      self.end = end
    }

    public init(_ path: Path, property name: String) {
      (self.path, field, sources) = (path, .property(name), [path])
    }
  }

  /// A field that tells the kind of item by a text.
  public struct Surfaces: Sendable {
    public var path: Path
    /// The first text of a surface is the one that is written.
    public var names: [(text: String, surface: Surface)]

    public init(_ path: Path, _ names: [(text: String, surface: Surface)]) {
      (self.path, self.names) = (path, names)
    }
  }

  /// A field and the text that it must have.
  public struct Condition: Hashable, Sendable {
    public var path: Path
    public var text: String
  }

  /// An event that the vendor has a name for.
  public struct Event: Sendable {
    public var name: String
    public var kind: EngagementEvent.Kind
    /// The kind of item; nil if the vendor's name does not tell it.
    public var surface: Surface?
    public var fields: [Field]
    /// Where the application's own properties are in this event, if not in `properties`.
    public var properties: Path?
    /// What else must hold; nil where the name tells it all.
    public var condition: Condition?

    public init(
      _ name: String, _ kind: EngagementEvent.Kind, on surface: Surface? = nil,
      _ fields: [Field] = [], properties: Path? = nil, where path: Path? = nil, is text: String = ""
    ) {
      (self.name, self.kind, self.surface) = (name, kind, surface)
      (self.fields, self.properties) = (fields, properties)
      condition = path.map { Condition(path: $0, text: text) }
    }

    /// Whether the event concerns an item of the vendor's.
    var hasItem: Bool { fields.contains { $0.field == .column(.subject) } }
  }
}

extension VendorEventTable {
  /// What begins the name of a property that keeps a field of the vendor's.
  public var prefix: String { "\(provider.rawValue)." }

  /// The source of an event whose installation the vendor does not tell.
  var source: String { "urn:engage:\(name)" }

  /// What begins an id that was made because the vendor gives none.
  var madeIDPrefix: String { "\(name):" }

  /// The event of a name, where its condition holds.
  func event(named name: String, where holds: (Condition) -> Bool = { _ in true }) -> Event? {
    events.first { $0.name == name && ($0.condition.map(holds) ?? true) }
  }

  /// How the vendor's format has a custom event of that name. A name that would be read as an event of the
  /// table or as a type of ours stands behind our type.
  func written(_ name: String) -> String { isTaken(name) ? Self.customPrefix + name : name }

  /// The custom event's name, from what `written` gave; nil for a type of ours.
  func customName(_ written: String) -> String? {
    guard written.utf8.starts(with: EventType.prefix.utf8) else { return written }
    guard written.utf8.starts(with: Self.customPrefix.utf8) else { return nil }
    let name = String(Substring(written.utf8.dropFirst(Self.customPrefix.utf8.count)))
    return isTaken(name) ? name : nil
  }

  private func isTaken(_ name: String) -> Bool {
    name.utf8.starts(with: EventType.prefix.utf8)
      || customName == nil && event(named: name) != nil
  }

  private static let customPrefix = "\(EventType.type(of: .custom, on: nil))."

  /// What the vendor has for a kind or a type of ours; nil where it has no word for it.
  func event(of kind: EngagementEvent.Kind, _ type: String) -> Event? {
    events.first {
      $0.kind == kind
        && ($0.surface == nil || EventType.type(of: kind, on: $0.surface) == type)
    }
  }

  /// The fields of an event, those of all events first.
  func fields(of event: Event?) -> [Field] { fields + (event?.fields ?? []) }

  func properties(of event: Event?) -> Path { event?.properties ?? properties }

  // MARK: Kept fields

  /// The name of the property that keeps a field.
  func keptName(of names: [String]) -> String {
    prefix + names.map(Self.escaped).joined(separator: ".")
  }

  /// The field that a property keeps; nil for a property of the application's own.
  func keptField(_ name: String) -> [String]? {
    guard name.utf8.starts(with: prefix.utf8) else {
      return nil
    }
    let rest = String(Substring(name.utf8.dropFirst(prefix.utf8.count)))
    return rest.split(separator: ".", omittingEmptySubsequences: false).map {
      Self.unescaped(String($0))
    }
  }

  /// Without a dot, which separates names. The escapes are those of JSON Pointer.
  private static func escaped(_ name: String) -> String {
    name.replacing("~", with: "~0").replacing(".", with: "~1")
  }

  private static func unescaped(_ name: String) -> String {
    name.replacing("~1", with: ".").replacing("~0", with: "~")
  }
}
