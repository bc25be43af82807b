import EngagementModel

/// The events of several files so far, by their sources and ids, with a short hash of each. An event takes
/// 28 to 56 bytes.
package struct KnownEvents {
  /// What an event is to those before it.
  package enum Relation: Hashable, Sendable {
    case new
    case known
    /// One of the same source and id has other content, in the file of that number.
    case contradicted(file: Int)
    /// The same event has a user of another name, in the file of that number.
    case renamed(file: Int)
  }

  private struct Version {
    let content: UInt32
    /// 0 without a user.
    let user: UInt32
    let file: UInt32
  }

  private var versions: [EventIdentity: Version] = [:]

  package init() {}

  /// Adds an event of a file. The first event of a source and an id stays.
  package mutating func add(_ event: borrowing EventRecord, ofFile file: Int) -> Relation {
    let version = Version(
      content: Self.content(of: event), user: Self.user(of: event),
      file: UInt32(truncatingIfNeeded: file))
    let identity = EventIdentity(event)
    guard let first = versions[identity] else {
      versions[identity] = version
      return .new
    }
    if first.user != version.user, first.user != 0, version.user != 0 {
      return .renamed(file: Int(first.file))
    }
    let isSame = first.content == version.content && first.user == version.user
    return isSame ? .known : .contradicted(file: Int(first.file))
  }

  private static func user(of event: borrowing EventRecord) -> UInt32 {
    var hasher = Hasher()
    guard event.hash(.user, into: &hasher) else { return 0 }
    return UInt32(truncatingIfNeeded: hasher.finalize()) | 1
  }

  /// A hash of what every copy of the event has. A vendor's line has another number in another file.
  private static func content(of event: borrowing EventRecord) -> UInt32 {
    var hasher = Hasher()
    for column in EventColumn.allCases {
      switch column {
      case .id, .source, .user, .sequence: break
      case .type, .subject, .time, .recordedTime, .uptime, .zoneOffset, .session, .provider,
        .surface, .container, .name, .data:
        hasher.combine(event.hash(column, into: &hasher))
      }
    }
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}

extension EventRecord {
  /// Adds the cell as all formats have it: an empty text is a missing one, and white space in JSON does not
  /// count. Returns whether the cell has a value.
  fileprivate func hash(_ column: EventColumn, into hasher: inout Hasher) -> Bool {
    switch self[column] {
    case .missing: return false
    case .text(let bytes):
      guard !bytes.isEmpty else { return false }
      let isSound = TextFacts(bytes.span.bytes).isSound
      (isSound ? bytes : bytes.span.bytes.repaired).hash(into: &hasher)
    case .integer(let value), .time(let value): value.hash(into: &hasher)
    case .json(let bytes): bytes.filter { $0 > 0x20 }.hash(into: &hasher)
    }
    return true
  }
}
