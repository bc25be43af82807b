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
  private var ids = EventIDHashes()

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
    for (path, events) in ids.repeated {
      add(path, "\(events) of its events \(events == 1 ? "has" : "have") the id of another event.")
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
    var events = FileEvents(of: file, in: manifest)
    ids.begin(file.path)
    do {
      try found.read { line, event in
        switch event {
        case .fault(let fault): events.add(fault, line: line)
        case .event(let record):
          if events.add(record, &seen) { ids.add(record) }
        }
      }
    } catch let error as EngagementError {
      throw error
    } catch {
      throw Self.interruption
    }
    findings += events.findings
  }
}

/// What was read of one file, held against its manifest.
private struct FileEvents {
  private let file: ExportManifest.File
  private let source: EventRecord.Cell
  /// The keys by which the file was chosen; nil if a later release has others.
  private let keys: [ExportPartition.Key]?
  private var last: (partition: ExportPartition, isOfFile: Bool)?
  private var faults: [ExportCheck.Finding] = []
  private var count = 0
  private var doubled = 0
  /// The events of other partitions.
  private var strange = 0
  private var times: ClosedRange<Int64>?
  private var sequences: ClosedRange<Int64>?

  /// More lines are not told.
  private static let mostFaults = 5

  init(of file: ExportManifest.File, in manifest: ExportManifest) {
    self.file = file
    source = .text(manifest.header.source)
    let names = manifest.header.partition
    let known = names.compactMap { ExportPartition.Key(rawValue: $0) }
    keys = known.count == names.count ? known : nil
  }

  mutating func add(_ fault: String, line: Int) {
    count += 1
    guard faults.count < Self.mostFaults else { return }
    faults.append(ExportCheck.Finding(place: "\(file.path):\(line)", sentence: fault))
  }

  /// Returns whether the event belongs to the run, and is there for the first time.
  mutating func add(_ event: borrowing EventRecord, _ seen: inout SequenceSet) -> Bool {
    count += 1
    guard case .integer(let sequence) = event[.sequence], event[.source] == source,
      file.sequences.contains(sequence), seen.insert(sequence)
    else {
      doubled += 1
      return false
    }
    let time = event.milliseconds(.time) ?? 0
    times = Self.range(times, with: time)
    sequences = Self.range(sequences, with: sequence)
    if !isOfFile(event) { strange += 1 }
    return true
  }

  private static func range(
    _ range: ClosedRange<Int64>?, with value: Int64
  ) -> ClosedRange<Int64> {
    min(range?.lowerBound ?? value, value)...max(range?.upperBound ?? value, value)
  }

  /// Whether the partition of the event is that of the file.
  private mutating func isOfFile(_ event: borrowing EventRecord) -> Bool {
    guard let keys else { return true }
    let partition = ExportPartition(of: event, by: keys)
    if let last, last.partition == partition { return last.isOfFile }
    let folder = file.path.lastIndex(of: "/").map { String(file.path[...$0]) } ?? ""
    let isOfFile = partition.folder(by: keys).hasSameBytes(as: folder)
    last = (partition, isOfFile)
    return isOfFile
  }

  /// What is other than the manifest says.
  var findings: [ExportCheck.Finding] {
    var sentences: [String] = []
    if count != file.events {
      sentences.append("It has \(count) events, and the manifest says \(file.events).")
    }
    if doubled > 0 {
      sentences.append("\(doubled) events are there twice, or belong to another run.")
    }
    if strange > 0 {
      sentences.append("\(strange) events belong to a file of another vendor, day or kind.")
    }
    if faults.isEmpty, doubled == 0, let times, let sequences {
      if times != file.times {
        sentences.append("Its events have other times than the manifest says.")
      }
      if sequences != file.sequences {
        sentences.append("Its events have other sequences than the manifest says.")
      }
    }
    return faults + sentences.map { ExportCheck.Finding(place: file.path, sentence: $0) }
  }
}

/// Short hashes of the ids of events, which tell whether one is there twice. An event takes 16 bytes.
private struct EventIDHashes {
  private var hashes: [UInt64] = []
  private var files: [(path: String, start: Int)] = []

  /// Begins with a file.
  mutating func begin(_ path: String) { files.append((path, hashes.count)) }

  mutating func add(_ event: borrowing EventRecord) {
    var hasher = Hasher()
    hasher.combine(event[.id])
    hashes.append(UInt64(bitPattern: Int64(hasher.finalize())))
  }

  /// The files with events whose ids other events have, too, and how many those are.
  var repeated: [(path: String, events: Int)] {
    let sorted = hashes.sorted()
    var twice: Set<UInt64> = []
    for (first, second) in zip(sorted, sorted.dropFirst()) where first == second {
      twice.insert(first)
    }
    guard !twice.isEmpty else { return [] }
    var repeated: [(path: String, events: Int)] = []
    for (index, file) in files.enumerated() {
      let end = index + 1 < files.count ? files[index + 1].start : hashes.count
      let events = hashes[file.start..<end].count { twice.contains($0) }
      if events > 0 { repeated.append((file.path, events)) }
    }
    return repeated
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
