import EngagementAdapterAPI
import EngagementModel
import Testing

@testable import EngagementKit

@Suite("container map")
struct ContainerMapTests {
  private static let map: ContainerMap = [
    "home": [
      "atomic": .container("BqWL1sT"), "braze": .extra("slot", is: "home"),
      "both": .extra("slot", is: "home"), "lost": .container("x"),
    ]
  ]

  struct Row: CustomTestStringConvertible, Sendable {
    let container: ContainerID
    let provider: ProviderID
    let hasContainers: Bool
    let feed: Feed
    let isSelective: Bool

    var testDescription: String { "\(container) at \(provider)" }
  }

  @Test(
    "a container maps to its feed at each provider",
    arguments: [
      Row(
        container: "home", provider: "atomic", hasContainers: true,
        feed: Feed(.cards, in: "BqWL1sT"), isSelective: false),
      Row(
        container: "home", provider: "braze", hasContainers: false, feed: .cards,
        isSelective: true),
      Row(
        container: "home", provider: "both", hasContainers: true, feed: Feed(.cards, in: "home"),
        isSelective: true),
      Row(
        container: "home", provider: "lost", hasContainers: false, feed: .cards,
        isSelective: false),
      Row(
        container: "home", provider: "other", hasContainers: true,
        feed: Feed(.cards, in: "home"), isSelective: false),
      Row(
        container: "news", provider: "atomic", hasContainers: true,
        feed: Feed(.cards, in: "news"), isSelective: false),
      Row(
        container: "news", provider: "braze", hasContainers: false, feed: .cards,
        isSelective: false),
    ])
  func source(_ row: Row) {
    let source = Self.map.source(
      of: row.container, at: row.provider, hasContainers: row.hasContainers)
    #expect(source.feed == row.feed)
    #expect(source.isSelective == row.isSelective)
  }

  @Test(
    "a card belongs to a container if its extra equals the configured string",
    arguments: [
      (JSON.string("home"), true), ("Home", false), (.integer(1), false), (.bool(true), false),
      ("hom\u{65}\u{301}", false), (.null, false),
    ])
  func extras(_ value: JSON, _ isShown: Bool) {
    let source = Self.map.source(of: "home", at: "braze", hasContainers: false)
    let card = Card.test(ItemID("braze", "1")) { $0.extras["slot"] = value }
    #expect(source.shows(card) == isShown)
  }

  @Test("a card without the extra is left out of a container that requires it")
  func noExtra() {
    let source = Self.map.source(of: "home", at: "braze", hasContainers: false)
    #expect(!source.shows(.test(ItemID("braze", "1"))))
  }

  @Test("a filtered answer counts only for the same container")
  func answers() throws {
    let source = Self.map.source(of: "home", at: "atomic", hasContainers: true)
    let filter = CardFilter.priority(.equals(1))
    #expect(source.isAnswer(Feed(.cards, in: "BqWL1sT", matching: [filter])))
    #expect(!source.isAnswer(Feed(.cards, in: "BqWL1sT")))
    #expect(!source.isAnswer(Feed(.cards, in: "home", matching: [filter])))
    #expect(!source.isAnswer(Feed(.inbox, in: "BqWL1sT", matching: [filter])))
  }
}
