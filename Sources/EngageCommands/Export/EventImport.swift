import EngagementAnalytics
import EngagementCompression
import EngagementModel
import EngagementPlatform

/// Collects events of several files in one. Each event is there once: a source and an id name it.
struct EventImport {
  private(set) var added = 0
  private(set) var known = 0
  private(set) var faults: [Fault] = []
  private(set) var faultCount = 0
  private var seen: Set<EventIdentity> = []
  /// The vendor's format of the files; nil for ours.
  private let format: VendorFormat?
  private let redaction: EventRedaction

  init(as format: VendorFormat?, leavingOut redaction: EventRedaction) {
    (self.format, self.redaction) = (format, redaction)
  }

  /// A line that holds no event.
  struct Fault: Hashable {
    let file: String
    let line: Int
    let sentence: String
  }

  /// More are counted and not kept.
  private static let mostFaults = 100

  /// Writes the events of the files after those of the target, if that is there. The target is replaced
  /// once the new one is whole.
  ///
  /// - Parameter paths: How each file is called, and where it is.
  mutating func run(
    _ paths: [(name: String, path: String)], into target: EventTarget, random: UInt64
  ) throws {
    switch target.format {
    case .ndjson: try run(paths, into: target, random, by: NDJSONEncoder())
    case .csv: try run(paths, into: target, random, by: CSVEncoder())
    case .parquet: try run(paths, into: target, random, by: ParquetEncoder(compressedBy: .zstd))
    }
  }

  private mutating func run(
    _ paths: [(name: String, path: String)], into target: EventTarget, _ random: UInt64,
    by encoder: some EventEncoder
  ) throws {
    var encoder = encoder
    let draft = try DraftFile(
      "\(target.path).part-\(String(random, radix: 16))", becoming: target.path)
    var compressor: Compressor?
    if let compression = target.compression { compressor = try Compressor(compression) }
    encoder.begin()
    if target.isThere { try keep(target.path, in: &encoder, compressor, draft) }
    for (name, path) in paths { try add(name, path, to: &encoder, compressor, draft) }
    encoder.finish()
    try Self.write(&encoder, compressor, draft)
    if let compressor { try draft.write(compressor.finish()) }
    try draft.finish()
    guard target.isUnchanged else {
      unlink(draft.path)
      throw EngagementError(
        .conflict, "Another import has written \(target.path) meanwhile; run this one again.")
    }
    try draft.replace(target.path)
  }

  /// Takes over what the target has already.
  private mutating func keep(
    _ path: String, in encoder: inout some EventEncoder, _ compressor: Compressor?,
    _ draft: DraftFile
  ) throws {
    try EventFile(path).read { line, event in
      switch event {
      case .fault(let fault):
        throw EngagementError(
          .unreadable, "\(path) is not replaced: line \(line) holds no event. \(fault)")
      case .event(let record):
        seen.insert(EventIdentity(record))
        record.send(to: &encoder)
        if encoder.bytes.count > Self.block { try Self.write(&encoder, compressor, draft) }
      }
    }
  }

  private mutating func add(
    _ name: String, _ path: String, to encoder: inout some EventEncoder,
    _ compressor: Compressor?, _ draft: DraftFile
  ) throws {
    try EventFile(path).read(as: format) { line, event in
      switch event {
      case .fault(let fault):
        faultCount += 1
        if faults.count < Self.mostFaults {
          faults.append(Fault(file: name, line: line, sentence: fault))
        }
      case .event(let record):
        guard seen.insert(EventIdentity(record)).inserted else {
          known += 1
          return
        }
        added += 1
        redaction.send(record, to: &encoder)
        if encoder.bytes.count > Self.block { try Self.write(&encoder, compressor, draft) }
      }
    }
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
    var name = path[...]
    var compression: Compression?
    for candidate in Compression.allCases where name.hasSuffix(candidate.suffix) {
      compression = candidate
      name = name.dropLast(candidate.suffix.count)
    }
    guard let format = ExportFormat.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }),
      format != .parquet || compression == nil
    else { return nil }
    (self.path, self.format, self.compression) = (path, format, compression)
    var status = stat()
    isThere = lstat(path, &status) == 0
    identity = Identity(path)
    guard !isThere || UInt32(status.st_mode) & UInt32(S_IFMT) == UInt32(S_IFREG) else {
      throw EngagementError(.invalidArgument, "\(path) is no file; choose another --into.")
    }
  }
}
