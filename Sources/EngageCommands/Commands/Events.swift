import EngagementFormats
import EngagementKit
import EngagementModel

extension Command {
  private static let follow = Option("follow", letter: "f", "keep printing new events until Ctrl-C")
  private static let last = Option(
    "last", letter: "n", value: "COUNT", "only the newest COUNT events")
  private static let kind = Option(
    "kind", value: "KIND", "only events of this kind, such as dismiss", repeats: true)
  private static let totals = Option(
    "totals", "count the events and people of every provider, over all users")
  static let events = Command(
    name: ["events"], summary: "show recorded events",
    discussion: """
      The events of the signed-in user, oldest first.

      --totals counts the events of all users. It keeps its counts in the file CACHE-rollup, so that
      the next run reads only new events. The file has no names and can be removed at any time.
      """,
    options: [follow, last, kind, totals],
    examples: [
      Example("engage events --last 20", "the newest twenty"),
      Example("engage events --follow --kind dismiss --json", "each dismissal as it happens"),
      Example("engage events --totals", "who was reached, and what they did, by provider"),
    ], isInterruptible: true,
    run: { invocation in
      if invocation.has(totals) {
        return try await invocation.showTotals(without: [follow, last, kind])
      }
      let limit = try invocation.number(last, in: 1...1_000_000)
      let configuration = try invocation.configuration()
      let kinds = try await invocation.kinds(kind, in: configuration)
      let follows = invocation.has(follow)
      let waiting: Phrase = follows ? " Waiting for new events until Ctrl-C." : ""
      let isEmpty = !CacheFile(configuration.cache).wasMade
      if isEmpty {
        guard follows else {
          invocation.console.note("The cache is empty; run \"engage sync\".")
          return .done
        }
        invocation.console.note("The cache is empty.\(waiting)")
      }
      while !CacheFile(configuration.cache).wasMade {
        guard try await invocation.pauseToFollow() else { return .done }
      }
      var log = try EventLog(
        try await invocation.looking(configuration) { $0 },
        kinds: kinds)
      let printer = EventPrinter(console: invocation.console)
      let newest = try log.newest(limit)
      try printer.print(newest, titled: true)
      if newest.isEmpty, !isEmpty {
        invocation.console.note("\(log.absence)\(waiting)")
      }
      while follows, try await invocation.pauseToFollow() {
        try printer.print(try log.newest(nil), titled: false)
      }
      return .done
    })
}

extension Invocation {
  fileprivate func showTotals(without others: [Option]) async throws -> ExitStatus {
    if let other = others.first(where: { has($0) }) {
      throw usage("--totals and \(other.title) exclude each other.")
    }
    let configuration = try configuration()
    guard CacheFile(configuration.cache).wasMade else {
      console.note("The cache is empty; run \"engage sync\".")
      return .done
    }
    let reader = try await looking(configuration) { $0 }
    try EventTotalsTable(console: console).print(try reader.eventTotals())
    return .done
  }

  /// Waits a moment; false after Ctrl-C.
  fileprivate func pauseToFollow() async throws -> Bool {
    await context.clock.sleep(until: context.clock.uptime + .milliseconds(300))
    guard console.terminal.hasReader() else { throw OutputError.closedPipe }
    return !Task.isCancelled
  }
}

/// The events of the current user, read while others write and while users sign in and out.
private struct EventLog {
  private let reader: EngagementReader
  private let kinds: [EngagementEvent.Kind]
  private var user: User
  /// The kinds of all events so far.
  private var seen: Set<EngagementEvent.Kind> = []
  /// What was read last.
  private var sequence: Int64 = 0

  private static let page = 1_000

  init(_ reader: EngagementReader, kinds: [EngagementEvent.Kind]) throws(EngagementError) {
    self.reader = reader
    self.kinds = kinds
    user = try reader.user
  }

  /// Why nothing was found.
  var absence: String {
    guard !seen.isEmpty else { return "No event is recorded yet." }
    let kinds = seen.map(\.rawValue).sorted().joined(separator: ", ")
    return "No event of this kind is recorded; there are: \(kinds)."
  }

  /// What happened since the last call; of it no more than the newest. Of a user who has signed in
  /// since, nothing older.
  mutating func newest(_ limit: Int?) throws(EngagementError) -> [EngagementEvent] {
    let end = try reader.newestSequence
    var events = try unread(limit)
    let current = try reader.user
    if current != user {
      user = current
      events += try unread(limit)
    }
    sequence = max(sequence, end)
    return events
  }

  private mutating func unread(_ limit: Int?) throws(EngagementError) -> [EngagementEvent] {
    guard try reader.knows(user) else { return [] }
    var events: [EngagementEvent] = []
    while true {
      let page = try reader.events(after: sequence, limit: Self.page, of: user)
      sequence = page.last?.sequence ?? sequence
      seen.formUnion(page.map(\.kind))
      events += page.filter { kinds.isEmpty || kinds.contains($0.kind) }
      if let limit, events.count > limit { events.removeFirst(events.count - limit) }
      if page.count < Self.page { return events }
    }
  }
}

/// Prints events.
private struct EventPrinter {
  let console: Console

  func print(_ events: [EngagementEvent], titled: Bool) throws(OutputError) {
    for event in events { try console.object(event.json.object ?? [:]) }
    guard !console.isJSON, !events.isEmpty else { return }
    var table = Table([
      .init("TIME"), .init("KIND"), .init("PROVIDER"), .init("ABOUT", isFlexible: true),
      .init("PROPERTIES", isFlexible: true),
    ])
    let ids = ShortIDs(events.compactMap { $0.item?.id })
    for event in events { table.add(cells(of: event, ids)) }
    try console.table(table, titled: titled)
  }

  private func cells(of event: EngagementEvent, _ ids: ShortIDs) -> [Phrase] {
    let properties = event.properties.members.map { member in
      "\(member.key)=\(Console.argument(member.value))"
    }
    return [
      Phrase(ISO8601.text(of: event.time) ?? "", .faint), Phrase(event.kind.rawValue, .bold),
      Phrase(event.provider?.rawValue ?? ""),
      Phrase(event.name ?? event.item.map { ids.text(of: $0.id) } ?? ""),
      Phrase(properties.joined(separator: " ")),
    ]
  }
}
