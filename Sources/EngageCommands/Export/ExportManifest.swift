import EngagementFormats
import EngagementJSON
import EngagementModel

/// What one run of an export has put into a folder, and what it has left out.
struct ExportManifest: Hashable {
  /// What all runs of a folder have in common.
  var header: Header
  /// The last event before this run, and its last.
  var after: Int64
  var through: Int64
  /// The events that were left out, by reason.
  var dropped: [String: Int]
  var files: [File]
  /// The id of the last event, which a cache that was restored from a copy gives to no event or to another
  /// one. Earlier releases noted none.
  var lastID: String?
  /// The ledger's revision when the run began. Another one has erased what the files may have.
  var revision = ""

  struct Header: Hashable {
    /// The installation whose events they are.
    var source: String
    var format: String
    var compression: String?
    var partition: [String]
    var selection: String
    var cursor: String?
    /// Tells the cursor from one of the same name of another cache.
    var cursorID: String?
  }

  struct File: Hashable {
    /// From the folder.
    var path: String
    var bytes: Int
    var sha256: String
    var events: Int
    var sequences: ClosedRange<Int64>
    /// In milliseconds since 1970.
    var times: ClosedRange<Int64>
  }

  /// The events of all files.
  var events: Int { files.reduce(0) { $0 + $1.events } }

  /// Why an event is in no file.
  enum Reason: String, CaseIterable {
    /// Its user was erased, or it was too old to be kept.
    case gone
    /// It does not fulfil the conditions.
    case condition
  }

  static let version: Int64 = 1
}

// MARK: JSON

extension ExportManifest {
  /// With a checksum of itself, so that a damaged one is noticed.
  var encoded: [UInt8] {
    var object = members
    object["checksum"] = .string(Self.checksum(of: object))
    return JSON.object(object).encoded() + [UInt8(ascii: "\n")]
  }

  private var members: JSONObject {
    var object: JSONObject = [
      "version": .integer(Self.version), "source": .string(header.source),
      "format": .string(header.format),
    ]
    object["compression"] = header.compression.map(JSON.string)
    if !header.partition.isEmpty { object["partition"] = .array(header.partition.map(JSON.string)) }
    object["selection"] = .string(header.selection)
    object["cursor"] = header.cursor.map(JSON.string)
    object["cursorID"] = header.cursorID.map(JSON.string)
    object["after"] = .integer(after)
    object["through"] = .integer(through)
    object["events"] = .integer(Int64(events))
    var reasons = JSONObject()
    for (reason, count) in dropped.sorted(by: { $0.key < $1.key }) {
      reasons[reason] = .integer(Int64(count))
    }
    object["dropped"] = .object(reasons)
    object["files"] = .array(files.map(\.json))
    if !revision.isEmpty { object["revision"] = .string(revision) }
    object["lastID"] = lastID.map(JSON.string)
    return object
  }

  private static func checksum(of object: JSONObject) -> String {
    SHA256.digest(of: JSON.object(object).encoded()).description
  }

  /// Throws `unreadable` for a damaged manifest, and `newerSchema` for one of a newer release.
  init(fileAt path: String) throws(EngagementError) {
    let bytes = try InputFile(path).bytes(atMost: 64 << 20)
    let damaged = EngagementError(.unreadable, "The manifest \(path) is damaged.")
    guard var object = (try? JSON(parsing: bytes))?.object,
      let version = object["version"]?.integer, version >= 1
    else { throw damaged }
    guard version <= Self.version else {
      throw EngagementError(
        .newerSchema, "A newer release of engage wrote the manifest \(path); take that release.")
    }
    let checksum = object["checksum"]?.string
    object["checksum"] = nil
    guard checksum == Self.checksum(of: object), let manifest = ExportManifest(object) else {
      throw damaged
    }
    self = manifest
  }

  /// No ledger has more events, so that sums of counts do not overflow.
  fileprivate static let largest: Int64 = 1 << 40
  /// More events in one run are none of ours.
  private static let longest: Int64 = 1 << 32

