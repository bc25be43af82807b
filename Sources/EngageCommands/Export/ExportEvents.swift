import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel

/// The events of an export, from the cache, and its cursor there.
struct ExportEvents {
  let request: ExportRequest
  let configuration: EngageConfiguration
  let invocation: Invocation

  /// How far an export is when a page was sent to a sink.
  struct Position {
    /// The sequence up to which everything was read.
    let through: Int64
    let isLast: Bool
  }

  /// What was read.
  struct Result {
    var events = 0
    var excluded: [EventSelection.Exclusion: Int] = [:]
    var firstSequence: Int64?
    var lastSequence: Int64?
    /// The events without what may tell who their person is, and the first fields that were left out.
    var cleaned = 0
    var lostFields: [String] = []
    /// The events that do not fulfil the conditions.
    var unfit = 0
    var through: Int64 = 0

    /// Adds what another reader has read of the same export.
    mutating func add(_ other: Result) {
      events += other.events
      excluded.merge(other.excluded, uniquingKeysWith: +)
      firstSequence = [firstSequence, other.firstSequence].compactMap(\.self).min()
      lastSequence = [lastSequence, other.lastSequence].compactMap(\.self).max()
      cleaned += other.cleaned
      lostFields += other.lostFields.filter { !lostFields.contains($0) }
    }

    /// What a user has to know of the fields that were left out unasked.
    fileprivate var cleanedNote: String? {
      guard cleaned > 0 else { return nil }
      let most = PersonalDataFilter.mostFields
      let names = lostFields.prefix(most).map(\.readable).joined(separator: ", ")
      return "In \(ExportRun.words(cleaned)) what may tell who the person is was left out: \(names)"
        + (lostFields.count <= most ? "" : " and others")
        + "; --personal-data keeps it."
    }

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
  /// - Parameter turn: Called after every page, with the page.
  func read<Sink: EventSink>(
    after start: Int64, pagesOf limit: Int = 4_096, into sink: Sink,
    _ turn: (inout Sink, Position) async throws -> Void
  ) async throws -> Result {
    // In this order, so that the users of all these events are among them.
    let newest = try await invocation.looking(configuration) { reader throws(EngagementError) in
      try reader.newestSequence
    }
    let through = max(newest, start)
    let people = request.keepsPersonalData ? nil : PersonIDs(try await userIDs())
    var sink = sink
    guard !request.conditions.isEmpty || !request.redaction.isEmpty else {
      let result = try await read(
        after: start, through: through, pagesOf: limit, to: &sink, cleaning: people, turn)
      if let note = result.cleanedNote { invocation.console.note(Phrase(note)) }
      return result
    }
    let isHidden = request.redaction.hidesUsers
    var filtered = FilteredEvents(
      request.conditions, request.redaction, hiding: people, to: PersonalDataFilter(of: people),
      naming: isHidden ? try await userName() : nil)
    var result = try await read(
      after: start, through: through, pagesOf: limit, to: &filtered, cleaning: nil
    ) { filtered, page in
      filtered.next.takePage().send(to: &sink)
      try await turn(&sink, page)
    }
    result.unfit = filtered.dropped
    result.events -= filtered.dropped
    (result.cleaned, result.lostFields) = (filtered.next.cleaned, filtered.next.lostFields)
    if let note = result.cleanedNote { invocation.console.note(Phrase(note)) }
    typealias Options = ExportRequest.Options
    let notes =
      Options.redact.notes(on: filtered.unmetProperties)
      + Options.condition.notes(on: filtered.unmetConditions)
    for note in notes { invocation.console.note(Phrase(note)) }
    return result
  }

  /// Throws for a condition whose value names a person, if the export hides who its people are: the events
  /// that it gives would tell.
  func requireNobodyNamed() async throws {
    guard !request.conditions.isEmpty, request.users != .ids,
      !request.keepsPersonalData || request.redaction.hidesUsers
    else { return }
    let people = PersonIDs(try await userIDs())
    guard let condition = request.conditions.first(where: { $0.names(people) }) else { return }
    throw request.hidden(condition, invocation)
  }

