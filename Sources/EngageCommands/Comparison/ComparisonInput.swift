import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Where the events of a comparison come from.
struct ComparisonInput {
  private let invocation: Invocation
  private let place: Place
  let since: Date?
  let until: Date?
  private let times: Range<Int64>
  /// The configured providers; none for files, which may be those of another application.
  let providers: [ProviderID]

  private enum Place {
    case cache(EngageConfiguration)
    case files(ExportedFiles)
    case clickHouse(ClickHouseAddress)
  }

  init(_ invocation: Invocation, since: Date? = nil, until: Date? = nil) throws {
    (self.invocation, self.since, self.until) = (invocation, since, until)
    let start = since.flatMap(Epoch.milliseconds) ?? .min
    times = start..<max(until.flatMap(Epoch.milliseconds) ?? .max, start)
    let paths = invocation.values(ComparisonOptions.from)
    if paths.contains(where: ClickHouseAddress.isMeant) {
      guard paths.count == 1 else {
        throw invocation.usage(
          "--from takes one table of ClickHouse, and no files beside it: leave one of them out.")
      }
      place = .clickHouse(try ClickHouseAddress(paths[0], of: ComparisonOptions.from, invocation))
      providers = []
      return
    }
    guard paths.isEmpty else {
      place = .files(try ExportedFiles(paths) { invocation.context.path($0) })
      providers = []
      return
    }
    let configuration = try invocation.configuration()
    guard CacheFile(configuration.cache).wasMade else {
      throw EngagementError(.notFound, "The cache is empty; run \"engage sync\".")
    }
    place = .cache(configuration)
    providers = configuration.providers.map(\.id)
  }

  /// What a comparison needs of the events.
  func counts(
    _ design: ComparisonDesign
  ) async throws -> (counts: ComparisonCounts, losses: Losses, seen: Set<ProviderID>) {
    if case .clickHouse(let address) = place {
      var counts = ClickHouseCounts(ClickHouseComparison(design, of: address.table, at: times))
      let client = ClickHouseClient(address)
      let found = try await invocation.console.progress("Asking ClickHouse …") {
        try await ClickHouseSetup(address: address, client: client).check()
        return try await counts.read { (query) throws(EngagementError) in
          try await client.rows(of: query, from: address.servers[0])
        }
      }
      var losses = try await losses(at: address)
      losses.hashes = DeviceHashes(apart: try await devicesApart(at: address))
      return (found, losses, Set(try await senders(at: address).map(\.provider)))
    }
    var accumulator = ComparisonAccumulator(design)
    var seen: Set<ProviderID> = []
    let losses = try await read { event in
      if let provider = event.provider { seen.insert(provider) }
      accumulator.add(event)
    }
    for (person, log) in losses.logs {
      accumulator.addLog(of: person, written: log.written, lost: log.lost)
    }
    return (accumulator.counts(), losses, seen)
  }

  /// What a comparison needs of the events, by the design that is made of the providers that have sent
  /// something. Files and caches are read once.
  func counts(
    of metrics: [ComparisonMetric], by design: (Set<ProviderID>) throws -> ComparisonDesign
  ) async throws -> (counts: ComparisonCounts, losses: Losses) {
    if case .clickHouse(let address) = place {
      try await ClickHouseSetup(address: address, client: ClickHouseClient(address)).check()
      let senders = try await senders(at: address).filter(\.isSender).map(\.provider)
      let losses = senders.count > 1 ? Losses() : try await losses(at: address)
      let (counts, all, _) = try await counts(
        try telling(losses) { try design(requireSeveral(Set(senders), losses)) })
      return (counts, all)
    }
    var accumulator = ProviderAccumulator(metrics: metrics)
    let losses = try await read { accumulator.add($0) }
    let design = try telling(losses) { try design(requireSeveral(accumulator.senders, losses)) }
    return (accumulator.takeCounts(by: design), losses)
  }

  /// Tells what was not counted, too, where nothing can be compared.
  private func telling<Value>(_ losses: Losses, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch {
      invocation.console.tell(losses)
      for note in losses.coverage.notes { invocation.console.note(Phrase(note)) }
      throw error
    }
  }

