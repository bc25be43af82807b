import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

/// Messages as a table.
enum InboxTable {
  static func print(_ feed: Engagement.InboxFeed, on console: Console) throws(OutputError) {
    if console.isJSON {
      for message in feed.messages { try console.object(message.json.object ?? [:]) }
      return
    }
    if !feed.messages.isEmpty { try console.table(table(of: feed.messages)) }
    try console.line("\(Phrase(summary(of: feed), .faint))")
    for provider in feed.providers where feed.refreshDate(of: provider) == nil {
      console.note("\(provider.rawValue) was not heard yet; run \"engage sync\".")
    }
    if feed.providers.isEmpty {
      console.note(
        "Nothing fills the inbox: \"engage routes\" shows its route, \"engage providers\" what each "
          + "vendor serves.")
    }
  }

  /// As a step of the demonstration.
  static func tell(_ feed: Engagement.InboxFeed, on console: Console) throws(OutputError) {
    try console.table(table(of: feed.messages))
    try console.object([
      "step": "inbox", "messages": .integer(Int64(feed.messages.count)),
      "new": .integer(Int64(feed.unreadCount)),
      "ids": .array(feed.messages.map { .string($0.id.description) }),
    ])
  }

  static func table(of messages: [InboxMessage]) -> Table {
    var table = Table([
      .init("ID"), .init("STATE"), .init("SUBJECT", isFlexible: true),
      .init("TEXT", isFlexible: true),
    ])
    let ids = ShortIDs(messages.map(\.id))
    for message in messages {
      table.add([
        Phrase(ids.text(of: message.id), .cyan),
        Phrase(message.isRead ? "read" : "new", message.isRead ? nil : .yellow),
        Phrase(message.subject ?? "", .bold), Phrase(message.text ?? message.imageAlt ?? ""),
      ])
    }
    return table
  }

  private static func summary(of feed: Engagement.InboxFeed) -> String {
    let count = feed.messages.count
    let heard = feed.providers.compactMap { provider in
      feed.refreshDate(of: provider).flatMap { ISO8601.text(of: $0) }
        .map { "\(provider) as of \($0)" }
    }.sorted()
    return ([count == 1 ? "1 message" : "\(count) messages", "\(feed.unreadCount) new"] + heard)
      .joined(separator: ", ")
  }
}
