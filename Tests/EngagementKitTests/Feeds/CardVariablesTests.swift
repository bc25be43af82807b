import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Runtime variables: who is asked, how often, and what becomes of late answers.
@Suite("runtime variables", .timeLimit(.minutes(5)))
struct CardVariablesTests {
  private static let card = ItemID("vendor", "a")
  private static let filling = Engagement.CardOptions(variables: .init())

  private static var vendor: PuppetAdapter {
    var vendor = PuppetAdapter(
      "vendor", abilities: PuppetAdapter.able.merging([.events: .request]) { $1 })
    vendor.capabilities.eventKinds = [.variablesUpdated]
    vendor.shape = { card in
      card.kind = .composed
      card.runtimeVariables = [.init("who", defaultValue: "you")]
      card.components = [Component(.headline, ["text": "Hello !{who}"])]
      card.setSummary()
    }
    return vendor
  }

  /// A signed-in user with the card `a`.
  private func stage() async throws -> Stage {
    let stage = try await Stage([Self.vendor]) { _ in .json(200, #"["a"]"#) }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    return stage
  }

  @Test("A23: a source is asked once for a card, however many feeds show it, and all are filled")
  func once() async throws {
    let stage = try await stage()
    let asked = Locked<[String]>([])
    stage.engagement.setCardVariables { card in
      asked.withLock { $0.append(card.id.value) }
      return ["who": "Ada"]
    }
    for _ in 0..<3 {
      var feeds = stage.engagement.cardUpdates(in: "home", options: Self.filling)
        .makeAsyncIterator()
      #expect(await feeds.next()?.cards.map(\.title) == ["Hello Ada"])
    }
    #expect(asked.withLock(\.self) == ["a"])
    #expect(
      stage.engagement.cards(in: "home", options: Self.filling).cards.map(\.title) == ["Hello Ada"])
    #expect(stage.engagement.cards(in: "home").cards.map(\.title) == ["Hello you"])
    try await stage.end()
  }

  @Test("A23: when the time is up the defaults are shown, and a later answer is not used")
  func late() async throws {
    let stage = try await stage()
    let gate = Gate()
    stage.engagement.setCardVariables { _ in
      await gate.pass()
      return ["who": "Ada"]
    }
    var feeds = stage.engagement.cardUpdates(in: "home", options: Self.filling).makeAsyncIterator()
    async let first = feeds.next()
    await gate.isHolding(1)
    await stage.clock.sleepers(1)
    stage.clock.advance(by: .seconds(5))
    #expect(await first?.cards.map(\.title) == ["Hello you"])
    gate.open()
    try await Task.sleep(for: .milliseconds(20))
    #expect(
      stage.engagement.cards(in: "home", options: Self.filling).cards.map(\.title) == ["Hello you"])
    try await stage.end()
  }

  @Test("A23: asked again by hand, feeds follow with the new values")
  func again() async throws {
    let stage = try await stage()
    let name = Locked("Ada")
    stage.engagement.setCardVariables { _ in ["who": name.withLock(\.self)] }
    var feeds = stage.engagement.cardUpdates(in: "home", options: Self.filling).makeAsyncIterator()
    #expect(await feeds.next()?.cards.map(\.title) == ["Hello Ada"])
    name.withLock { $0 = "Grace" }
    stage.engagement.refreshCardVariables()
    #expect(await feeds.next()?.cards.map(\.title) == ["Hello Grace"])
    try await stage.end()
  }

  @Test("A23 X8: the next user is asked for their own values")
  func nextUser() async throws {
    let stage = try await stage()
    let asked = Locked(0)
    stage.engagement.setCardVariables { _ in
      let count = asked.withLock { count in
        count += 1
        return count
      }
      return ["who": "user \(count)"]
    }
    var feeds = stage.engagement.cardUpdates(in: "home", options: Self.filling).makeAsyncIterator()
    #expect(await feeds.next()?.cards.map(\.title) == ["Hello user 1"])
    try await stage.signIn("u-2", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(
      stage.engagement.cards(in: "home", options: Self.filling).cards.map(\.title)
        == ["Hello you"], "nothing of the former user's values")
    var next = stage.engagement.cardUpdates(in: "home", options: Self.filling).makeAsyncIterator()
    #expect(await next.next()?.cards.map(\.title) == ["Hello user 2"])
    try await stage.end()
  }

  @Test("A23: resolved values are reported once where a feed asks for it, and never otherwise")
  func reported() async throws {
    let stage = try await stage()
    stage.engagement.setCardVariables { _ in ["who": "Ada"] }
    let silent = Engagement.CardOptions(variables: .init(isReported: false))
    for options in [silent, Self.filling, Self.filling] {
      var feeds = stage.engagement.cardUpdates(in: "home", options: options).makeAsyncIterator()
      _ = await feeds.next()
      await stage.engagement.sessions.flush()
      let count = options == silent ? 0 : 1
      let events = try await stage.recorded(.variablesUpdated)
      #expect(events.count == count)
      #expect(events.allSatisfy { $0.properties["resolvedVariables"] == ["who": "Ada"] })
    }
    try await stage.end()
  }

  @Test("A10 A15: a time that a user picked is neither past nor after the card's end")
  func snoozes() async throws {
    var vendor = Self.vendor
    let end = TestClock().now.addingTimeInterval(3_600)
    vendor.capabilities.abilities[.act("snooze", on: .cards)] = .request
    vendor.shape = { $0.expiresAt = end }
    let stage = try await Stage([vendor]) { _ in .json(200, #"["a"]"#) }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let card = try #require(stage.engagement.card(Self.card))
    for time in [stage.clock.now, end.addingTimeInterval(1)] {
      await #expect {
        try await stage.engagement.snooze(card, until: time)
      } throws: { ($0 as? EngagementError)?.code == .invalidArgument }
    }
    try await stage.engagement.snooze(card, until: end)
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    let events = try await stage.recorded(.snooze)
    #expect(events.map(\.properties) == [["seconds": 3_600]])
    try await stage.end()
  }

  @Test("A18 A28: events come as they are recorded, and go on after a restart where one left off")
  func events() async throws {
    let place = Stage.Place()
    let first = try await Stage([Self.vendor], at: place) { _ in .json(200, #"["a"]"#) }
    try await first.signIn("u-1", consent: .full)
    var events = try await first.engagement.eventUpdates().makeAsyncIterator()
    _ = await first.engagement.refresh(.cards(in: "home"))
    let updated = try #require(await events.next())
    #expect(updated.kind == .feedUpdated && updated.properties["count"] == 1)
    let delivered = try #require(await events.next())
    #expect(delivered.kind == .delivered && delivered.item?.id == Self.card)
    let fetched = try #require(await events.next())
    #expect(fetched.kind == .providerRequest)
    try await first.engagement.perform(.dismiss, on: Self.card)
    let dismissed = try #require(await events.next())
    #expect(dismissed.kind == .dismiss && dismissed.item?.id == Self.card)
    try await first.end()
    #expect(await events.next() == nil, "a closed engagement ends the stream")
    let second = try await Stage([Self.vendor], at: place) { _ in .json(404, "") }
    var later = try await second.engagement.eventUpdates(after: fetched.sequence)
      .makeAsyncIterator()
    #expect(await later.next()?.id == dismissed.id)
    await second.drain("vendor")
    let refused = try #require(await later.next())
    #expect(refused.kind == .outboxDropped && refused.item?.id == Self.card)
    #expect(refused.properties["operation"] == "cards.dismiss")
    try await second.end()
  }
}
