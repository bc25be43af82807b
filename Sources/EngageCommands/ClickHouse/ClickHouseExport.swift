import EngagementAnalytics
import EngagementHTTP
import EngagementModel

/// Sends events to ClickHouse in batches. The cursor follows what the server has acknowledged, so a run
/// that ends in between is continued by the next. What arrived and was not acknowledged is sent again,
/// which changes nothing there.
struct ClickHouseExport {
  let address: ClickHouseAddress
  let events: ExportEvents

  /// A batch has so many events, or more bytes than that: the same ones each time.
  private static let (pageSize, mostEvents, mostBytes) = (1_024, 8_192, 4 << 20)

  func run(_ invocation: Invocation) async throws {
    let client = ClickHouseClient(address)
    if try await events.begunCursor() != nil, let cursor = try await events.cursor(),
      cursor.sequence > 0
    {
      try await requireRows(passedBy: cursor, client)
    }
    let users = ClickHouseUsers(address: address, client: client, naming: events.request.userNaming)
    try await ClickHouseSetup(address: address, client: client).run(users.naming)
    let areKnown = try await users.claim()
    var progress = Progress(cursor: try await events.cursor())
    let start = progress.cursor?.sequence ?? 0
    let revision = try await events.ledgerRevision()
    do {
      let result = try await events.read(
        after: start, pagesOf: Self.pageSize, into: ClickHouseEncoder()
      ) { encoder, page in
        let isFull = encoder.rows >= Self.mostEvents || encoder.bytes.count >= Self.mostBytes
        guard isFull || page.isLast else { return }
        if !areKnown, encoder.rows > 0 { try await users.compare(encoder.bytes) }
        try await send(&encoder, by: client, &progress)
        try await move(&progress, to: page.through)
      }
      try await events.requireRevision(
        revision, "Delete the user's rows from the table: they are there already.")
      try tell(result, after: start, invocation)
    } catch let error as EngagementError {
      if progress.sent > 0 {
        invocation.console.note(
          "\(ExportRun.words(progress.sent)) arrived. Run the command again: "
            + (progress.cursor == nil
              ? "what is there twice counts once." : "it goes on after them."))
      }
      throw error
    }
  }

  /// Throws `conflict` if the table cannot have what the cursor has passed.
  private func requireRows(
    passedBy cursor: ExportCursor, _ client: ClickHouseClient
  ) async throws {
    var areThere = try await ClickHouseSetup(address: address, client: client).hasTable()
    // What was selected may have been nothing so far, or is erased.
    if areThere, let last = try await events.lastSequence(through: cursor.sequence) {
      let query = address.table.row(of: try events.source(), sequence: last)
      areThere = try await !client.rows(of: query, from: address.servers[0]).isEmpty
    }
    guard !areThere else { return }
    throw EngagementError(
      .conflict,
      "The cursor \(cursor.name) has passed event \(cursor.sequence) already, and \(address.name) lacks what "
        + "it has sent: the table was dropped or emptied, or the earlier runs went to another one. Give --to "
        + "that one, or run \"engage cursors remove \(cursor.name)\" to send all events again.")
  }

  /// How far a run is.
  private struct Progress {
    var cursor: ExportCursor?
    var sent = 0
  }

  private func send(
    _ encoder: inout ClickHouseEncoder, by client: ClickHouseClient, _ progress: inout Progress
  ) async throws(EngagementError) {
    guard encoder.rows > 0 else { return }
    try await client.insert(
      encoder.bytes, encoder.rows, into: address.table, on: address.servers[0])
    progress.sent += encoder.rows
    encoder.takeBytes()
  }

  private func move(_ progress: inout Progress, to sequence: Int64) async throws {
    guard let cursor = progress.cursor, sequence > cursor.sequence else { return }
    try await events.move(cursor, to: sequence)
    progress.cursor?.sequence = sequence
  }

  private func tell(
    _ result: ExportEvents.Result, after start: Int64, _ invocation: Invocation
  ) throws(OutputError) {
    if events.request.cursor != nil, result.through == start {
      try invocation.console.line("Nothing new since the last export.")
    } else {
      try invocation.console.line("\(ExportRun.words(result.events)) in \(address.name)")
    }
    try invocation.console.object([
      "target": .string(address.name), "events": .integer(Int64(result.events)),
      "after": .integer(start), "through": .integer(result.through),
    ])
  }
}