  private init?(_ object: JSONObject) {
    guard let source = object["source"]?.string, let format = object["format"]?.string,
      let selection = object["selection"]?.string,
      let after = object["after"]?.integer, let through = object["through"]?.integer,
      let reasons = object["dropped"]?.object, let list = object["files"]?.array
    else { return nil }
    let files = list.compactMap(File.init)
    guard files.count == list.count else { return nil }
    header = Header(
      source: source, format: format, compression: object["compression"]?.string,
      partition: object["partition"]?.array?.compactMap(\.string) ?? [], selection: selection,
      cursor: object["cursor"]?.string, cursorID: object["cursorID"]?.string)
    (self.after, self.through, self.files) = (after, through, files)
    revision = object["revision"]?.string ?? ""
    lastID = object["lastID"]?.string
    dropped = [:]
    guard (0...Self.largest).contains(after), (after...Self.largest).contains(through),
      through - after <= Self.longest, reasons.count <= 100,
      object["events"]?.integer == Int64(events)
    else { return nil }
    for reason in reasons.members {
      guard let count = reason.value.integer, (0...Self.largest).contains(count) else { return nil }
      dropped[reason.key] = Int(count)
    }
  }
}

extension ExportManifest.File {
  fileprivate var json: JSON {
    [
      "path": .string(path), "bytes": .integer(Int64(bytes)), "sha256": .string(sha256),
      "events": .integer(Int64(events)), "firstSequence": .integer(sequences.lowerBound),
      "lastSequence": .integer(sequences.upperBound),
      "firstTime": .string(Self.text(times.lowerBound)),
      "lastTime": .string(Self.text(times.upperBound)),
    ]
  }

  /// No event has a time outside the years 0000 to 9999.
  private static func text(_ milliseconds: Int64) -> String {
    Epoch.date(milliseconds: milliseconds).flatMap { ISO8601.text(of: $0) } ?? ""
  }

  fileprivate init?(_ json: JSON) {
    func time(_ key: String) -> Int64? {
      json[key]?.string.flatMap(ISO8601.date).flatMap(Epoch.milliseconds)
    }
    guard let path = json["path"]?.string, let bytes = json["bytes"]?.integer,
      let sha256 = json["sha256"]?.string, let events = json["events"]?.integer,
      let first = json["firstSequence"]?.integer, let last = json["lastSequence"]?.integer,
      let start = time("firstTime"), let end = time("lastTime"), first <= last, start <= end,
      (0...ExportManifest.largest).contains(events), bytes >= 0, first >= 0,
      path.utf8.first != UInt8(ascii: "/"), !path.split(separator: "/").contains("..")
    else { return nil }
    self.init(
      path: path, bytes: Int(bytes), sha256: sha256, events: Int(events), sequences: first...last,
      times: start...end)
  }
}

extension ExportManifest.Header {
  /// How the users are named; nil if they are left out.
  var users: String? {
    if selection.contains("--redact \(EventColumn.user.name)") { return nil }
    if selection.hasSuffix("--user-ids") { return "ids" }
    guard let key = selection.firstRange(of: "--user-hash-key of ") else {
      return "hashes with a salt of the device"
    }
    return "hashes with the key of \(selection[key.upperBound...].prefix(8))"
  }

  /// What a person has to know of the first thing in which the two differ.
  func difference(from other: Self) -> String {
    if source != other.source { return "events of another installation, \(source)" }
    if cursor != other.cursor { return cursor.map { "the cursor \($0)" } ?? "no cursor" }
    if cursorID != other.cursorID {
      return """
        a cursor \(cursor ?? "") of another cache, or of one that was repaired, or one that was removed
        """
    }
    if format != other.format { return "the format \(format)" }
    if compression != other.compression { return compression.map { "--\($0)" } ?? "no compression" }
    if partition != other.partition {
      return partition.isEmpty
        ? "no --partition" : "--partition \(partition.joined(separator: ","))"
    }
    return selection
  }
}
