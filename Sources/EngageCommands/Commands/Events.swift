import EngagementFormats
import EngagementKit
import EngagementModel

extension Command {
  private static let follow = Option("follow", letter: "f", "keep printing new events until Ctrl-C")
  private static let last = Option(
    "last", letter: "n", value: "COUNT", "only the newest COUNT events")
  private static let kind = Option(
    "kind", value: "KIND", "only events of this kind, such as dismiss", repeats: true)

  static let events = Command(
    name: ["events"], summary: "show recorded events",
    discussion: "The events of the signed-in user, oldest first.",
    options: [follow, last, kind],
    examples: [
      Example("engage events --last 20", "the newest twenty"),
      Example("engage events --follow --kind dismiss --json", "each dismissal as it happens"),
    ], isInterruptible: true,
    run: { invocation in
      let limit = try invocation.number(last, in: 1...1_000_000)
      let configuration = try invocation.configuration()
      guard CacheFile(configuration.cache).wasMade else {
        invocation.console.note("The cache is empty; run \"engage sync\".")
        return .done
      }
      var log = try EventLog(
        try await invocation.looking(configuration) { $0 },
        kinds: invocation.values(kind).map { .init($0) })
      let printer = EventPrinter(console: invocation.console)
      let newest = try log.newest(limit)
      try printer.print(newest, titled: true)
      if newest.isEmpty, !log.seen.isEmpty {
        let kinds = log.seen.map(\.rawValue).sorted().joined(separator: ", ")
        invocation.console.note("No event of this kind is recorded; there are: \(kinds).")
      }
      if newest.isEmpty, log.seen.isEmpty { invocation.console.note("No event is recorded yet.") }
      while invocation.has(follow), !Task.isCancelled {
        let clock = invocation.context.clock
        await clock.sleep(until: clock.uptime + .milliseconds(300))
        guard invocation.console.terminal.hasReader() else { throw OutputError.closedPipe }
        try printer.print(try log.newest(nil), titled: false)
      }
      return .done
    })
}

/// The events of the user who was signed in when it was made, read while others write.
private struct EventLog {
  private let reader: EngagementReader
  private let user: User
  private let kinds: [EngagementEvent.Kind]
  /// The kinds of all events so far.
  private(set) var seen: Set<EngagementEvent.Kind> = []
  /// What was read last.
  private var sequence: Int64 = 0

  private static let page = 1_000

  init(_ reader: EngagementReader, kinds: [EngagementEvent.Kind]) throws(EngagementError) {
    self.reader = reader
    user = try reader.user
    self.kinds = kinds
  }

  /// What happened since the last call; of it no more than the newest.
  mutating func newest(_ limit: Int?) throws(EngagementError) -> [EngagementEvent] {
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
