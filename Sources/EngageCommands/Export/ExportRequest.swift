import EngagementAnalytics
import EngagementCompression
import EngagementFormats
import EngagementModel
import EngagementPlatform

/// What an export is asked for.
struct ExportRequest {
  var selection = EventSelection()
  var conditions: [EventCondition] = []
  var redaction: EventRedaction
  var format = ExportFormat.ndjson
  /// The vendor's format in the place of ours, in lines of JSON.
  var vendorFormat: VendorEventTable?
  var compression: Compression?
  var destination: Destination
  var partition: [ExportPartition.Key] = []
  var cursor: String?
  var users: Users
  /// Whether the application's own events keep what tells who a person is. Where the user is left out, the
  /// redaction finds that in every event.
  var keepsPersonalData: Bool

  /// The compression of whole files; a Parquet file has its pages compressed.
  var streamCompression: Compression? { format == .parquet ? nil : compression }

  enum Destination {
    case standardOutput
    /// A path that is not there yet, as it was given.
    case file(String)
    case folder(String)
    case clickHouse(ClickHouseAddress)
  }

  /// How users are named.
  enum Users: Hashable {
    case ids
    /// By hashes, with the organisation's key.
    case key([UInt8])
    /// By hashes, with a salt of this cache.
    case salt
  }

  /// What is selected, as options: an incremental export keeps to it.
  var words: String {
    var words: [String] = []
    func add(_ option: String, _ values: [String]) {
      words += values.map { "--\(option) \($0)" }
    }
    add("kind", selection.kinds.map(\.rawValue).sorted())
    add("provider", selection.providers.map(\.rawValue).sorted())
    add("since", [selection.since.flatMap { ISO8601.text(of: $0) }].compactMap { $0 })
    add("until", [selection.until.flatMap { ISO8601.text(of: $0) }].compactMap { $0 })
    add("where", conditions.map(\.text))
    add("redact", redaction.names)
    if keepsPersonalData, !redaction.hidesUsers, users != .ids { words.append("--personal-data") }
    switch users {
    case .ids: words.append("--user-ids")
    case .key(let key):
      // A short digest tells two keys apart and does not give a key away.
      words.append("--user-hash-key of \(SHA256.digest(of: key).description.prefix(8))")
    case .salt: break
    }
    if case .clickHouse(let address) = destination { words.append("--to \(address.name)") }
    return words.isEmpty ? "every event" : words.joined(separator: " ")
  }
}

extension ExportRequest {
  /// The options of `engage export`.
  enum Options {
    static let format = Option(
      "format", value: "FORMAT", "what to write (default: as --out ends, else ndjson)",
      choices: ExportFormat.allCases.map(\.rawValue))
    static let gzip = Option("gzip", "compress with gzip")
    static let zstd = Option("zstd", "compress with zstd")
    static let out = Option(
      "out", letter: "o", value: "FILE|DIR",
      "a file or a folder that is not there yet; else, or for -, standard output")
    static let to = Option(
      "to", value: "ADDRESS",
      "a table of ClickHouse, in place of a file: clickhouse://127.0.0.1:8123/DATABASE")
    static let since = Option("since", value: "TIME", "only events at this time or later")
    static let until = Option("until", value: "TIME", "only events before this time")
    static let kind = Option(
      "kind", value: "KIND", "only events of this kind, such as dismiss", repeats: true)
    static let provider = Option(
      "provider", value: "NAME", "only events of this provider", repeats: true)
    static let condition = Option(
      "where", value: "CONDITION", "only events that fulfil it, such as data.size=large",
      repeats: true)
    static let redact = Option(
      "redact", value: "FIELD",
      "leave out a field, such as userid, data.email or data.values.name", repeats: true)
    static let partition = Option(
      "partition", value: "KEYS", "a file for each vendor, day or kind: vendor,day")
    static let cursor = Option(
      "cursor", value: "NAME", "only what came since the last export with this cursor")
    static let personalData = Option(
      "personal-data", "keep what the application's own events tell of who a person is")
    static let userIDs = Option(
      "user-ids", "users by their ids, in place of hashes; switches --personal-data on, too")
    static let hashKey = Option(
      "user-hash-key", value: "FILE",
      "the organisation's key for the hashes, so that a user has one on all devices")

    static let all = [
      format, gzip, zstd, out, to, since, until, kind, provider, condition, redact, partition,
      cursor, personalData, userIDs, hashKey,
    ]
  }

