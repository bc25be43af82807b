import EngagementAnalytics
import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

extension Command {
  private static let format = Option(
    "format", value: "FORMAT", "ndjson (the default), or csv", choices: ["ndjson", "csv"])
  private static let out = Option(
    "out", letter: "o", value: "FILE", "a file that is not there yet; else standard output")
  private static let since = Option("since", value: "TIME", "only events at this time or later")
  private static let until = Option("until", value: "TIME", "only events before this time")
  private static let kind = Option(
    "kind", value: "KIND", "only events of this kind, such as dismiss", repeats: true)
  private static let provider = Option(
    "provider", value: "NAME", "only events of this provider", repeats: true)
  private static let userIDs = Option("user-ids", "users by their ids, in place of hashes")
  private static let hashKey = Option(
    "user-hash-key", value: "FILE",
    "the organisation's key for the hashes, so that a user has one on all devices")

  static let export = Command(
    name: ["export"], summary: "write recorded events for another program",
    discussion: """
      The events of all users of this cache, in the order in which they were recorded. NDJSON has an
      event of CloudEvents 1.0 a line. CSV has the same fields as columns, behind a line with their
      names; a text that a spreadsheet would take for a formula has an apostrophe before it.

      A user is a hash of the id: HMAC-SHA-256, with the key of --user-hash-key, or else with a salt
      that only this cache has. TIME is a day, or a time of ISO 8601; a day begins in UTC.

      FILE gets its name when it is whole.
      """,
    options: [format, out, since, until, kind, provider, userIDs, hashKey],
    examples: [
      Example("engage export --out events.ndjson", "everything"),
      Example(
        "engage export --format csv --since 2026-11-01 --until 2026-12-01 --out november.csv",
        "a month"),
      Example("engage export --kind click --provider braze", "one provider's clicks"),
    ], isInterruptible: true,
    run: { invocation in
      switch invocation.value(format) {
      case "csv"?: try await EventExport(invocation).run(by: CSVEncoder())
      case nil, .some: try await EventExport(invocation).run(by: NDJSONEncoder())
      }
    })

  /// One run of the command.
  private struct EventExport {
    let invocation: Invocation
    let configuration: EngageConfiguration
    var selection = EventSelection()

    /// Rows that are read and written at a time.
    private static let page = 4_096

    init(_ invocation: Invocation) throws {
      self.invocation = invocation
      selection.since = try invocation.time(since)
      selection.until = try invocation.time(until)
      if let since = selection.since, let until = selection.until, since >= until {
        throw invocation.usage("--since is not before --until.")
      }
      selection.kinds = invocation.values(kind).map { .init($0) }
      selection.providers = invocation.values(provider).map { ProviderID($0) }
      if invocation.has(userIDs), invocation.has(hashKey) {
        throw invocation.usage("--user-ids and --user-hash-key exclude each other.")
      }
      configuration = try invocation.configuration()
    }

    func run(by encoder: some EventEncoder) async throws -> ExitStatus {
      guard CacheFile(configuration.cache).wasMade else {
        throw EngagementError(.notFound, "The cache is empty; run \"engage sync\".")
      }
      let file = try invocation.value(out).map {
        try NewFile(invocation.context.path($0), random: invocation.context.random())
      }
      let names = try await userNames()
      let id = try DeviceFile(besideCacheAt: configuration.cache)
        .id(random: invocation.context.random) { invocation.console.note("\($0)") }
      let reader = try await invocation.looking(configuration) { $0 }
      let count = try await invocation.console.progress("Exporting …") {
        try write(reader, "urn:uuid:\(id)", names, encoder) { bytes in
          if let file {
            try file.write(bytes)
          } else {
            try invocation.console.terminal.output(bytes)
          }
        }
      }
      try file?.finish()
      try tell(count)
      return .done
    }

    private func write(
      _ reader: EngagementReader, _ source: String, _ names: (User) -> String?,
      _ encoder: some EventEncoder, to output: ([UInt8]) throws -> Void
    ) throws -> EngagementReader.EventCount {
      var (encoder, selection, count) = (encoder, selection, EngagementReader.EventCount())
      selection.through = try reader.newestSequence
      encoder.begin()
      while true {
        try Task.checkCancellation()
        let found = try reader.writeEvents(
          selection, limit: Self.page, from: source, naming: names, by: &encoder, counting: &count)
        let isLast = found < Self.page
        if isLast { encoder.finish() }
        try output(encoder.bytes)
        encoder.takeBytes()
        guard !isLast, let last = count.lastSequence else { return count }
        selection.after = last
      }
    }

    /// Gives each user a name in the export, an id or a hash; nil for the anonymous user.
    private func userNames() async throws -> (User) -> String? {
      if invocation.has(userIDs) { return { $0.id?.rawValue } }
      let key: [UInt8]
      if let path = invocation.value(hashKey) {
        key = try invocation.bytes(of: path)
        guard !key.isEmpty else {
          throw invocation.usage("\(path) is empty; it is to have the key.")
        }
      } else {
        key = Array(
          try await invocation.reading(configuration) { try await $0.exportSalt() }.utf8)
      }
      let hash = PersonHash(key: key)
      return { $0.id.map { hash.text(of: $0.rawValue) } }
    }

    private func tell(_ count: EngagementReader.EventCount) throws(OutputError) {
      let events = count.events == 1 ? "1 event" : "\(count.events) events"
      guard let path = invocation.value(out) else {
        return invocation.console.note("\(events) exported.")
      }
      try invocation.console.line("\(events) in \(path)")
      var members: JSONObject = ["file": .string(path), "events": .integer(Int64(count.events))]
      members["firstSequence"] = count.firstSequence.map(JSON.integer)
      members["lastSequence"] = count.lastSequence.map(JSON.integer)
      try invocation.console.object(members)
    }
  }
}

extension Invocation {
  /// The option's value as a time: a day, which begins in UTC, or a time of ISO 8601.
  fileprivate func time(_ option: Option) throws -> Date? {
    guard let text = value(option) else { return nil }
    guard let date = ISO8601.date(from: text) ?? ISO8601.date(from: text + "T00:00:00Z") else {
      throw usage(
        "\(option.title) takes a day such as 2026-11-01, or a time such as 2026-11-01T09:00:00Z, "
          + "and not \"\(text)\".")
    }
    return date
  }
}