  /// What a server tells of the events that there are.
  private func losses(at address: ClickHouseAddress) async throws(EngagementError) -> Losses {
    var losses = Losses()
    let query = ClickHouseComparison.coverage(of: address.table, at: times)
    let rows = try await ClickHouseClient(address).rows(of: query, from: address.servers[0])
    let numbers = rows.first?.compactMap(\.integer) ?? []
    losses.experiments = try await experiments(at: address)
    guard numbers.count == 4, numbers.allSatisfy({ Int(exactly: $0) != nil }) else { return losses }
    losses.coverage = EventCoverage(
      at: times, events: Int(numbers[0]), userless: Int(numbers[1]),
      newest: numbers[2] > 0 ? numbers[3] : nil)
    return losses
  }

  /// The senders. Throws `notFound` if there are fewer than two.
  private func requireSeveral(
    _ senders: Set<ProviderID>, _ losses: Losses
  ) throws(EngagementError) -> Set<ProviderID> {
    guard senders.count < 2 else { return senders }
    let (sentence, step) =
      if let sender = senders.first {
        ("Only \(sender) has sent something, and a comparison needs two providers.", stepToOthers)
      } else if losses.coverage.areAllOutside {
        ("No provider has sent something in this time.", "Choose another --since or --until.")
      } else if losses.coverage.count == 0 {
        ("There is no event to compare.", stepToEvents)
      } else {
        (
          "No provider has sent something: of \(ExportRun.words(losses.coverage.count)) none is one of a "
            + "person who received, such as delivered, impression or click.", stepToReceipts
        )
      }
    throw EngagementError(.notFound, "\(sentence) \(step)")
  }

  private var stepToOthers: String {
    switch place {
    case .cache:
      "Compare exports of the devices that have another one, with --from, or configure another one."
    case .files: "Name the files of the devices that have another one with --from, too."
    case .clickHouse: "Export the events of the devices that have another one to the same table."
    }
  }

  private var stepToEvents: String {
    switch place {
    case .cache: "Run \"engage sync\"."
    case .files: "Write some with \"engage export --out FILE\", and name them with --from."
    case .clickHouse: "Send some with \"engage export --to ADDRESS\"."
    }
  }

  private var stepToReceipts: String {
    switch place {
    case .cache: "Run \"engage sync\"."
    case .files, .clickHouse:
      "Export without --kind, or from devices that have run \"engage sync\"."
    }
  }

  /// Throws `notFound` if there is no event of this experiment.
  func requireEvents(of counts: ComparisonCounts, _ losses: Losses) async throws {
    let others =
      counts.peopleInSeveralArms + counts.peopleInUnknownArms + counts.peopleInOtherVersions
    guard case .experiment(let name, _) = counts.design.split, others == 0,
      !counts.areAllLater, counts.arms.allSatisfy({ $0.assigned == 0 })
    else { return }
    let found = try await experiments().filter { !$0.hasSameBytes(as: name) }.sorted()
    try telling(losses) { throw Self.noEvents(of: name, among: found) }
  }

  private static func noEvents(of name: String, among found: [String]) -> EngagementError {
    let sentence = "No event is of the experiment \"\(name.readable)\""
    guard !found.isEmpty else {
      return EngagementError(
        .notFound,
        "\(sentence), and none is of another one. Such events are recorded where a route has a \"split\" with "
          + "this name, of people who gave consent: see \"engage routes\" and \"engage consent\". An export "
          + "with --kind may have left them out.")
    }
    let hint =
      NearestName.of(name, among: found).map { "; did you mean \"\($0.readable)\"?" } ?? "."
    return EngagementError(
      .notFound,
      "\(sentence)\(hint) There are events of: "
        + "\(found.prefix(10).map(\.readable).joined(separator: ", ")). Correct \"name\" in the plan, or "
        + "name other files with --from.")
  }

  /// The names of all experiments that have events.
  private func experiments() async throws -> Set<String> {
    if case .clickHouse(let address) = place { return try await experiments(at: address) }
    return try await read { _ in }.experiments
  }

  private func experiments(
    at address: ClickHouseAddress
  ) async throws(EngagementError) -> Set<String> {
    let query = ClickHouseComparison.experiments(of: address.table)
    let rows = try await ClickHouseClient(address).rows(of: query, from: address.servers[0])
    return Set(rows.compactMap { $0.first?.string })
  }

