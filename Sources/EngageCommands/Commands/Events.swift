import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementStore

extension Command {
  private static let follow = Option("follow", letter: "f", "go on with what happens, until Ctrl-C")
  private static let last = Option("last", letter: "n", value: "COUNT", "only the newest")
  private static let kind = Option(
    "kind", value: "KIND", "only these, such as dismiss", repeats: true)

  static let events = Command(
    name: ["events"], summary: "show what happened, from the ledger",
    discussion: "The events of whoever is signed in, the oldest first.",
    options: [follow, last, kind],
    examples: [
      Example("engage events --last 20", "the newest twenty"),
      Example("engage events --follow --kind dismiss --json", "each dismissal as it happens"),
    ], isInterruptible: true,
    run: { invocation in
      let limit = try invocation.number(last, in: 1...1_000_000)
      let configuration = try invocation.configuration()
      guard CacheFile(configuration.cache).exists else {
        invocation.console.note("The cache is empty; run \"engage sync\".")
        return .done
      }
      var ledger = try LedgerView(
        configuration, kinds: invocation.values(kind).map { .init($0) })
      let printer = EventPrinter(console: invocation.console)
      try printer.print(try ledger.newest(limit), titled: true)
      while invocation.has(follow), !Task.isCancelled {
        let clock = invocation.surroundings.clock
        await clock.sleep(until: clock.uptime + .milliseconds(300))
        try printer.print(try ledger.newest(nil), titled: false)
      }
      return .done
    })
}

/// The present user's events, read while others write.
private struct LedgerView: ~Copyable {
  private var reader: StoreReader
  private let partition: Partition?
  private let kinds: [EngagementEvent.Kind]
  /// What was read last.
  private var sequence: Int64 = 0

  private static let page = 1_000

  init(
    _ configuration: EngageConfiguration, kinds: [EngagementEvent.Kind]
  ) throws(EngagementError) {
    var reader = try StoreReader(path: configuration.cache, adapters: [:])
    let environment = Options().environment
    let user = try reader.presentUser(in: environment)
    partition = try reader.partition(of: user, in: environment)
    self.reader = reader
    self.kinds = kinds
  }

  /// What happened since the last call; of it no more than the newest.
  mutating func newest(_ limit: Int?) throws(EngagementError) -> [EngagementEvent] {
    guard let partition else { return [] }
    var events: [EngagementEvent] = []
    while true {
      let entries = try reader.entries(after: sequence, limit: Self.page, in: partition)
      sequence = entries.last?.event.sequence ?? sequence
      let wanted = entries.map(\.event).filter { kinds.isEmpty || kinds.contains($0.kind) }
      events += wanted
      if let limit, events.count > limit { events.removeFirst(events.count - limit) }
      if entries.count < Self.page { return events }
    }
  }
}

/// Prints events.
private struct EventPrinter {
  let console: Console

  func print(_ events: [EngagementEvent], titled: Bool) throws(ClosedPipe) {
    for event in events { try console.object(event.json.object ?? [:]) }
    guard !console.isJSON, !events.isEmpty else { return }
    var table = Table([
      .init("TIME"), .init("KIND"), .init("PROVIDER"), .init("ABOUT", isFlexible: true),
      .init("PROPERTIES", isFlexible: true),
    ])
    for event in events { table.add(cells(of: event)) }
    try console.table(table, titled: titled)
  }

  private func cells(of event: EngagementEvent) -> [Phrase] {
    let properties = event.properties.members.map { member in
      "\(member.key)=\(Console.text(of: member.value))"
    }
    return [
      Phrase(ISO8601.text(of: event.time) ?? "", .faint), Phrase(event.kind.text, .bold),
      Phrase(event.provider?.text ?? ""),
      Phrase(event.name ?? event.item?.id.value ?? ""),
      Phrase(properties.joined(separator: " ")),
    ]
  }
}