  private func read<Sink: EventSink>(
    after start: Int64, through: Int64, pagesOf limit: Int, to sink: inout Sink,
    cleaning people: PersonIDs?,
    _ turn: (inout Sink, Position) async throws -> Void
  ) async throws -> Result {
    let source = try source()
    let name = try await readName()
    let names: @Sendable (User) -> String? = { user in user.id.map { name($0.rawValue) } }
    let reader = try await invocation.looking(configuration) { $0 }
    let first = max(start, try reader.oldestSequence - 1)
    let pages = EventPages(from: min(first, through), through: through, size: limit)
    var lanes = [
      EventLane(reader, request.selection, from: source, cleaning: people, naming: names)
    ]
    if pages.count > 1 {
      let other = try await invocation.looking(configuration) { $0 }
      lanes.append(
        EventLane(other, request.selection, from: source, cleaning: people, naming: names))
    }
    try await invocation.console.progress { show in
      show("Exporting …")
      var progress = ExportProgress(
        over: start...through, by: invocation.context.clock)
      try await pages.read(by: lanes) { events, page in
        events.send(to: &sink)
        try await turn(&sink, page)
        progress.reach(page.through, show)
      }
    }
    var result = Result(through: through)
    for lane in lanes { result.add(await lane.result) }
    return result
  }

  /// The last event up to a sequence that the export selects.
  func lastSequence(through: Int64) async throws -> Int64? {
    let reader = try await invocation.looking(configuration) { $0 }
    let name = try await readName()
    let oldest = max(try reader.oldestSequence, 1)
    var export = EventExport(request.selection, from: "") { $0.id.map { name($0.rawValue) } }
    let userName = request.redaction.hidesUsers ? try await userName() : nil
    let people = request.keepsPersonalData ? nil : PersonIDs(try await userIDs())
    var end = through
    while end >= oldest {
      let start = max(end - 4_095, oldest)
      var sink = FilteredEvents(
        request.conditions, request.redaction, hiding: people, to: LastEvent(), naming: userName)
      export.turn(to: start...end)
      while try reader.writeEvents(of: &export, to: &sink) {}
      if let found = sink.next.sequence { return found }
      end = start - 1
    }
    return nil
  }

  /// The id of an event of any kind; nil if it is not there.
  func id(of sequence: Int64) async throws -> String? {
    let reader = try await invocation.looking(configuration) { $0 }
    var export = EventExport(EventSelection(), from: "") { $0.id?.rawValue }
    var sink = LastEvent()
    export.turn(to: sequence...sequence)
    while try reader.writeEvents(of: &export, to: &sink) {}
    return sink.id
  }

  /// Whether all events up to a sequence may have been evicted. A ledger without events may have lost all.
  func mayBeEvicted(_ sequence: Int64) async throws -> Bool {
    let reader = try await invocation.looking(configuration) { $0 }
    let oldest = try reader.oldestSequence
    return oldest == 0 || oldest > sequence
  }

  /// The ids of all users, who may be named in each other's events.
  private func userIDs() async throws -> [String] {
    try await invocation.looking(configuration) { reader throws(EngagementError) in
      try reader.users.compactMap { $0.id?.rawValue }
    }
  }

  func source() throws(EngagementError) -> String {
    let id = try DeviceFile(besideCacheAt: configuration.cache)
      .id(random: invocation.context.random) { invocation.console.note("\($0)") }
    return "urn:uuid:\(id)"
  }

  /// Gives the id of a user its name in what is read. What leaves the users out has to know them.
  private func readName() async throws -> @Sendable (String) -> String {
    guard request.redaction.hidesUsers else { return try await userName() }
    return { $0 }
  }

