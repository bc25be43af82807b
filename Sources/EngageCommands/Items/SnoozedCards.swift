import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The cards that the user has snoozed on this device and that are still hidden, from the user's
/// exported records. The vendor lists a snoozed card no longer, so the event log has to say it.
struct SnoozedCards {
  struct Entry: Hashable {
    var id: ItemID
    var until: Date
    /// Nil where the cache has the card no more.
    var title: String?
  }

  /// The one that comes back first is the first.
  let entries: [Entry]

  /// - Parameter shown: The cards that are seen, such as those whose snooze a vendor has rejected.
  init(_ records: [JSONObject], without shown: [Card], at now: Date) {
    var ends: [ItemID: Date] = [:]
    var titles: [ItemID: String] = [:]
    var known: Set<ProviderID> = []
    for record in records {
      // Of a provider whose cards were never fetched, or are purged, nothing is known.
      if record["record"] == "feed", let provider = record["provider"]?.string {
        known.insert(ProviderID(provider))
      }
      if record["record"] == "card", let id = Self.id(in: record) {
        titles[id] = Self.title(in: record)
      }
      guard record["record"] == "event", let id = record["item"]?.object.flatMap(Self.id),
        let kind = record["kind"]?.string.map({ EngagementEvent.Kind($0) })
      else { continue }
      if kind == .snooze {
        ends[id] = Self.end(of: record)
      } else if kind == .dismiss || kind == .submit {
        ends[id] = nil
      }
    }
    let visible = Set(shown.map(\.id))
    let hidden = ends.filter { known.contains($0.key.provider) && !visible.contains($0.key) }
    entries = hidden.filter { $0.value > now }
      .map { Entry(id: $0.key, until: $0.value, title: titles[$0.key]) }
      .sorted { ($0.until, $0.id.description) < ($1.until, $1.id.description) }
  }

  /// When the snooze ends that an event records.
  private static func end(of event: JSONObject) -> Date? {
    guard let start = event["time"]?.string.flatMap(ISO8601.date(from:)),
      let seconds = event["properties"]?["seconds"]?.number
    else { return nil }
    return start.addingTimeInterval(seconds)
  }

  private static func id(in record: JSONObject) -> ItemID? {
    guard let provider = record["provider"]?.string, let id = record["id"]?.string else {
      return nil
    }
    return ItemID(ProviderID(provider), id)
  }

  private static func title(in record: JSONObject) -> String? {
    record["title"]?.string ?? record["text"]?.string
  }
}

extension SnoozedCards.Entry {
  var object: JSONObject {
    var others: JSONObject = ["snoozedUntil": .string(ISO8601.text(of: until) ?? "")]
    others["title"] = title.map(JSON.string)
    return id.object(with: others)
  }
}

extension Invocation {
  /// Prints the cards that are snoozed.
  func listSnoozedCards(_ configuration: EngageConfiguration) async throws -> ExitStatus {
    let now = context.clock.now
    let entries = try await reading(configuration) { engagement in
      let shown = CardFinder(engagement: engagement, configuration: configuration).all()
      return SnoozedCards(
        try await engagement.exportData(of: engagement.user), without: shown, at: now
      ).entries
    }
    guard !entries.isEmpty else {
      console.note("No card is snoozed on this device.")
      return .done
    }
    var table = Table([.init("ID"), .init("SNOOZED UNTIL"), .init("TITLE", isFlexible: true)])
    let ids = ShortIDs(entries.map(\.id))
    for entry in entries {
      try console.object(entry.object)
      table.add([
        Phrase(ids.text(of: entry.id), .cyan), Phrase(ISO8601.text(of: entry.until) ?? "later"),
        Phrase(entry.title ?? "", .bold),
      ])
    }
    try console.table(table)
    return .done
  }
}
