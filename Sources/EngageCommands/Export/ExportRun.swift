import EngagementAnalytics
import EngagementCompression
import EngagementJSON
import EngagementKit
import EngagementModel

/// One run of `engage export`.
struct ExportRun {
  private let invocation: Invocation
  private let configuration: EngageConfiguration
  private let request: ExportRequest

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    request = try ExportRequest(invocation)
    configuration = try invocation.configuration()
  }

  func run() async throws -> ExitStatus {
    guard CacheFile(configuration.cache).wasMade else {
      throw EngagementError(.notFound, "The cache is empty; run \"engage sync\".")
    }
    if let table = request.vendorFormat {
      try await run { VendorEventEncoder(table) }
      return .done
    }
    switch request.format {
    case .ndjson: try await run { NDJSONEncoder() }
    case .csv: try await run { CSVEncoder() }
    case .parquet:
      let compression = request.compression
      try await run { ParquetEncoder(compressedBy: compression) }
    }
    return .done
  }

  private func run(by makeEncoder: @escaping () -> some EventEncoder) async throws {
    switch request.destination {
    case .standardOutput:
      let output = invocation.console.terminal.output
      let result = try await write(by: makeEncoder()) { try output($0) }
      invocation.console.note("\(Self.words(result.events)) exported.")
    case .file(let path):
      let file = try NewFile(invocation.context.path(path), random: invocation.context.random())
      let result = try await write(by: makeEncoder()) { (bytes) throws(EngagementError) in
        try file.write(bytes)
      }
      try file.finish()
      try tell(result, in: path)
    case .folder(let path): try await run(into: path, by: makeEncoder)
    }
  }

  static func words(_ events: Int) -> String { events == 1 ? "1 event" : "\(events) events" }

  private func tell(_ result: Result, in path: String) throws(OutputError) {
    try invocation.console.line("\(Self.words(result.events)) in \(path)")
    var members: JSONObject = [
      "file": .string(path), "events": .integer(Int64(result.events)),
    ]
    members["firstSequence"] = result.firstSequence.map(JSON.integer)
    members["lastSequence"] = result.lastSequence.map(JSON.integer)
    try invocation.console.object(members)
  }

  // MARK: One stream

  /// Writes all events into one stream.
  private func write(
    by encoder: some EventEncoder, to output: ([UInt8]) throws -> Void
  ) async throws -> Result {
    var encoder = encoder
    encoder.begin()
    var compressor: Compressor?
    if let compression = request.streamCompression { compressor = try Compressor(compression) }
    let result = try await events(after: 0, into: encoder) { encoder, isLast in
      if isLast { encoder.finish() }
      try output(compressor?.compress(encoder.bytes) ?? encoder.bytes)
      encoder.takeBytes()
    }
    if let compressor { try output(compressor.finish()) }
    return result
  }

  // MARK: A folder

  private func run(
    into path: String, by makeEncoder: @escaping () -> some EventEncoder
  ) async throws {
    let folder = try ExportFolder(invocation.context.path(path))
    defer { folder.removeDrafts() }
    let cursor = try await cursor()
    let header = ExportManifest.Header(
      source: try source(), format: request.format.rawValue,
      compression: request.compression?.rawValue,
      partition: request.partition.map(\.rawValue), selection: request.words,
      cursor: cursor?.name, cursorID: cursor?.id)
    let start = try await start(of: cursor, in: folder, header)
    let parts = ExportParts(
      in: folder, after: start, by: request.partition, as: request.format,
      compressedBy: request.streamCompression, makeEncoder: makeEncoder)
    let result = try await events(after: start, into: parts) { parts, _ in try parts.write() }
    guard result.through > start else {
      try invocation.console.line("Nothing new since the last export.")
      return try invocation.console.object(["folder": .string(path), "events": 0])
    }
    let manifest = ExportManifest(
      header: header, after: start, through: result.through, dropped: result.dropped(after: start),
      files: try parts.finish())
    try folder.commit(manifest)
    if var cursor {
      cursor.sequence = start
      try await move(cursor, to: result.through)
    }
    try tell(manifest, in: path)
  }

  private func cursor() async throws -> ExportCursor? {
    guard let name = request.cursor else { return nil }
    let words = request.words
    return try await invocation.reading(configuration) {
      try await $0.exportCursor(named: name, selecting: words)
    }
  }

  private func move(_ cursor: ExportCursor, to sequence: Int64) async throws {
    try await invocation.reading(configuration) {
      try await $0.moveExportCursor(cursor, to: sequence)
    }
  }

  /// The event after which this run begins.
  private func start(
    of cursor: ExportCursor?, in folder: ExportFolder, _ header: ExportManifest.Header
  ) async throws -> Int64 {
    guard let last = folder.manifests.last else { return cursor?.sequence ?? 0 }
    guard let cursor else {
      throw EngagementError(
        .invalidArgument,
        "\(folder.path) has an export already; choose another --out, or use --cursor to add to one."
      )
    }
    guard last.header == header else {
      throw EngagementError(
        .conflict,
        "\(folder.path) has an export with \(last.header.difference(from: header)). "
          + "Choose another --out.")
    }
    if last.after == cursor.sequence {
      // The earlier run was ended before it could move the cursor.
      try await move(cursor, to: last.through)
      return last.through
    }
    guard last.through <= cursor.sequence else {
      throw EngagementError(
        .conflict,
        "\(folder.path) has events up to \(last.through), and the cursor \(cursor.name) stands at "
          + "\(cursor.sequence): the cache is older than the folder. Choose another --out.")
    }
    return cursor.sequence
  }

  private func tell(_ manifest: ExportManifest, in path: String) throws(OutputError) {
    let files = manifest.files.count == 1 ? "1 file" : "\(manifest.files.count) files"
    try invocation.console.line("\(Self.words(manifest.events)) in \(files) of \(path)")
    var members: JSONObject = [
      "folder": .string(path), "manifest": .string("_manifests/\(manifest.name)"),
      "events": .integer(Int64(manifest.events)), "after": .integer(manifest.after),
      "through": .integer(manifest.through),
    ]
    members["files"] = .array(manifest.files.map { .string($0.path) })
    try invocation.console.object(members)
  }
}

