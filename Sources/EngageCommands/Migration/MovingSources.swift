import EngagementAnalytics
import EngagementJSON
import EngagementKit
import EngagementModel

/// Collects the people who move: those of the cache at hand, and those of whom other devices' files
/// tell.
struct MovingSources {
  private(set) var people = MovingPeople()
  /// The lines that could not be read: each may tell that somebody has opted out.
  private(set) var faults: [String] = []
  private(set) var faultCount = 0
  /// The hashes and ids of people who have opted out on other devices.
  private var optedOut: Set<UserID> = []
  /// A file in which opted-out people are named by hashes.
  private var hashedFile: String?

  /// More are counted and not kept.
  private static let mostFaults = 20

  /// The ids in a text, one a line. Blanks around an id are none of it.
  ///
  /// Throws `unreadable` for a text in which an id could be missed: of another encoding, or of a table.
  mutating func addSuppressed(_ bytes: [UInt8]) throws(EngagementError) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let bytes = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Self.unlisted("it is not in UTF-8")
    }
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let id = line.trimming { $0 == " " || $0 == "\t" }
      guard !id.isEmpty else { continue }
      guard !id.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "," || $0 == "\"" })
      else {
        throw Self.unlisted(
          "line \(index + 1) has a comma, a quotation mark or a control character")
      }
      people.suppress(UserID(String(id)), for: .listed)
    }
  }

  private static func unlisted(_ reason: String) -> EngagementError {
    EngagementError(
      .unreadable,
      "The file of --suppressed cannot be read as ids, one a line: \(reason). Nothing is written.")
  }

  // MARK: The cache

  /// Adds everybody whom the cache knows. The tokens are the present user's.
  ///
  /// - Parameter provider: The new vendor's provider, where it is configured already.
  mutating func addUsers(
    _ users: [User], of engagement: Engagement, for provider: ProviderID?
  ) async throws {
    let tokens = try await engagement.pushRegistrations()
    for user in users {
      var records = PersonRecords()
      var device: String?
      do throws(EngagementError) {
        for record in try await engagement.exportData(of: user) {
          try records.add(record)
          device = device ?? provider.flatMap { Self.device(in: record, at: $0) }
        }
      } catch {
        // Erased since the users were listed.
        guard error.code != .notFound else { continue }
        throw error
      }
      for var person in records.people {
        if user == engagement.user { person.tokens = tokens.map { .init($0, device: device) } }
        if person.id != nil || !person.tokens.isEmpty { people.add(person) }
      }
    }
  }

  /// What the adapter of CleverTap remembers as the device's id.
  private static func device(in record: JSONObject, at provider: ProviderID) -> String? {
    guard record["record"]?.string == "value", record["name"]?.string == "guid",
      record["provider"]?.string?.hasSameBytes(as: provider.rawValue) == true
    else { return nil }
    return record["value"]?.string
  }

  // MARK: Files

  /// Adds a file of `engage person export`, or who has opted out in a file of events.
  ///
  /// - Parameter source: The source of the events of the cache at hand, which knows of later changes.
  mutating func add(_ file: ExportedFiles.File, besides source: String?) throws {
    if try Self.hasRecords(file.path) {
      try addRecords(file)
    } else {
      try addEvents(file, besides: source)
    }
  }

  /// A line of records is no longer where a file of records begins.
  private static let longestFirstLine = 65_536

  private static func hasRecords(_ path: String) throws -> Bool {
    let beginning = try EventFile(path).bytes(at: 0, count: longestFirstLine)
    let line = Array(beginning.prefix { $0 != UInt8(ascii: "\n") })
    return (try? JSON(parsing: line))?["record"]?.string != nil
  }

  private mutating func addRecords(_ file: ExportedFiles.File) throws {
    var records = PersonRecords()
    let bytes = try InputFile(file.path).bytes(atMost: 1 << 30)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where line.contains(where: { $0 > 0x20 }) {
      try Task.checkCancellation()
      do throws(EngagementError) {
        guard let record = (try? JSON(parsing: Array(line)))?.object else {
          throw EngagementError(.invalidArgument, "It is no JSON object.")
        }
        try records.add(record)
      } catch {
        note("\(file.name):\(index + 1): \(error.message)")
      }
    }
    for person in records.people where person.id != nil { people.add(person) }
  }

  private mutating func addEvents(_ file: ExportedFiles.File, besides source: String?) throws {
    let own = source.map { Array($0.utf8) }
    try EventFile(file.path).read { line, event in
      switch event {
      case .fault(let sentence): note("\(file.name):\(line): \(sentence)")
      case .event(let record):
        guard record[.type] == .text("engage.optout"), case .text(let user) = record[.user],
          own.map({ record[.source] != .text($0) }) ?? true
        else { return }
        take(optOutOf: UserID(String(decoding: user, as: UTF8.self)), in: file.name)
      }
    }
  }

  private mutating func take(optOutOf id: UserID, in file: String) {
    optedOut.insert(id)
    if Self.isHash(id.rawValue) { hashedFile = hashedFile ?? file }
  }

  /// Whether the text is what an export has in the place of an id.
  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }

  mutating func note(_ fault: String) {
    faultCount += 1
    if faults.count < Self.mostFaults { faults.append(fault) }
  }

  /// Suppresses the people who have opted out in the files. Throws `invalidArgument` where it cannot be
  /// told who they are.
  mutating func finish(_ hash: PersonHash?) throws(EngagementError) {
    if let hashedFile, hash == nil {
      throw EngagementError(
        .invalidArgument,
        "\(hashedFile) has hashes of people who have opted out, so nobody can tell who they are. "
          + "Export it with --user-ids, or with a --user-hash-key that you give here, too.")
    }
    let optedOut = optedOut
    people.suppress(for: .optedOut) { id in
      optedOut.contains(id)
        || hash.map { optedOut.contains(UserID($0.text(of: id.rawValue))) } == true
    }
    for id in optedOut where !Self.isHash(id.rawValue) { people.suppress(id, for: .optedOut) }
  }
}

extension Substring {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
    var text = drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