  private func senders(
    at address: ClickHouseAddress
  ) async throws(EngagementError) -> [(provider: ProviderID, isSender: Bool)] {
    let query = ClickHouseComparison.providers(of: address.table, at: times)
    return try await ClickHouseClient(address).rows(of: query, from: address.servers[0])
      .compactMap { row in
        guard row.count == 2, let name = row[0].string else { return nil }
        return (ProviderID(name), row[1] != 0)
      }
  }

  /// The number of devices, if no person is on two of them; otherwise 0.
  private func devicesApart(at address: ClickHouseAddress) async throws(EngagementError) -> Int {
    let query = ClickHouseComparison.devices(of: address.table)
    let row = try await ClickHouseClient(address).rows(of: query, from: address.servers[0]).first
    guard let row, row.count == 2, row[0] == 1 else { return 0 }
    return row[1].integer.map { Int($0) } ?? 0
  }

  /// Hands over each event once, of a cache or of files.
  private func read(_ body: @escaping (ObservedEvent) -> Void) async throws -> Losses {
    var experiments: Set<String> = []
    func take(_ event: ObservedEvent) {
      if [.experimentAssigned, .experimentExposed].contains(event.kind), let name = event.name {
        experiments.insert(name)
      }
      body(event)
    }
    var losses = try await invocation.console.progress { show in
      show("Reading events …")
      return switch place {
      case .cache(let configuration): try await read(configuration, take)
      case .files(let files): try read(files, show, take)
      case .clickHouse: Losses()
      }
    }
    losses.experiments = experiments
    return losses
  }

  // MARK: The cache

  private func read(
    _ configuration: EngageConfiguration, _ body: @escaping (ObservedEvent) -> Void
  ) async throws -> Losses {
    let reader = try await invocation.looking(configuration) { $0 }
    var sink = ObservedEventSink(times: times, body)
    var selection = EventSelection()
    selection.through = try reader.newestSequence
    var export = EventExport(selection, from: "") { $0.id?.rawValue }
    while try reader.writeEvents(of: &export, to: &sink) { try Task.checkCancellation() }
    var losses = Losses()
    losses.coverage = sink.coverage
    let gone = try reader.oldestSequence - 1
    if gone > 0 {
      losses.inputNotes.append(
        "The first \(ExportRun.words(Int(gone))) of this cache \(gone == 1 ? "is" : "are") not there any more "
          + "(evicted or erased), and not in the figures.")
    }
    return losses
  }

  // MARK: Files

  private func read(
    _ given: ExportedFiles, _ show: @escaping (Phrase) -> Void,
    _ body: @escaping (ObservedEvent) -> Void
  ) throws -> Losses {
    var people = FolderPeople()
    var sink = ObservedEventSink(times: times) { event in
      people.add(event.person)
      body(event)
    }
    var (losses, files, collected) = (Losses(), given, CollectedEvents())
    for damage in try files.takeDamage() {
      losses.faults.add(damage.sentence, in: damage.name)
    }
    losses.inputNotes = files.notes
    let logs = try files.logs()
    for file in files.files {
      people.begin(file.folder.flatMap { logs[$0] == nil ? nil : $0 })
      do {
        let source = try EventFile(file.path)
        collected.begin(file.name)
        defer { losses.inputNotes += source.notes.map { "\(file.name): \($0)" } }
        try source.read(telling: file.progress(show)) { line, event in
          switch event {
          case .event(let record):
            switch try collected.add(record) {
            case .new: break
            case .known:
              losses.duplicates += 1
              return
            case .contradicted(let sentence):
              return losses.faults.add(sentence, in: file.name, line: line)
            }
            losses.hashes.add(record)
            record.send(to: &sink)
          case .fault(let fault): losses.faults.add(fault, in: file.name, line: line)
          }
        }
      } catch let error as EngagementError where error.code != .conflict {
        losses.faults.add(error.message, in: file.name)
      }
    }
    try collected.requireOneNaming()
    losses.coverage = sink.coverage
    for (folder, found) in people.takeFolders() {
      guard let log = logs[folder] else { continue }
      losses.logs += found.map { ($0, log) }
    }
    return losses
  }
}