// MARK: Reading

extension ExportRun {
  /// What was read.
  struct Result {
    var events = 0
    var excluded: [EventSelection.Exclusion: Int] = [:]
    var firstSequence: Int64?
    var lastSequence: Int64?
    /// The events that do not fulfil the conditions.
    var unfit = 0
    var through: Int64 = 0

    /// The events after the start that are not in the export, by reason.
    func dropped(after start: Int64) -> [String: Int] {
      var reasons: [String: Int] = [:]
      for (exclusion, events) in excluded { reasons[exclusion.rawValue] = events }
      if unfit > 0 { reasons[ExportManifest.Reason.condition.rawValue] = unfit }
      let gone = Int(through - start) - excluded.values.reduce(events + unfit, +)
      if gone > 0 { reasons[ExportManifest.Reason.gone.rawValue] = gone }
      return reasons
    }
  }

  /// Sends the events after a sequence to the sink.
  ///
  /// - Parameter turn: Called after every page, with whether it was the last.
  private func events<Sink: EventSink>(
    after start: Int64, into sink: Sink, _ turn: (inout Sink, Bool) throws -> Void
  ) async throws -> Result {
    guard !request.conditions.isEmpty || !request.redaction.isEmpty else {
      var sink = sink
      return try await read(after: start, to: &sink, turn)
    }
    var filtered = FilteredEvents(request.conditions, request.redaction, to: sink)
    var result = try await read(after: start, to: &filtered) { filtered, isLast in
      try turn(&filtered.next, isLast)
    }
    result.unfit = filtered.dropped
    result.events -= filtered.dropped
    return result
  }

  private func read<Sink: EventSink>(
    after start: Int64, to sink: inout Sink, _ turn: (inout Sink, Bool) throws -> Void
  ) async throws -> Result {
    let (source, names) = (try source(), try await userNames())
    let reader = try await invocation.looking(configuration) { $0 }
    var selection = request.selection
    (selection.after, selection.through) = (start, max(try reader.newestSequence, start))
    var export = EventExport(selection, from: source, naming: names)
    try await invocation.console.progress { show in
      show("Exporting …")
      var progress = ExportProgress(
        over: start...selection.through, by: invocation.context.clock)
      while true {
        try Task.checkCancellation()
        let isMore = try reader.writeEvents(of: &export, to: &sink)
        try turn(&sink, !isMore)
        guard isMore else { return }
        progress.reach(export.selection.after, show)
      }
    }
    return Result(
      events: export.events, excluded: export.dropped, firstSequence: export.firstSequence,
      lastSequence: export.lastSequence, through: selection.through)
  }

  private func source() throws(EngagementError) -> String {
    let id = try DeviceFile(besideCacheAt: configuration.cache)
      .id(random: invocation.context.random) { invocation.console.note("\($0)") }
    return "urn:uuid:\(id)"
  }

  /// Gives each user a name in the export, an id or a hash; nil for the anonymous user.
  private func userNames() async throws -> (User) -> String? {
    let key: [UInt8]
    switch request.users {
    case .ids: return { $0.id?.rawValue }
    case .key(let given): key = given
    case .salt:
      key = Array(try await invocation.reading(configuration) { try await $0.exportSalt() }.utf8)
    }
    let hash = PersonHash(key: key)
    return { $0.id.map { hash.text(of: $0.rawValue) } }
  }
}