  init(_ invocation: Invocation) throws {
    redaction = try invocation.redaction()
    users = try Self.users(invocation)
    keepsPersonalData =
      users == .ids || redaction.hidesUsers || invocation.has(Options.personalData)
    if redaction.hidesUsers, invocation.has(Options.personalData) {
      throw invocation.usage("--personal-data and --redact userid exclude each other.")
    }
    destination = .standardOutput
    (selection.since, selection.until) = try invocation.times(
      since: Options.since, until: Options.until)
    selection.kinds = invocation.values(Options.kind).map { .init($0) }
    selection.providers = invocation.values(Options.provider).map { ProviderID($0) }
    conditions = try invocation.values(Options.condition).map { text in
      try invocation.telling(Options.condition) { () throws(EngagementError) in
        try EventCondition(text)
      }
    }
    (format, compression) = try Self.format(invocation)
    if format == .parquet, invocation.value(Options.out) ?? "-" == "-" {
      throw invocation.usage(
        "--format parquet needs --out: it is no text for a terminal or a pipe.")
    }
    partition = try Self.partition(invocation)
    cursor = try Self.cursor(invocation)
    destination = try self.destination(invocation)
    vendorFormat = try vendorFormat(invocation)
    if let personal = conditions.first(where: \.isPersonal) {
      try requireVisible(personal, invocation)
    }
  }

  /// Throws for a condition that would tell of whom the events are, who are hidden otherwise.
  private func requireVisible(_ condition: EventCondition, _ invocation: Invocation) throws {
    let isHidden =
      condition.isOfUser ? users != .ids : !keepsPersonalData || redaction.hidesUsers
    guard isHidden else { return }
    throw hidden(condition, invocation)
  }

  /// The error of a condition that would tell who the people of the export are.
  func hidden(_ condition: EventCondition, _ invocation: Invocation) -> UsageError {
    invocation.usage(
      condition.isOfUser
        ? "--where \(condition.text): users are hashes in this export, of 64 digits; give a hash, "
          + "or add --user-ids."
        : "--where \(condition.text): this export leaves out what tells who a person is; "
          + (redaction.hidesUsers ? "leave out --redact userid." : "add --personal-data."))
  }

  /// What is written, by the options or by the name of the file.
  private static func format(
    _ invocation: Invocation
  ) throws -> (ExportFormat, Compression?) {
    if invocation.has(Options.gzip), invocation.has(Options.zstd) {
      throw invocation.usage("--gzip and --zstd exclude each other.")
    }
    let format = invocation.value(Options.format).flatMap { ExportFormat(rawValue: $0) }
    let compression: Compression? =
      invocation.has(Options.gzip) ? .gzip : invocation.has(Options.zstd) ? .zstd : nil
    let ending = FileEnding(of: invocation.value(Options.out) ?? "")
    if let format, let named = ending.format, format != named {
      throw invocation.usage(
        "--format is \(format.rawValue), and the name in --out ends like a file of "
          + "\(named.rawValue); change one of them.")
    }
    if let compression, let named = ending.compression, compression != named {
      throw invocation.usage(
        "--out ends with \(named.suffix), and --\(compression) asks for another compression; "
          + "change one of them.")
    }
    if ending.format == .parquet, let named = ending.compression {
      throw invocation.usage(
        "A Parquet file compresses its pages: leave out \(named.suffix) in --out, and add --\(named)."
      )
    }
    return (format ?? ending.format ?? .ndjson, compression ?? ending.compression)
  }

  private func vendorFormat(_ invocation: Invocation) throws -> VendorEventTable? {
    guard let table = try invocation.vendorFormat() else { return nil }
    guard format == .ndjson else {
      throw invocation.usage("--as \(table.name) is lines of JSON; leave out --format.")
    }
    if case .clickHouse = destination {
      throw invocation.usage(
        "--as \(table.name) is lines of JSON, and ClickHouse gets rows; leave out --as or --to.")
    }
    if case .folder = destination {
      throw invocation.usage(
        "--as \(table.name) writes one file, which no manifest can prove; name a file with --out.")
    }
    return table
  }

  private static func users(_ invocation: Invocation) throws -> Users {
    guard let key = try invocation.userHashKey() else {
      return invocation.has(Options.userIDs) ? .ids : .salt
    }
    guard !invocation.has(Options.userIDs) else {
      throw invocation.usage("--user-ids and --user-hash-key exclude each other.")
    }
    return .key(key)
  }

  private static func partition(_ invocation: Invocation) throws -> [ExportPartition.Key] {
    guard let text = invocation.value(Options.partition) else { return [] }
    var keys: [ExportPartition.Key] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let key: ExportPartition.Key = try invocation.choice(
        String(word), of: Options.partition.title)
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }

  private static func cursor(_ invocation: Invocation) throws -> String? {
    guard let name = invocation.value(Options.cursor) else { return nil }
    let most = ExportCursor.longestName
    guard name.utf8.count <= most else {
      throw invocation.usage(
        "--cursor takes a name of at most \(most) letters, digits, hyphens and dots, and not the "
          + "\(name.utf8.count) bytes that begin with \"\(String(name.unicodeScalars.prefix(most)))\"."
      )
    }
    guard ExportCursor.isName(name) else {
      throw invocation.usage(
        "--cursor takes a name of letters, digits, hyphens and dots, and not \"\(name)\".")
    }
    return name
  }

