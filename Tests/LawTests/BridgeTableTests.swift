import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Foundation
import Testing

/// The guide's table of what is lost where an item is shown as one of the other kind, held against the
/// vendors' own items.
@Suite("what a bridge loses") struct BridgeTableTests {
  private static let page = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/EngagementKit/EngagementKit.docc/Guides/CardsAndInbox.md")

  private static let names = [
    "atomic": "Atomic", "braze": "Braze", "clevertap": "CleverTap", "vibes": "Vibes",
  ]

  @Test("X5: the guide lists what each vendor's items lose as items of the other kind, and no more")
  func table() throws {
    let lines = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "| vendor | shown as | lost |"))
    let listed = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
    #expect(Array(listed) == (try rows()))
  }

  private func rows() throws -> [String] {
    try Subjects.all().filter { Self.names[$0.name] != nil }
      .sorted { $0.name < $1.name }
      .flatMap { subject in
        try subject.items.compactMap { samples -> String? in
          guard let kind = Self.kinds[samples.feed.surface] else { return nil }
          let items = [samples.fullest] + (subject.name == "atomic" ? [Self.buttons] : [])
          let lost = Set(try items.flatMap { try self.lost($0, samples.feed, subject) }).sorted()
          let names = lost.map { "`\($0)`" }.joined(separator: ", ")
          return "| \(Self.names[subject.name] ?? subject.name) | \(kind) | \(names) |"
        }
      }
  }

  private static let kinds: [Surface: String] = [.cards: "messages", .inbox: "cards"]

  /// What the samples of Atomic's laws lack.
  private static let buttons = Array(
    """
    {"instance":{"id":"2"},"defaultView":{"nodes":[\
    {"type":"submitButton","attributes":{"text":"Pay","name":"pay"}}]},\
    "subviews":{"s":{"title":"More","nodes":[{"type":"text","attributes":{"text":"Text"}}]}}}
    """.utf8)

  /// The names of the item's fields that it has no more when it is shown as one of the other kind.
  private func lost(
    _ bytes: [UInt8], _ feed: Feed, _ subject: AdapterSubject
  ) throws -> [String] {
    let adapter = subject.makeAdapter(AdapterSubject.provider)
    let item = RawItem(index: 0, bytes: bytes[...])
    let (own, back): (JSON, JSON)
    if feed.surface == .cards {
      var card = try adapter.card(in: item)
      // The store sets it where the item has none.
      card.container = card.container ?? feed.container
      own = card.json
      back = Card(showing: InboxMessage(showing: card), canDismiss: false).json
    } else {
      let message = try adapter.message(in: item)
      own = message.json
      back = InboxMessage(showing: Card(showing: message, canDismiss: true)).json
    }
    // A card's kind is made anew, and may be the former one by chance.
    return (own.object ?? [:]).members.map(\.key)
      .filter { back[$0] != own[$0] || $0 == "kind" }
  }
}
