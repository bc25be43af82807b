import EngagementAnalytics
import EngagementModel

/// The events of several files, each once: a source and an id name it.
///
/// The files of one device are to name its users in one way. With two ways, people would count twice, and
/// the order of the files would decide which events keep which name.
struct CollectedEvents {
  private var events = KnownEvents()
  /// The files, by their numbers.
  private var files: [String] = []
  private var isOfIDs: Bool?
  /// How each file names the users of each source.
  private var namings: [[UInt8]: [Int: Naming]] = [:]
  /// The source and the naming of the event before.
  private var last: (source: [UInt8], naming: Naming)?

  private struct Naming: OptionSet {
    let rawValue: Int
    static let hashes = Naming(rawValue: 1)
    static let ids = Naming(rawValue: 2)
  }

  /// What an event is to those before it.
  enum Relation {
    case new
    case known
    /// Why it is left out.
    case contradicted(String)
  }

  /// Begins with a file.
  ///
  /// - Parameter namesUsersByIDs: Whether its users have ids; nil if they are to be looked at.
  mutating func begin(_ file: String, namesUsersByIDs: Bool? = nil) {
    files.append(file)
    (isOfIDs, last) = (namesUsersByIDs, nil)
  }

  /// Adds an event of the file. Throws `conflict` if another file has it with another user.
  mutating func add(_ event: borrowing EventRecord) throws(EngagementError) -> Relation {
    let file = files.count - 1
    note(event, of: file)
    switch events.add(event, ofFile: file) {
    case .new: return .new
    case .known: return .known
    case .contradicted(let first):
      return .contradicted(
        "An event of this source and id is there already with other content, in \(files[first]), "
          + "as with other options of its export; this one is left out.")
    case .renamed(let first):
      let source = if case .text(let source) = event[.source] { source } else { [UInt8]() }
      throw Self.conflict(
        files[first], files[file], "the same event has another user, as with another key",
        ofSource: String(decoding: source, as: UTF8.self))
    }
  }

  private mutating func note(_ event: borrowing EventRecord, of file: Int) {
    guard case .text(let user) = event[.user], case .text(let source) = event[.source] else {
      return
    }
    // A vendor's file that engage has written has hashes, too.
    let isID = isOfIDs != false && !DeviceHashes.isHash(user)
    let naming: Naming = isID ? .ids : .hashes
    if let last, last.naming == naming, last.source == source { return }
    namings[source, default: [:]][file, default: []].formUnion(naming)
    last = (source, naming)
  }

  /// Throws `conflict` if one file has hashes for the users of a device and another one has ids. A file that
  /// has both is of an application whose ids look like hashes.
  func requireOneNaming() throws(EngagementError) {
    for (source, found) in namings.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let sorted = found.sorted { $0.key < $1.key }
      guard !sorted.contains(where: { $0.value == [.hashes, .ids] }),
        let first = sorted.first, let other = sorted.first(where: { $0.value != first.value })
      else { continue }
      let isHashed = first.value == .hashes
      throw Self.conflict(
        files[first.key], files[other.key],
        isHashed ? "by hashes and by ids" : "by ids and by hashes",
        ofSource: String(decoding: source, as: UTF8.self))
    }
  }

  static func conflict(
    _ first: String, _ other: String, _ how: String, ofSource source: String
  ) -> EngagementError {
    EngagementError(
      .conflict,
      "\(first) and \(other) name the users of one device, \(source), in two ways: \(how). A person would "
        + "count twice. Export the device again with one --user-hash-key, or leave one of the files out."
    )
  }
}