  private func destination(_ invocation: Invocation) throws -> Destination {
    if let text = invocation.value(Options.to) {
      let excluded = [
        Options.out, Options.format, Options.gzip, Options.zstd, Options.partition,
      ]
      if let other = excluded.first(where: invocation.has) {
        throw invocation.usage(
          "--to writes rows of a table and no files; leave out \(other.title).")
      }
      return .clickHouse(try ClickHouseAddress(text, of: Options.to, invocation))
    }
    let needsFolder: Option? =
      cursor != nil ? Options.cursor : partition.isEmpty ? nil : Options.partition
    guard let out = invocation.value(Options.out), out != "-" else {
      if let needsFolder {
        throw invocation.usage(
          "\(needsFolder.title) needs --out with a folder, such as --out events.")
      }
      return .standardOutput
    }
    guard !out.isEmpty else { throw invocation.usage("--out takes a file or a folder.") }
    var status = stat()
    let isThere = lstat(invocation.context.path(out), &status) == 0
    let isFolder = isThere && UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFDIR)
    guard needsFolder != nil || isFolder || out.hasSuffix("/") else { return .file(out) }
    if let needsFolder, !isFolder, !out.hasSuffix("/"), FileEnding(of: out).isOfFile {
      throw invocation.usage(
        "\(needsFolder.title) writes a folder, and --out \(out) ends like a file; name a folder, such as "
          + "--out events.")
    }
    var path = out
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return .folder(path)
  }
}

extension Invocation {
  /// A key of fewer bytes can be found by trying.
  private static let leastKey = 16

  /// What is to be left out of each event.
  func redaction() throws -> EventRedaction {
    let fields = try values(ExportRequest.Options.redact).map { text in
      guard let field = EventField(text) else {
        throw UsageError.value(
          text, of: ExportRequest.Options.redact.title,
          among: EventColumn.allCases.map(\.name) + ["data.NAME"], in: command.title)
      }
      return field
    }
    return try telling(ExportRequest.Options.redact) { () throws(EngagementError) in
      try EventRedaction(fields)
    }
  }

  /// The organisation's key for the hashes of users; nil if none is given.
  func userHashKey() throws -> [UInt8]? {
    guard let path = value(ExportRequest.Options.hashKey) else { return nil }
    guard path == "-" || !Self.isOpenToOthers(context.path(path)) else {
      throw usage(
        "\(path) can be read by others, who could learn who the users are; run chmod 600 on it.")
    }
    let key = Self.withoutLineEnd(try bytes(of: path))
    guard !key.isEmpty else { throw usage("\(path) is empty; it is to have the key.") }
    if key.count < Self.leastKey {
      console.note(
        "\(path) has \(key.count) \(key.count == 1 ? "byte" : "bytes"): whoever tries all such keys "
          + "learns who the users are. Take 32 random ones.")
    }
    return key
  }

  /// An editor ends a file with a line end that is no part of the key.
  private static func withoutLineEnd(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.last == UInt8(ascii: "\n") else { return bytes }
    let line = bytes.dropLast()
    return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
  }

  /// Whether others than its owner can read the file. One that cannot be read is told later.
  private static func isOpenToOthers(_ path: String) -> Bool {
    do throws(EngagementError) {
      let file = try InputFile(path)
      return file.isRegular && file.mode & 0o077 != 0
    } catch {
      return false
    }
  }

  /// The option's value as a time: a day, which begins in UTC, or a time of ISO 8601.
  func time(_ option: Option) throws -> Date? {
    guard let text = value(option) else { return nil }
    guard let date = ISO8601.date(from: text) ?? ISO8601.day(from: text) else {
      throw usage(
        "\(option.title) takes a day such as 2026-11-01, or a time with seconds and a zone such as "
          + "2026-11-01T09:00:00Z, and not \"\(text)\".")
    }
    return date
  }

  /// The two times between which events lie.
  func times(since: Option, until: Option) throws -> (since: Date?, until: Date?) {
    let times = (since: try time(since), until: try time(until))
    if let first = times.since, let last = times.until, first >= last {
      throw usage("\(since.title) is not before \(until.title).")
    }
    return times
  }

  /// Tells a value that makes no sense as an error of the option.
  func telling<Value>(
    _ option: Option, _ body: () throws(EngagementError) -> Value
  ) throws -> Value {
    do throws(EngagementError) {
      return try body()
    } catch {
      throw usage("\(option.title): \(error.message)")
    }
  }
}

extension Option {
  /// What a user has to know of properties that the option names and that no event has.
  func notes(on unmet: [(name: String, meant: String?)]) -> [String] {
    unmet.map { name, meant in
      "\(title) data.\(name): no event has it"
        + (meant.map { "; did you mean \"data.\($0)\"?" } ?? ".")
    }
  }
}
