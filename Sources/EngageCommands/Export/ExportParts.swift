import EngagementAnalytics
import EngagementCompression
import EngagementFormats
import EngagementModel

/// The files of one run of an export into a folder. Events go to the file of their partition.
final class ExportParts<Encoder: EventEncoder>: EventSink {
  private let folder: ExportFolder
  private let after: Int64
  private let keys: [ExportPartition.Key]
  private let format: ExportFormat
  private let compression: Compression?
  private let makeEncoder: () -> Encoder
  private var record = EventRecord()
  private var open: [ExportPartition: Part] = [:]
  /// The partition and the file of the event before.
  private var last: (partition: ExportPartition, part: Part)?
  private var files: [Int: ExportManifest.File] = [:]
  private var created = 0

  /// More are not open at a time: each has a buffer.
  private static var mostOpen: Int { 16 }

  init(
    in folder: ExportFolder, after: Int64, by keys: [ExportPartition.Key], as format: ExportFormat,
    compressedBy compression: Compression?, makeEncoder: @escaping () -> Encoder
  ) {
    (self.folder, self.after, self.keys, self.format) = (folder, after, keys, format)
    (self.compression, self.makeEncoder) = (compression, makeEncoder)
  }

  func missing() { record.missing() }
  func text(_ text: RawSpan) { record.text(text) }
  func integer(_ value: Int64) { record.integer(value) }
  func time(_ milliseconds: Int64) { record.time(milliseconds) }
  func json(_ json: RawSpan) { record.json(json) }

  func endEvent() {
    part().add(record)
    record.removeAll()
  }

  private func part() -> Part {
    let partition = ExportPartition(of: record, by: keys)
    if let last, last.partition == partition { return last.part }
    let part = open[partition] ?? makePart(of: partition)
    open[partition] = part
    last = (partition, part)
    return part
  }

  private func makePart(of partition: ExportPartition) -> Part {
    created += 1
    let first = ExportManifest.padded(record.sequence)
    let name = "events-\(first).\(format.rawValue)\(compression?.suffix ?? "")"
    return Part(
      number: created - 1, path: partition.folder(by: keys) + name, encoder: makeEncoder())
  }

  /// Writes what the events so far have become.
  func write() throws(EngagementError) {
    // In the order of their making: a dictionary has none.
    let parts = open.sorted { $0.value.number < $1.value.number }
    let surplus = max(parts.count - Self.mostOpen, 0)
    for (partition, part) in parts.prefix(surplus) {
      files[part.number] = try part.finish(in: folder, after, compression)
      open[partition] = nil
      last = nil
    }
    for (_, part) in parts.dropFirst(surplus) { try part.write(in: folder, after, compression) }
  }

  /// Finishes all files and returns them in the order of their numbers.
  func finish() throws(EngagementError) -> [ExportManifest.File] {
    for part in open.values.sorted(by: { $0.number < $1.number }) {
      files[part.number] = try part.finish(in: folder, after, compression)
    }
    (open, last) = ([:], nil)
    return files.sorted { $0.key < $1.key }.map(\.value)
  }

  /// One file that is being written.
  private final class Part {
    let number: Int
    private let path: String
    private var encoder: Encoder
    private var output: (draft: DraftFile, compressor: Compressor?)?
    private var hash = SHA256()
    private var size = 0
    private var events = 0
    private var sequences: ClosedRange<Int64> = 0...0
    private var times: ClosedRange<Int64> = 0...0

    init(number: Int, path: String, encoder: Encoder) {
      (self.number, self.path, self.encoder) = (number, path, encoder)
      self.encoder.begin()
    }

    func add(_ record: borrowing EventRecord) {
      let (sequence, time) = (record.sequence, record.milliseconds(.time) ?? 0)
      if events == 0 { (sequences, times) = (sequence...sequence, time...time) }
      sequences = sequences.lowerBound...sequence
      times = min(times.lowerBound, time)...max(times.upperBound, time)
      events += 1
      record.send(to: &encoder)
    }

    func write(
      in folder: ExportFolder, _ after: Int64, _ compression: Compression?
    ) throws(EngagementError) {
      let bytes = encoder.bytes
      defer { encoder.takeBytes() }
      guard !bytes.isEmpty else { return }
      let (draft, compressor) = try opened(in: folder, after, compression)
      try append(compressor?.compress(bytes) ?? bytes, to: draft)
    }

    func finish(
      in folder: ExportFolder, _ after: Int64, _ compression: Compression?
    ) throws(EngagementError) -> ExportManifest.File {
      encoder.finish()
      try write(in: folder, after, compression)
      let (draft, compressor) = try opened(in: folder, after, compression)
      if let compressor { try append(compressor.finish(), to: draft) }
      try draft.finish()
      return ExportManifest.File(
        path: path, bytes: size, sha256: hash.digest().description, events: events,
        sequences: sequences, times: times)
    }

    private func opened(
      in folder: ExportFolder, _ after: Int64, _ compression: Compression?
    ) throws(EngagementError) -> (draft: DraftFile, compressor: Compressor?) {
      if let output { return output }
      let draft = try folder.draft(number, ofRunAfter: after, becoming: path)
      var compressor: Compressor?
      if let compression { compressor = try Compressor(compression) }
      output = (draft, compressor)
      return (draft, compressor)
    }

    private func append(_ bytes: [UInt8], to draft: DraftFile) throws(EngagementError) {
      hash.update(bytes)
      size += bytes.count
      try draft.write(bytes)
    }
  }
}

extension EventRecord {
  fileprivate var sequence: Int64 {
    if case .integer(let sequence) = self[.sequence] { sequence } else { 0 }
  }
}
