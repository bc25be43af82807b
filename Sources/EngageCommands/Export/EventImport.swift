import EngagementAnalytics
import EngagementCompression
import EngagementModel
import EngagementPlatform

/// Collects events of several files in one, each once.
struct EventImport {
  private(set) var added = 0
  private(set) var known = 0
  private(set) var faults = LineFaults()
  /// The files that are not whole.
  private(set) var damagedFiles = 0
  /// Whether there was an event to write.
  private(set) var isWritten = false
  /// What was passed over in files, or was left out in none.
  private(set) var notes: [String] = []
  private var collected = CollectedEvents()
  /// Those of our own files, which hide users.
  private(set) var hashes = DeviceHashes()
  /// The vendor's format of the files; nil for ours.
  private let format: VendorFormat?
  private var redaction: EventRedaction

  init(as format: VendorFormat?, leavingOut redaction: EventRedaction) {
    (self.format, self.redaction) = (format, redaction)
  }

  /// Writes the events of the files after those of the target, if that is there. The target is replaced
  /// once the new one is whole.
  ///
  /// Nothing is written where there is neither a target nor an event.
  ///
  /// - Parameter show: Is told what is read now.
  mutating func run(
    _ files: ExportedFiles, into target: EventTarget, _ show: @escaping (Phrase) -> Void
  ) throws {
    switch target.format {
    case .ndjson: try run(files, into: target, by: NDJSONEncoder(), show)
    case .csv: try run(files, into: target, by: CSVEncoder(), show)
    case .parquet: try run(files, into: target, by: ParquetEncoder(compressedBy: .zstd), show)
    }
  }

  private mutating func run(
    _ given: ExportedFiles, into named: EventTarget, by encoder: some EventEncoder,
    _ show: @escaping (Phrase) -> Void
  ) throws {
    var (encoder, files) = (encoder, given)
    for damage in try files.takeDamage() { addFile(damage.sentence, at: damage.name) }
    // Only the holder of the draft replaces the target.
    let draft = try DraftFile(of: named.path)
    let target = try EventTarget(named.path) ?? named
    var compressor: Compressor?
    if let compression = target.compression { compressor = try Compressor(compression) }
    encoder.begin()
    if target.isThere { try keep(target.path, in: &encoder, compressor, draft) }
    for file in files.files { try add(file, to: &encoder, compressor, draft, show) }
    try collected.requireOneNaming()
    notes += files.notes + ExportRequest.Options.redact.notes(on: redaction.unmetProperties)
    isWritten = target.isThere || added > 0 || faults.count == 0
    guard isWritten else { return }
    encoder.finish()
    try Self.write(&encoder, compressor, draft)
    if let compressor { try draft.write(compressor.finish()) }
    try draft.finish()
    do throws(EngagementError) {
      try Self.name(draft, as: target)
    } catch {
      unlink(draft.path)
      throw error
    }
  }

  private static func name(
    _ draft: DraftFile, as target: EventTarget
  ) throws(EngagementError) {
    guard target.isUnchanged else {
      throw EngagementError(
        .conflict, "Another program has written \(target.path) meanwhile; run this one again.")
    }
    if target.isThere {
      try draft.replace(target.path)
    } else {
      try DraftFile.place(draft.path, at: target.path)
    }
  }

  /// Takes over what the target has already.
  private mutating func keep(
    _ path: String, in encoder: inout some EventEncoder, _ compressor: Compressor?,
    _ draft: DraftFile
  ) throws {
    collected.begin(path)
    try EventFile(path).read { line, event in
      switch event {
      case .fault(let fault):
        throw EngagementError(
          .unreadable, "\(path) is not replaced: line \(line) holds no event. \(fault)")
      case .event(let record):
        _ = try collected.add(record)
        if format == nil { hashes.add(record) }
        record.send(to: &encoder)
        if encoder.bytes.count > Self.block { try Self.write(&encoder, compressor, draft) }
      }
    }
  }

  private mutating func addFile(_ sentence: String, at place: String) {
    damagedFiles += 1
    faults.add(sentence, in: place)
  }

  private mutating func add(
    _ file: ExportedFiles.File, to encoder: inout some EventEncoder, _ compressor: Compressor?,
    _ draft: DraftFile, _ show: @escaping (Phrase) -> Void
  ) throws {
    do {
      try read(file, to: &encoder, compressor, draft, show)
    } catch let error as EngagementError where error.code == .unreadable {
      addFile(error.message, at: file.name)
    }
  }

  private mutating func read(
    _ file: ExportedFiles.File, to encoder: inout some EventEncoder, _ compressor: Compressor?,
    _ draft: DraftFile, _ show: @escaping (Phrase) -> Void
  ) throws {
    let source = try EventFile(file.path)
    collected.begin(file.name, namesUsersByIDs: format.map { $0.userName == nil })
    defer { notes += source.notes.map { "\(file.name): \($0)" } }
    try source.read(as: format, telling: file.progress(show)) { line, event in
      switch event {
      case .fault(let fault): faults.add(fault, in: file.name, line: line)
      case .event(let whole):
        let record = redaction.isEmpty ? whole : redacted(whole)
        switch try collected.add(record) {
        case .new: break
        case .known:
          known += 1
          return
        case .contradicted(let sentence):
          return faults.add(sentence, in: file.name, line: line)
        }
        added += 1
        if format == nil { hashes.add(record) }
        record.send(to: &encoder)
        if encoder.bytes.count > Self.block { try Self.write(&encoder, compressor, draft) }
      }
    }
  }

  private mutating func redacted(_ event: EventRecord) -> EventRecord {
    var record = EventRecord()
    redaction.send(event, to: &record)
    return record
  }

  private static let block = 256 * 1_024

  private static func write(
    _ encoder: inout some EventEncoder, _ compressor: Compressor?, _ draft: DraftFile
  ) throws(EngagementError) {
    try draft.write(try compressor?.compress(encoder.bytes) ?? encoder.bytes)
    encoder.takeBytes()
  }
}

/// A file that collects events. Its name says what it holds.
struct EventTarget {
  let path: String
  let format: ExportFormat
  let compression: Compression?
  let isThere: Bool
  /// The file that has the name, and when it was written.
  private let identity: Identity?

  private struct Identity: Equatable {
    let file: UInt64
    let size: Int64
    let seconds: Int64
    let nanoseconds: Int64

    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      (file, size) = (UInt64(status.st_ino), Int64(status.st_size))
      (seconds, nanoseconds) = (Int64(time.tv_sec), Int64(time.tv_nsec))
    }
  }

  /// Whether the file is the one that was read.
  var isUnchanged: Bool { Identity(path) == identity }

  /// Nil for a name that says nothing of the kind.
  init?(_ path: String) throws(EngagementError) {
    let ending = FileEnding(of: path)
    guard let format = ending.format, format != .parquet || ending.compression == nil
    else { return nil }
    (self.path, self.format, compression) = (path, format, ending.compression)
    var status = stat()
    isThere = lstat(path, &status) == 0
    identity = Identity(path)
    guard !isThere || UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) else {
      throw EngagementError(.invalidArgument, "\(path) is no file; choose another --into.")
    }
  }
}
