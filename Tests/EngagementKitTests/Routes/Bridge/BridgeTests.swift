import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Routes to providers of the other kind, through the interface of an application.
@Suite("bridged routes", .timeLimit(.minutes(20))) struct BridgeTests {
  private let bridge = BridgeStage()

  private static let toInbox = Routes(cards: .none, inbox: .only("c"))
  private static let toCards = Routes(cards: .only("m"), inbox: .none)

  @Test("X5: an inbox shows a provider's cards in their order, with a badge, without control cards")
  func inbox() async throws {
    bridge.set(#"["2","control-1","old-3","1"]"#, at: "c")
    let stage = try await bridge.stage(Self.toInbox)
    let updates = stage.engagement.inboxUpdates.makeAsyncIterator()
    var seen = updates
    #expect(await seen.next()?.messages.isEmpty == true)
    #expect(await stage.engagement.refresh(.inbox).providers == ["c": .fresh])
    #expect(stage.asked.filter { !$0.contains("settings") } == ["GET /cards?user=u-1"])
    let feed = stage.engagement.inbox
    #expect(feed.messages.map(\.id.description) == ["c/2", "c/old-3", "c/1"])
    #expect(feed.messages.map(\.subject) == ["card 2", "card old-3", "card 1"])
    #expect(feed.unreadCount == 2 && feed.refreshDate(of: "c") != nil)
    #expect(await seen.next() == feed)
    #expect(stage.engagement.message(ItemID("c", "1")) == feed.messages.last)
    #expect(stage.engagement.message(ItemID("c", "control-1")) == nil)
    #expect(stage.engagement.card(ItemID("c", "1"))?.title == "card 1")
    let reader = try bridge.reader(Self.toInbox)
    #expect(try reader.inbox() == feed)
    #expect(try reader.message(ItemID("c", "1")) == feed.messages.last)
    #expect(try reader.cards(in: "home").cards.isEmpty)
    try await stage.end()
  }

  @Test("X5: a container shows a provider's messages in their order, chosen by an extra")
  func cards() async throws {
    bridge.set(#"["2.a","old-3.b","1.a"]"#, at: "m")
    let containers: ContainerMap = ["sale": ["m": .extra("sku", is: "a")]]
    let stage = try await bridge.stage(Self.toCards, containers: containers)
    var seen = stage.engagement.cardUpdates(in: "home").makeAsyncIterator()
    #expect(await seen.next()?.cards.isEmpty == true)
    #expect(await stage.engagement.refresh(.cards(in: "home")).providers == ["m": .fresh])
    #expect(await stage.engagement.refresh(.cards).isComplete)
    #expect(
      Set(stage.asked.filter { $0.hasPrefix("GET") && !$0.contains("settings") })
        == ["GET /inbox?user=u-1"])
    #expect(stage.cardIDs() == ["m/2.a", "m/old-3.b", "m/1.a"])
    let feed = stage.engagement.cards(in: "home")
    #expect(feed.count == .init(visible: 3, unread: 2, total: 3))
    #expect(await seen.next()?.cards == feed.cards)
    #expect(feed.cards.allSatisfy { $0.actions.canDismiss && $0.isDismissible })
    #expect(
      stage.engagement.cards(in: "sale").cards.map(\.id.value) == ["2.a", "1.a"])
    #expect(stage.engagement.card(ItemID("m", "1.a")) == feed.cards.last)
    let options = CardOptions(filters: [.cardID("1.a")])
    #expect(stage.engagement.cards(in: "home", options: options).cards.map(\.id.value) == ["1.a"])
    let reader = try bridge.reader(Self.toCards)
    #expect(try reader.cards(in: "home") == feed)
    #expect(try reader.card(ItemID("m", "1.a")) == feed.cards.last)
    try await stage.end()
  }

  struct Deed: Sendable, CustomTestStringConvertible {
    let performed: ItemAction
    let word: String?
    var testDescription: String { "\(performed.name) → \(word ?? "unsupported")" }
  }

  private static let past = Date(timeIntervalSince1970: 0)

  @Test(
    "X5: an action on a card in the inbox is one of its vendor's own, or unsupported",
    arguments: [
      Deed(performed: .read, word: "impression"), Deed(performed: .impression, word: "impression"),
      Deed(performed: .open, word: "click"), Deed(performed: .click, word: "click"),
      Deed(performed: .delete, word: "dismiss"), Deed(performed: .dismiss, word: "dismiss"),
      Deed(performed: .expire(at: nil), word: "dismiss"),
      Deed(performed: .expire(at: past), word: "dismiss"),
      Deed(performed: .expire(at: .distantFuture), word: nil),
      Deed(performed: .snooze(seconds: 60), word: "snooze"),
      Deed(performed: .vote(useful: true, reason: nil, message: nil), word: nil),
      Deed(performed: .submit(button: nil, values: [:]), word: nil),
    ])
  func actionsInInbox(_ deed: Deed) async throws {
    bridge.set(#"["1"]"#, at: "c")
    let stage = try await bridge.stage(Self.toInbox)
    _ = await stage.engagement.refresh(.inbox)
    try await check(deed, on: .cards, shownOn: .inbox, ItemID("c", "1"), stage) {
      try await $0.perform(deed.performed, on: #require(stage.engagement.inbox.messages.first))
    }
  }

  @Test(
    "X5: an action on a message among cards is one of its vendor's own, or unsupported",
    arguments: [
      Deed(performed: .impression, word: "read"), Deed(performed: .read, word: "read"),
      Deed(performed: .click, word: "open"), Deed(performed: .open, word: "open"),
      Deed(performed: .dismiss, word: "delete"), Deed(performed: .delete, word: "delete"),
      Deed(performed: .snooze(seconds: 60), word: nil),
      Deed(performed: .vote(useful: true, reason: nil, message: nil), word: nil),
      Deed(performed: .submit(button: nil, values: [:]), word: nil),
    ])
  func actionsOnCards(_ deed: Deed) async throws {
    bridge.set(#"["1"]"#, at: "m")
    let stage = try await bridge.stage(Self.toCards)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await check(deed, on: .inbox, shownOn: .cards, ItemID("m", "1"), stage) {
      try await $0.perform(
        deed.performed, on: #require(stage.engagement.cards(in: "home").cards.first))
    }
  }

  private func check(
    _ deed: Deed, on own: Surface, shownOn surface: Surface, _ id: ItemID, _ stage: Stage,
    _ perform: (Engagement) async throws -> Receipt
  ) async throws {
    let before = try await stage.deeds()
    guard let word = deed.word else {
      let error = await failure { try await perform(stage.engagement) }
      #expect(error?.code == .unsupported && error?.provider == id.provider)
      #expect(error?.operation == "\(surface).\(deed.performed.name)")
      #expect(try await stage.acts(at: id.provider).isEmpty)
      #expect(try await stage.deeds() == before)
      return try await stage.end()
    }
    let receipt = try await perform(stage.engagement)
    #expect(receipt.providers == [id.provider])
    #expect(try await stage.acts(at: id.provider) == ["\(word) \(own) \(id.value)"])
    // The event log has what the user did, and what the vendor is told.
    let (kind, told) = (deed.performed.eventKind.rawValue, word == "delete" ? "expire" : word)
    let event = "\(kind) \(own)" + (kind == told ? "" : " as \(told)")
    #expect(try await stage.deeds() == before + [event])
    let isGone = ["dismiss", "delete", "snooze"].contains(word)
    #expect(stage.engagement.card(id)?.isViewed == (isGone ? nil : true))
    #expect(stage.engagement.message(id)?.isRead == (isGone ? nil : true))
    await stage.drain(id.provider)
    #expect(try await receipt.outcome(within: .seconds(5)) == .delivered)
    // By its id alone it is found where it is shown.
    let again = await failure {
      try await stage.engagement.perform(deed.performed, on: id)
    }
    #expect(again == nil)
    try await stage.end()
  }

  @Test("X5: a vendor hears once that an item was seen, and what the user did is recorded")
  func impressionOnce() async throws {
    bridge.set(#"["1","old-2"]"#, at: "c")
    var stage = try await bridge.stage(Self.toInbox)
    _ = await stage.engagement.refresh(.inbox)
    for (word, id) in [("read", "1"), ("impression", "1"), ("read", "1"), ("read", "old-2")] {
      let action: ItemAction = word == "read" ? .read : .impression
      let receipt = try await stage.engagement.perform(
        action, on: ItemID("c", id), surface: .inbox)
      if id == "old-2" { #expect(try await receipt.outcome(within: .seconds(5)) == .kept) }
    }
    #expect(try await stage.acts(at: "c") == ["impression cards 1"])
    let reading = "read cards as impression"
    #expect(try await stage.deeds() == [reading, "impression cards", reading, reading])
    try await stage.end()
    stage = try await bridge.stage(Self.toInbox)
    try await stage.engagement.perform(.read, on: ItemID("c", "1"), surface: .inbox)
    #expect(try await stage.deeds().count == 5)
    #expect(try await stage.acts(at: "c") == ["impression cards 1"])
    // Where it is shown as a card, its vendor hears of each impression.
    try await stage.engagement.perform(.impression, on: ItemID("c", "1"), surface: .cards)
    #expect(try await stage.deeds().count == 6)
    #expect(try await stage.acts(at: "c").count == 2)
    try await stage.end()
  }

  @Test("X5: routing back finds what was done, under the same ids")
  func back() async throws {
    bridge.set(#"["1","2","3","4"]"#, at: "c")
    let stage = try await bridge.stage(Self.toInbox)
    _ = await stage.engagement.refresh(.inbox)
    let ids = stage.messageIDs()
    try await stage.engagement.perform(.read, on: ItemID("c", "1"), surface: .inbox)
    try await stage.engagement.perform(.expire(at: nil), on: ItemID("c", "2"), surface: .inbox)
    try await stage.engagement.perform(.open, on: ItemID("c", "3"), surface: .inbox)
    #expect(stage.engagement.inbox.unreadCount == 1)
    try await stage.engagement.setRoute(.none, for: .inbox)
    try await stage.engagement.setRoute(.only("c"), for: .cards)
    #expect(stage.messageIDs().isEmpty)
    #expect(stage.cardIDs() == ids.filter { $0 != "c/2" })
    let cards = stage.engagement.cards(in: "home").cards
    #expect(cards.map(\.isViewed) == [true, true, false])
    #expect(cards.map(\.isClicked) == [false, true, false])
    #expect(stage.engagement.cardCount(in: "home").unread == 1)
    // A message that is held since then still reaches its vendor.
    try await stage.engagement.perform(.delete, on: ItemID("c", "4"), surface: .inbox)
    #expect(stage.cardIDs() == ["c/1", "c/3"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.engagement.setRoute(.only("c"), for: .inbox)
    #expect(stage.messageIDs() == ["c/1", "c/3"] && stage.engagement.inbox.unreadCount == 0)
    try await stage.end()
  }

  @Test("X5: a refused action is undone on both surfaces")
  func refused() async throws {
    bridge.set(#"["1"]"#, at: "m")
    var vendors = BridgeStage.vendors
    vendors[1].onAnswer = { operation, _, _ in
      guard case .act = operation else { return nil }
      return .refused(.conflict, "No.")
    }
    let stage = try await bridge.stage(
      Routes(cards: .only("m"), inbox: .only("m")), vendors: vendors)
    _ = await stage.engagement.refresh(.inbox)
    let card = try #require(stage.engagement.cards(in: "home").cards.first)
    let receipt = try await stage.engagement.perform(.dismiss, on: card)
    #expect(stage.cardIDs().isEmpty && stage.messageIDs().isEmpty)
    await stage.drain("m")
    #expect(stage.cardIDs() == ["m/1"] && stage.messageIDs() == ["m/1"])
    guard case .rejected? = try await receipt.outcome(within: .seconds(5)) else {
      Issue.record("It is not rejected.")
      return
    }
    try await stage.end()
  }
}
