import EngagementAnalytics
import EngagementModel
import EngagementPlatform

/// Holds the files of an export against its manifests.
struct ExportCheck {
  private let folder: String
  private(set) var findings: [Finding] = []
  private(set) var runs = 0
  /// The event after which the first run begins.
  private(set) var after: Int64 = 0
  private(set) var files = 0
  /// The sequences between the first and the last event of all runs.
  private(set) var read = 0
  private(set) var events = 0
  private(set) var dropped: [String: Int] = [:]

  struct Finding: Hashable {
    /// The file or the manifest, from the folder.
    let place: String
    let sentence: String
  }

  init(_ folder: String) { self.folder = folder }

  mutating func run() throws {
    let manifests = try manifests()
    after = manifests.first?.after ?? 0
    var last: ExportManifest?
    for manifest in manifests {
      check(manifest, following: last)
      try checkFiles(of: manifest)
      last = manifest
    }
    let known = Set(manifests.flatMap { $0.files.map(\.path) })
    for path in try ExportFolder.files(in: folder).sorted() where !known.contains(path) {
      add(path, "No manifest knows this file.")
    }
    for path in try ExportFolder.hiddenFiles(in: folder) {
      add(path, "No manifest knows this hidden file, which other programs may read.")
    }
  }

  /// The files that are not there as the manifests say, and the manifests that cannot be read. A folder
  /// without manifests has none.
  static func damage(in folder: String) throws -> [Finding] {
    var check = ExportCheck(folder)
    guard try !ExportFolder.manifestNames(in: folder).isEmpty else { return [] }
    for file in try check.manifests().flatMap(\.files) {
      let path = "\(folder)/\(file.path)"
      guard access(path, F_OK) == 0 else {
        check.add(file.path, "It is not there.")
        continue
      }
      do throws(EngagementError) {
        let found = try EventFile(path)
        if let sentence = try Self.difference(of: found, from: file) {
          check.add(file.path, sentence)
        }
      } catch {
        guard error.code != .cancelled else { throw error }
        check.add(file.path, error.message)
      }
    }
    return check.findings
  }

  /// What is other than the manifest says; nil if the bytes are the same.
  static func difference(
    of found: EventFile, from file: ExportManifest.File
  ) throws(EngagementError) -> String? {
    guard found.size == file.bytes else {
      return "It has \(found.size) bytes, and the manifest says \(file.bytes)."
    }
    do {
      return try found.digest() == file.sha256
        ? nil : "Its SHA-256 is not the one of the manifest."
    } catch let error as EngagementError {
      throw error
    } catch {
      throw Self.interruption
    }
  }

  private static let interruption = EngagementError(
    .cancelled, "The check was interrupted, and says nothing of the export.")

  private mutating func add(_ place: String, _ sentence: String) {
    findings.append(Finding(place: place, sentence: sentence))
  }

  private mutating func manifests() throws -> [ExportManifest] {
    var manifests: [ExportManifest] = []
    let names = try ExportFolder.manifestNames(in: folder)
    guard !names.isEmpty else {
      throw EngagementError(
        .notFound, "\(folder) has no manifest: it is no folder of \"engage export --out DIR\".")
    }
    for name in names {
      do throws(EngagementError) {
        manifests.append(try ExportManifest(fileAt: "\(folder)/\(name)"))
      } catch {
        add(name, error.message)
      }
    }
    return manifests
  }

  // MARK: The sums

  private mutating func check(_ manifest: ExportManifest, following last: ExportManifest?) {
    let name = "_manifests/\(manifest.name)"
    runs += 1
    if let last {
      if last.header != manifest.header {
        add(
          name,
          "It has another export than the one before: \(manifest.header.difference(from: last.header))."
        )
      }
      if manifest.after > last.through {
        add(
          name,
          "The events \(last.through + 1) to \(manifest.after) are missing: a run was not kept here."
        )
      } else if manifest.after < last.through {
        add(name, "The events \(manifest.after + 1) to \(last.through) are in two runs.")
      }
    }
    let span = Int(manifest.through - manifest.after)
    let out = manifest.dropped.values.reduce(manifest.events, +)
    if span != out {
      add(name, "\(span) events were read, and \(out) were written or dropped.")
    }
    read += span
    events += manifest.events
    dropped.merge(manifest.dropped, uniquingKeysWith: +)
  }

  // MARK: The files

  private mutating func checkFiles(of manifest: ExportManifest) throws {
    var seen = SequenceSet(over: manifest.after..<manifest.through)
    for file in manifest.files {
      files += 1
      do throws(EngagementError) {
        let found = try EventFile("\(folder)/\(file.path)")
        try check(found, file, of: manifest, &seen)
      } catch {
        guard error.code != .cancelled else { throw error }
        add(file.path, "\(error.message)")
      }
    }
  }

  private mutating func check(
    _ found: EventFile, _ file: ExportManifest.File, of manifest: ExportManifest,
    _ seen: inout SequenceSet
  ) throws(EngagementError) {
    if let sentence = try Self.difference(of: found, from: file) {
      return add(file.path, sentence)
    }
    var count = 0
    var (faults, doubled): ([Finding], Int) = ([], 0)
    do {
      try found.read { line, event in
        count += 1
        switch event {
        case .fault(let fault):
          if faults.count < 5 {
            faults.append(Finding(place: "\(file.path):\(line)", sentence: fault))
          }
        case .event(let record):
          let isOurs = record[.source] == .text(Array(manifest.header.source.utf8))
          guard case .integer(let sequence) = record[.sequence], isOurs,
            file.sequences.contains(sequence), seen.insert(sequence)
          else {
            doubled += 1
            return
          }
        }
      }
    } catch let error as EngagementError {
      throw error
    } catch {
      throw Self.interruption
    }
    findings += faults
    if count != file.events {
      add(file.path, "It has \(count) events, and the manifest says \(file.events).")
    }
    if doubled > 0 {
      add(file.path, "\(doubled) events are there twice, or belong to another run.")
    }
  }
}

/// Which sequences of a range were seen.
private struct SequenceSet {
  private let range: Range<Int64>
  private var words: [UInt64]

  init(over range: Range<Int64>) {
    // A range ends with its last sequence, and begins after its first.
    self.range = range.lowerBound + 1..<range.upperBound + 1
    words = Array(repeating: 0, count: (range.count + 63) / 64)
  }

  /// Whether the sequence is in the range and is seen for the first time.
  mutating func insert(_ sequence: Int64) -> Bool {
    guard range.contains(sequence) else { return false }
    let place = Int(sequence - range.lowerBound)
    let bit = UInt64(1) << UInt64(place % 64)
    guard words[place / 64] & bit == 0 else { return false }
    words[place / 64] |= bit
    return true
  }
}
