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
    try await invocation.requireProviders(
      request.selection.providers, in: events.configuration)
    try await events.requireNobodyNamed()
    tellEnding()
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

  /// Says what a file is whose name seems to say something else.
  private func tellEnding() {
    guard case .file(let path) = request.destination, request.vendorFormat == nil,
      invocation.value(ExportRequest.Options.format) == nil,
      let ending = FileEnding(of: path).unknown
    else { return }
    let known = ExportFormat.allCases.map(\.rawValue)
    let hint = NearestName.of(ending.lowercased(), among: known).map { "; did you mean .\($0)?" }
    invocation.console.note(
      "--out \(path) ends like no format that is known, and the file is NDJSON\(hint ?? ".") Add --format, or "
        + "let the name end with .ndjson, .csv or .parquet.")
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
      try await file.finish {
        try await events.requireRevision(revision, ExportEvents.isTakenBack)
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
    try await requireRuns(in: invocation.context.path(path))
    let revision = try await events.ledgerRevision()
    let folder = try ExportFolder(invocation.context.path(path), revision: revision)
    defer { folder.removeDrafts() }
    do {
      try await run(into: path, folder, revision, by: makeEncoder)
    } catch {
      folder.removeMade()
      throw error
    }
  }

  private func run(
    into path: String, _ folder: ExportFolder, _ revision: String,
    by makeEncoder: @escaping () -> some EventEncoder
  ) async throws {
    tellInterruption(in: folder)
    var header = ExportManifest.Header(
      source: try events.source(), format: request.format.rawValue,
      compression: request.compression?.rawValue,
      partition: request.partition.map(\.rawValue), selection: request.words,
      cursor: request.cursor, cursorID: nil)
    // A cursor that this run begins fits no export that is there. One that is begun and then refused would
    // keep old events.
    if let last = folder.manifests.last, request.cursor != nil,
      try await events.begunCursor() == nil
    {
      throw other(last, header, in: folder)
    }
    let cursor = try await cursor(in: folder)
    header.cursorID = cursor?.id
    do {
      try await run(into: path, folder, header, revision, after: cursor, by: makeEncoder)
    } catch {
      if let cursor, cursor.sequence == 0, folder.manifests.isEmpty { await events.remove(cursor) }
      throw error
    }
  }

  private func run(
    into path: String, _ folder: ExportFolder, _ header: ExportManifest.Header,
    _ revision: String, after cursor: ExportCursor?,
    by makeEncoder: @escaping () -> some EventEncoder
  ) async throws {
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
      files: try parts.finish(), lastID: try await events.id(of: result.through),
      revision: revision)
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
      try await events.move(cursor, to: result.through, into: folder.place)
    }
    if let gone = manifest.dropped[ExportManifest.Reason.gone.rawValue] {
      invocation.console.note(
        "\(Self.words(gone)) of this time \(gone == 1 ? "is" : "are") in no file: erased, or evicted before "
          + "the export.")
    }
    try tell(manifest, in: path)
  }

  /// Says what the opening of the folder has done for the last run.
  private func tellInterruption(in folder: ExportFolder) {
    if folder.isCut { tellCut() }
    guard folder.completed > 0 else { return }
    let files = folder.completed == 1 ? "1 file" : "\(folder.completed) files"
    invocation.console.note("The last export was interrupted; its \(files) are complete now.")
  }

  private func tellCut() {
    invocation.console.note(
      "The last export was interrupted, and a file of it is lost or cut; it is made again.")
  }

  // MARK: The cursor

  /// Throws if the cursor has passed events that a folder without runs would not have.
  private func requireRuns(in path: String) async throws {
    guard !ExportFolder.hasRuns(path), let cursor = try await events.begunCursor(),
      cursor.sequence > 0
    else { return }
    // One that was begun with something else is told as such.
    _ = try await events.cursor()
    throw passed(cursor, path)
  }

  private func passed(_ cursor: ExportCursor, _ path: String) -> EngagementError {
    let sentence =
      "The cursor \(cursor.name) has passed event \(cursor.sequence) already, and \(path) has no export: it "
      + "would begin late. "
    let anew =
      "\"engage cursors remove \(cursor.name)\" lets it begin at the first event again, in another folder."
    guard let former = cursor.folder else {
      return EngagementError(
        .conflict, sentence + "Give --out the folder of the earlier runs. " + anew)
    }
    return EngagementError(
      .conflict,
      ExportFolder.hasRuns(former)
        ? sentence + "Its exports are in \(former): give that to --out. " + anew
        : sentence + "Its exports were in \(former): bring that folder back. " + anew)
  }

  /// The cursor of the folder. Throws `busy` while a first run with it writes to another folder, and
  /// `conflict` if one has.
  private func cursor(in folder: ExportFolder) async throws -> ExportCursor? {
    let place = folder.place
    guard var cursor = try await events.cursor(into: place) else { return nil }
    guard folder.manifests.isEmpty, let former = cursor.folder, former != place else {
      return cursor
    }
    if ExportFolder.isLocked(former) { throw ExportFolder.busy(former) }
    guard cursor.sequence == 0 else { throw passed(cursor, folder.path) }
    guard !ExportFolder.hasRuns(former) else {
      throw EngagementError(
        .conflict,
        "An export with the cursor \(cursor.name) was interrupted in \(former): give that to --out."
      )
    }
    // A first run was killed there before it had written anything.
    try await events.move(cursor, to: 0, into: place)
    cursor.folder = place
    return cursor
  }

  /// The event after which this run begins.
  private func start(
    of cursor: ExportCursor?, in folder: ExportFolder, _ header: ExportManifest.Header,
    _ revision: String
  ) async throws -> Int64 {
    guard let last = folder.manifests.last else {
      if let cursor, cursor.sequence > 0 { throw passed(cursor, folder.path) }
      return 0
    }
    guard let cursor else {
      throw EngagementError(
        .invalidArgument,
        "\(folder.path) has an export already; choose another --out, or use --cursor to add to one."
      )
    }
    guard last.header == header else { throw other(last, header, in: folder) }
    try requireNoGap(in: folder, cursor)
    try await requireSamePast(as: last, in: folder, revision)
    if last.after == cursor.sequence {
      guard last.revision == revision, folder.isWhole(last) else {
        // A user was erased before that run could look for it, or a file was lost.
        if last.revision == revision { tellCut() }
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
    guard last.through == cursor.sequence else {
      throw EngagementError(
        .conflict,
        "\(folder.path) has events up to \(last.through), and the cursor \(cursor.name) has passed "
          + "\(cursor.sequence): later runs are not there any more. Bring their files and manifests back, or "
          + "run \"engage cursors remove \(cursor.name)\" and export to another folder.")
    }
    return cursor.sequence
  }

  /// Throws `conflict` if the folder has lost a run between two others.
  private func requireNoGap(
    in folder: ExportFolder, _ cursor: ExportCursor
  ) throws(EngagementError) {
    for (former, next) in zip(folder.manifests, folder.manifests.dropFirst())
    where next.after > former.through {
      throw EngagementError(
        .conflict,
        "The events \(former.through + 1) to \(next.after) are missing in \(folder.path): a run was not kept "
          + "there. Bring its files and its manifest back, or run \"engage cursors remove \(cursor.name)\" and "
          + "export to another folder.")
    }
  }

  /// Throws `conflict` if the cache has not recorded what the last run has written. A copy of it that was
  /// restored gives the sequences of lost events to new ones.
  private func requireSamePast(
    as last: ExportManifest, in folder: ExportFolder, _ revision: String
  ) async throws {
    guard let known = last.lastID else { return }
    let found = try await events.id(of: last.through)
    // It may be erased by now, or evicted.
    guard found != known, found != nil || last.revision == revision,
      try await !events.mayBeEvicted(last.through)
    else { return }
    throw EngagementError(
      .conflict,
      "\(folder.path) has events up to \(last.through) that this cache has not recorded, or not in this "
        + "order: the cache was restored from a copy. Run \"engage cursors remove \(last.header.cursor ?? "")\" "
        + "and export to another folder; \"engage import\" puts both together and takes each event once."
    )
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
