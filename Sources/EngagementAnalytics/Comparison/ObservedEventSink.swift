import EngagementFormats
import EngagementJSON
public import EngagementModel

/// Hands events, as exports have them, to a comparison. They come from a ledger or from exported files.
///
/// A person is the user's name in the export. Devices give a user one name if they export with one
/// key. The anonymous user of each installation is a person, too.
///
/// A gap in the sequences of an installation is not taken for a loss. An export leaves out what is not
/// selected, and an erasure takes away what another person did, so that a gap does not tell whose
/// events are missing, or that any are. What is known to be lost is told with `addLog`.
///
/// ```swift
/// var accumulator = ComparisonAccumulator(design)
/// var sink = ObservedEventSink { accumulator.add($0) }
/// ```
public struct ObservedEventSink: EventSink {
  private let times: Range<Int64>
  private let body: (ObservedEvent) -> Void
  /// The ids of the events so far; nil where no event comes twice.
  private var ids: Set<EventIdentity>?
  /// The events that were there already.
  public private(set) var duplicates = 0
  /// Which events there were.
  package private(set) var coverage: EventCoverage

  // What was seen before, by its bytes.
  private var kinds: [[UInt8]: ObservedKind] = [:]
  private var providers: [[UInt8]: ProviderID] = [:]
  private var user = PersonNumber()
  private var installation = PersonNumber()

  // The event that is being read.
  private var column = 0
  private var id: [UInt8] = []
  private var source: [UInt8] = []
  private var type: [UInt8] = []
  private var scratch: [UInt8] = []
  private var kind = ObservedKind("")
  private var time: Int64 = 0
  private var person: UInt64 = 0
  private var hasUser = false
  private var provider: ProviderID?
  private var name: String?
  private var properties: JSONObject = [:]

  /// - Parameters:
  ///   - times: The events that are handed over, in milliseconds since 1970. What a person received
  ///     before counts as received at their beginning: it was there to be seen.
  ///   - isDistinct: Whether an event of the same source and id is handed over once only. The set of ids
  ///     takes 22 to 43 bytes for each event.
  public init(
    times: Range<Int64> = .min ..< .max, isDistinct: Bool = false,
    _ body: @escaping (ObservedEvent) -> Void
  ) {
    self.times = times
    self.body = body
    ids = isDistinct ? [] : nil
    coverage = EventCoverage(at: times)
  }

  public mutating func missing() {
    defer { column += 1 }
    switch EventColumn(rawValue: column) {
    case .user:
      scratch.removeAll(keepingCapacity: true)
      scratch += source
      scratch.append(Self.anonymous)
      person = installation.of(scratch)
      hasUser = false
    case .surface: kind = observedKind(on: nil)
    case .provider: provider = nil
    case .id, .source, .type, .subject, .time, .sequence, .recordedTime, .uptime, .zoneOffset,
      .session, .container, .name, .data, nil:
      break
    }
  }

  public mutating func text(_ text: RawSpan) {
    defer { column += 1 }
    switch EventColumn(rawValue: column) {
    case .id: id.replace(with: text)
    case .source: source.replace(with: text)
    case .type: type.replace(with: text)
    case .user:
      scratch.replace(with: text)
      person = user.of(scratch)
      hasUser = true
    case .provider:
      scratch.replace(with: text)
      provider = observedProvider()
    case .surface: kind = observedKind(on: text)
    case .name where kind.readsName:
      scratch.replace(with: text)
      name = String(decoding: scratch, as: UTF8.self)
    case .name, .subject, .time, .sequence, .recordedTime, .uptime, .zoneOffset, .session,
      .container, .data, nil:
      break
    }
  }

  public mutating func integer(_ value: Int64) { column += 1 }

  public mutating func time(_ milliseconds: Int64) {
    if column == EventColumn.time.rawValue { time = milliseconds }
    column += 1
  }

  public mutating func json(_ json: RawSpan) {
    defer { column += 1 }
    guard column == EventColumn.data.rawValue, kind.readsProperties else { return }
    scratch.replace(with: json)
    properties = (try? JSON(parsing: scratch))?.object ?? [:]
  }

  public mutating func endEvent() {
    defer {
      column = 0
      name = nil
      properties = [:]
    }
    coverage.note(time)
    guard time < times.upperBound,
      time >= times.lowerBound || ComparedKinds.receipts.contains(kind.kind)
    else { return }
    guard ids?.insert(EventIdentity(id, of: source)).inserted ?? true else {
      duplicates += 1
      return
    }
    coverage.add(at: time, hasUser: hasUser)
    body(
      ObservedEvent(
        person: person, kind: kind.kind, time: max(time, times.lowerBound), provider: provider,
        name: name, properties: properties))
  }

  /// Stands behind a source, and in no text of UTF-8.
  private static let anonymous: UInt8 = 0xff
  /// Stands between a type and a surface.
  private static let separator: UInt8 = 0xff
  /// More texts than this are made again each time.
  private static let mostTexts = 10_000

  private mutating func observedProvider() -> ProviderID {
    if let provider = providers[scratch] { return provider }
    let provider = ProviderID(String(decoding: scratch, as: UTF8.self))
    if providers.count < Self.mostTexts { providers[scratch] = provider }
    return provider
  }

  private mutating func observedKind(on surface: RawSpan?) -> ObservedKind {
    scratch.removeAll(keepingCapacity: true)
    scratch += type
    if let surface {
      scratch.append(Self.separator)
      scratch.append(surface)
    }
    if let kind = kinds[scratch] { return kind }
    let parts = scratch.split(
      separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    let kind = ObservedKind(
      EventType.kind(of: texts[0], on: texts.count > 1 ? Surface(texts[1]) : nil))
    if kinds.count < Self.mostTexts { kinds[scratch] = kind }
    return kind
  }
}

/// A kind of events, and what a comparison reads of them.
private struct ObservedKind {
  let kind: EngagementEvent.Kind
  let readsProperties: Bool
  let readsName: Bool

  init(_ kind: EngagementEvent.Kind) {
    self.kind = kind
    readsProperties = ObservedEvent.kindsWithProperties.contains(kind)
    readsName = kind == .experimentAssigned || kind == .experimentExposed
  }
}

/// The number that stands for a person. Most events are of the same one as the event before.
private struct PersonNumber {
  private var text: [UInt8]?
  private var number: UInt64 = 0

  mutating func of(_ text: [UInt8]) -> UInt64 {
    if self.text != text {
      self.text = text
      number = SHA256.digest(of: text.span.bytes).prefix
    }
    return number
  }
}

extension [UInt8] {
  fileprivate mutating func replace(with text: RawSpan) {
    removeAll(keepingCapacity: true)
    append(text)
  }
}
