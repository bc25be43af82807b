import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// The cards that the user has hidden on this device, from the user's exported records. The vendor lists
/// a hidden card no longer, so the event log has to say it.
struct HiddenCards {
  struct Entry: Hashable, Identifiable {
    var id: ItemID
    var cause: Cause
    /// Nil where the cache has the card no more.
    var title: String?
  }

  enum Cause: Hashable {
    case dismissed, submitted
    case snoozed(until: Date)
  }

  /// Each card that is not seen and of which a snooze, a dismissal or a submission is the last word.
  private let entries: [Entry]
  private let now: Date
  /// When each provider's cards were refreshed last. Of a provider that is missing here no card was
  /// ever fetched, or all are purged: nothing is known of them.
  private var refreshed: [ProviderID: Date] = [:]

  /// - Parameter shown: The cards that are seen, such as those whose snooze a vendor has rejected.
  init(_ records: [JSONObject], without shown: [Card], at now: Date) {
    self.now = now
    var causes: [ItemID: Cause] = [:]
    var titles: [ItemID: String] = [:]
    for record in records {
      let id = Self.id(in: record)
      switch record["record"]?.string {
      case "feed":
        guard let provider = record["provider"]?.string.map({ ProviderID($0) }) else { continue }
        let date = record["refreshedAt"]?.string.flatMap(ISO8601.date(from:)) ?? .distantPast
        refreshed[provider] = max(refreshed[provider] ?? .distantPast, date)
      case "card": if let id { titles[id] = record["title"]?.string ?? record["text"]?.string }
      case "event":
        guard let id = record["item"]?.object.flatMap(Self.id), let cause = Cause(event: record)
        else { continue }
        causes[id] = cause
      case nil, .some: continue
      }
    }
    let visible = Set(shown.map(\.id))
    let known = refreshed
    entries = causes.filter { known[$0.key.provider] != nil && !visible.contains($0.key) }
      .map { Entry(id: $0.key, cause: $0.value, title: titles[$0.key]) }
      .sorted { $0.id.description < $1.id.description }
  }

  /// The cards that come back at a time, the one that comes back first before the others.
  var snoozed: [(entry: Entry, until: Date)] {
    entries.compactMap { entry in entry.cause.end.flatMap { $0 > now ? (entry, $0) : nil } }
      .sorted { $0.until < $1.until }
  }

  /// How many cards are to be back, of vendors that were not asked since.
  var dueCount: Int {
    entries.count { entry in
      guard let end = entry.cause.end, let asked = refreshed[entry.id.provider] else {
        return false
      }
      return end <= now && asked < end
    }
  }

  /// Why the card is not seen that somebody means by the text; nil for any other text.
  func explanation(of text: String, _ finder: ItemFinder) -> String? {
    guard let entry = try? finder.item(text, among: entries) else { return nil }
    let name = "The card \(ShortIDs.text(of: entry.id))"
    switch entry.cause {
    case .dismissed: return "\(name) is dismissed."
    case .submitted: return "\(name) is submitted."
    case .snoozed(let end) where end > now:
      return "\(name) is snoozed until \(ISO8601.text(of: end) ?? "later")."
    case .snoozed: return "\(name) was snoozed; run \"engage sync\" to see whether it is back."
    }
  }

  private static func id(in record: JSONObject) -> ItemID? {
    guard let provider = record["provider"]?.string, let id = record["id"]?.string else {
      return nil
    }
    return ItemID(ProviderID(provider), id)
  }
}

extension HiddenCards.Cause {
  /// Nil for an event that hides nothing.
  fileprivate init?(event: JSONObject) {
    switch event["kind"]?.string.map({ EngagementEvent.Kind($0) }) {
    case .dismiss?: self = .dismissed
    case .submit?: self = .submitted
    case .snooze?:
      guard let start = event["time"]?.string.flatMap(ISO8601.date(from:)),
        let seconds = event["properties"]?["seconds"]?.number
      else { return nil }
      self = .snoozed(until: start.addingTimeInterval(seconds))
    case nil, .some: return nil
    }
  }

  fileprivate var end: Date? {
    if case .snoozed(let end) = self { end } else { nil }
  }
}

extension Invocation {
  /// The cards that are not seen, by the event log.
  func hiddenCards(
    of engagement: Engagement, _ configuration: EngageConfiguration
  ) async throws -> HiddenCards {
    let shown = CardFinder(engagement: engagement, configuration: configuration).all()
    let records = try await engagement.exportData(of: engagement.user)
    return HiddenCards(records, without: shown, at: context.clock.now)
  }

  /// The one card that is meant. The error for one that the user has hidden says so.
  func card(
    _ text: String, of engagement: Engagement, _ configuration: EngageConfiguration
  ) async throws -> Card {
    let finder = CardFinder(engagement: engagement, configuration: configuration)
    do {
      return try finder.card(text)
    } catch let error where error.code == .notFound {
      let reason = try await absence(of: text, finder.items, engagement, configuration)
      guard let reason else { throw error }
      throw EngagementError(.notFound, reason)
    }
  }

  /// Why no card is seen that somebody means by the text; nil for any other text.
  private func absence(
    of text: String, _ finder: ItemFinder, _ engagement: Engagement,
    _ configuration: EngageConfiguration
  ) async throws -> String? {
    let hidden = try await hiddenCards(of: engagement, configuration)
    if let explanation = hidden.explanation(of: text, finder) { return explanation }
    if let message = try? finder.item(text, among: engagement.inbox.messages) {
      let id = ShortIDs.text(of: message.id)
      return "\(id) is a message of the inbox; see \"engage inbox show \(id)\"."
    }
    return try await ItemCopies.explanation(of: text, finder, engagement, configuration)
  }

  /// Prints the cards that are snoozed.
  func listSnoozedCards(_ configuration: EngageConfiguration) async throws -> ExitStatus {
    let hidden = try await reading(configuration) { try await hiddenCards(of: $0, configuration) }
    let (snoozed, due) = (hidden.snoozed, hidden.dueCount)
    var table = Table([.init("ID"), .init("SNOOZED UNTIL"), .init("TITLE", isFlexible: true)])
    let ids = ShortIDs(snoozed.map(\.entry.id))
    for (entry, end) in snoozed {
      var members: JSONObject = ["snoozedUntil": .string(ISO8601.text(of: end) ?? "")]
      members["title"] = entry.title.map(JSON.string)
      try console.object(entry.id.object(with: members))
      table.add([
        Phrase(ids.text(of: entry.id), .cyan), Phrase(ISO8601.text(of: end) ?? "later"),
        entry.title.map { Phrase($0, .bold) } ?? "\("with the vendor", .faint)",
      ])
    }
    if !snoozed.isEmpty { try console.table(table) }
    if snoozed.isEmpty, due == 0 { console.note("No card is snoozed on this device.") }
    if due > 0 {
      let cards = due == 1 ? "1 snoozed card is" : "\(due) snoozed cards are"
      console.note("\(cards) to be back; run \"engage sync\" to ask the vendor.")
    }
    return .done
  }
}