  /// Gives the id of a user its name in the export: the id or a hash.
  private func userName() async throws -> @Sendable (String) -> String {
    let key: [UInt8]
    switch request.users {
    case .ids: return { $0 }
    case .key(let given): key = given
    case .salt:
      key = Array(
        try await sound { engagement throws(EngagementError) in
          try await engagement.exportSalt()
        }.utf8)
    }
    let hash = PersonHash(key: key)
    return { hash.text(of: $0) }
  }

  /// Throws if the cache is damaged or cannot be read. To open a damaged one would set it aside, with all
  /// that is to be exported.
  func requireSoundCache() throws(EngagementError) {
    do throws(EngagementError) {
      _ = try invocation.reader(of: configuration).newestSequence
    } catch {
      guard error.code == .storage else { return }
      throw error
    }
  }

  /// The value that the body gives, of a cache that was sound when it was opened.
  private func sound<Value: Sendable>(
    _ body: @escaping @Sendable (Engagement) async throws(EngagementError) -> Value
  ) async throws -> Value {
    try await invocation.reading(configuration) { engagement throws(EngagementError) in
      if let recovery = engagement.recovery {
        let place = recovery.path.map { ": \($0)" } ?? "."
        throw EngagementError(
          .storage,
          "The cache was damaged and has no events any more; the former file has them\(place)")
      }
      return try await body(engagement)
    }
  }

  /// Tells one erasure of the cache from another.
  func ledgerRevision() async throws -> String {
    try await invocation.looking(configuration) { (reader) throws(EngagementError) in
      try reader.ledgerRevision
    }
  }

  /// Throws `conflict` if a user was erased since the ledger had that revision.
  ///
  /// - Parameter step: What follows for what was written.
  func requireRevision(_ revision: String, _ step: String) async throws {
    guard try await ledgerRevision() != revision else { return }
    throw EngagementError(
      .conflict,
      "A user was erased while the events were exported, and may be among them. \(step)")
  }

  static let isTakenBack = "Nothing of this run is kept; run it again."

  // MARK: The cursor

  /// The cursor, which begins at the first event if no earlier run has begun it.
  ///
  /// - Parameter folder: Where a new one goes.
  func cursor(into folder: String? = nil) async throws -> ExportCursor? {
    guard let name = request.cursor else { return nil }
    let words = request.words
    return try await sound { engagement throws(EngagementError) in
      try await engagement.exportCursor(named: name, selecting: words, into: folder)
    }
  }

  /// The cursor, if an earlier run has begun it.
  func begunCursor() async throws -> ExportCursor? {
    guard request.cursor != nil else { return nil }
    let known = try await sound { engagement throws(EngagementError) in
      try await engagement.exportCursors
    }
    return known.first { $0.name == request.cursor }
  }

  func move(
    _ cursor: ExportCursor, to sequence: Int64, into folder: String? = nil
  ) async throws {
    try await invocation.reading(configuration) {
      try await $0.moveExportCursor(cursor, to: sequence, into: folder)
    }
  }

  /// Forgets a cursor that a run has begun and that has passed nothing: it would keep old events.
  func remove(_ cursor: ExportCursor) async {
    let (invocation, configuration) = (invocation, configuration)
    // The run may have been cancelled.
    await Task {
      try? await invocation.reading(configuration) {
        try await $0.removeExportCursor(named: cursor.name)
      }
    }.value
  }
}

/// Keeps what names the last event.
private struct LastEvent: EventSink {
  private(set) var sequence: Int64?
  private(set) var id: String?
  private var column = 0

  mutating func missing() { column += 1 }
  mutating func text(_ text: RawSpan) {
    if column == EventColumn.id.rawValue { id = String(decoding: text.copied, as: UTF8.self) }
    column += 1
  }
  mutating func time(_ milliseconds: Int64) { column += 1 }
  mutating func json(_ json: RawSpan) { column += 1 }
  mutating func integer(_ value: Int64) {
    if column == EventColumn.sequence.rawValue { sequence = value }
    column += 1
  }
  mutating func endEvent() { column = 0 }
}
