import EngagementAnalytics
import EngagementCompression
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

/// One run of `engage export`.
struct ExportRun {
  private let invocation: Invocation
  private let request: ExportRequest
  private let events: ExportEvents

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    request = try ExportRequest(invocation)
    events = ExportEvents(
      request: request, configuration: try invocation.configurationWithCache(),
      invocation: invocation)
  }

  func run() async throws -> ExitStatus {
    try events.requireSoundCache()
    _ = try await invocation.kinds(ExportRequest.Options.kind, in: events.configuration)
    tellUnknownProviders()
    if case .clickHouse(let address) = request.destination {
      try await ClickHouseExport(address: address, events: events).run(invocation)
      return .done
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

  /// Events of a provider that is no longer configured may be exported. A name may be mistyped, too.
  private func tellUnknownProviders() {
    let known = events.configuration.providers.map(\.id.rawValue)
    for name in request.selection.providers.map(\.rawValue)
    where !known.contains(where: { $0.hasSameBytes(as: name) }) {
      let hint = NearestName.hint(for: name, among: known)
      invocation.console.note("--provider \(name): no such provider is configured\(hint)")
    }
  }

  private func run(by makeEncoder: @escaping () -> some EventEncoder) async throws {
    switch request.destination {
    case .standardOutput:
      let output = invocation.console.terminal.output
      let revision = try await events.ledgerRevision()
      let result = try await write(by: makeEncoder()) { try output($0) }
      try await events.requireRevision(
        revision, "Delete what was printed, and run the export again.")
      invocation.console.note("\(Self.words(result.events)) exported.")
    case .file(let path):
      let file = try NewFile(invocation.context.path(path))
      let revision = try await events.ledgerRevision()
      let result = try await write(by: makeEncoder()) { (bytes) throws(EngagementError) in
        try file.write(bytes)
      }
      try file.finish()
      do {
        try await events.requireRevision(revision, ExportEvents.isTakenBack)
      } catch {
        file.takeBack()
        throw error
      }
      try tell(result, in: path)
    case .folder(let path): try await run(into: path, by: makeEncoder)
    case .clickHouse: break
    }
  }

  static func words(_ events: Int) -> String { events == 1 ? "1 event" : "\(events) events" }

  private func tell(_ result: ExportEvents.Result, in path: String) throws(OutputError) {
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
  ) async throws -> ExportEvents.Result {
    var encoder = encoder
    encoder.begin()
    var compressor: Compressor?
    if let compression = request.streamCompression { compressor = try Compressor(compression) }
    let result = try await events.read(after: 0, into: encoder) { encoder, page in
      if page.isLast { encoder.finish() }
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
    let revision = try await events.ledgerRevision()
    let folder = try ExportFolder(invocation.context.path(path), revision: revision)
    defer { folder.removeDrafts() }
    if folder.completed > 0 {
      let files = folder.completed == 1 ? "1 file" : "\(folder.completed) files"
      invocation.console.note("The last export was interrupted; its \(files) are complete now.")
    }
    var header = ExportManifest.Header(
      source: try events.source(), format: request.format.rawValue,
      compression: request.compression?.rawValue,
      partition: request.partition.map(\.rawValue), selection: request.words,
      cursor: request.cursor, cursorID: nil)
    // A cursor that this run begins fits no export that is there. One that is begun and then refused would
    // keep old events.
    if let last = folder.manifests.last, request.cursor != nil, try await !events.hasCursor() {
      throw other(last, header, in: folder)
    }
    let cursor = try await events.cursor()
    header.cursorID = cursor?.id
    let start = try await start(of: cursor, in: folder, header, revision)
    let parts = ExportParts(
      in: folder, after: start, by: request.partition, as: request.format,
      compressedBy: request.streamCompression, makeEncoder: makeEncoder)
    let result = try await events.read(after: start, into: parts) { parts, _ in try parts.write() }
    guard result.through > start else {
      try invocation.console.line("Nothing new since the last export.")
      return try invocation.console.object(["folder": .string(path), "events": 0])
    }
    let manifest = ExportManifest(
      header: header, after: start, through: result.through, dropped: result.dropped(after: start),
      files: try parts.finish(), revision: revision)
    try await events.requireRevision(revision, ExportEvents.isTakenBack)
    try folder.commit(manifest)
    do {
      try await events.requireRevision(revision, ExportEvents.isTakenBack)
    } catch {
      try folder.takeBack(manifest)
      throw error
    }
    if var cursor {
      cursor.sequence = start
      try await events.move(cursor, to: result.through)
    }
    if let gone = manifest.dropped[ExportManifest.Reason.gone.rawValue] {
      invocation.console.note(
        "\(Self.words(gone)) of this time \(gone == 1 ? "is" : "are") in no file: erased, or evicted before "
          + "the export.")
    }
    try tell(manifest, in: path)
  }

  /// The event after which this run begins.
  private func start(
    of cursor: ExportCursor?, in folder: ExportFolder, _ header: ExportManifest.Header,
    _ revision: String
  ) async throws -> Int64 {
    guard let last = folder.manifests.last else {
      if let cursor, cursor.sequence > 0 {
        invocation.console.note(
          "The cursor \(cursor.name) has passed \(cursor.sequence) already: what it passed is not in "
            + "\(folder.path).")
      }
      return cursor?.sequence ?? 0
    }
    guard let cursor else {
      throw EngagementError(
        .invalidArgument,
        "\(folder.path) has an export already; choose another --out, or use --cursor to add to one."
      )
    }
    guard last.header == header else { throw other(last, header, in: folder) }
    if last.after == cursor.sequence {
      guard last.revision == revision else {
        // A user was erased before that run could look for it.
        try folder.takeBack(last)
        return cursor.sequence
      }
      // The earlier run was ended before it could move the cursor.
      try await events.move(cursor, to: last.through)
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

  private func other(
    _ last: ExportManifest, _ header: ExportManifest.Header, in folder: ExportFolder
  ) -> EngagementError {
    EngagementError(
      .conflict,
      "\(folder.path) has an export with \(last.header.difference(from: header)). "
        + "Choose another --out; \"engage import\" puts folders together and takes each event once."
    )
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
