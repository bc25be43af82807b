import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementVendors
import Testing

/// The code under test: a part of the application.
struct Shop {
  let engagement: Engagement

  func dismissFirstCard() async throws -> Engagement.Receipt? {
    let cards = engagement.cards(in: "home").cards
    guard let card = cards.first(where: { $0.actions.canDismiss }) else { return nil }
    return try await engagement.perform(.dismiss, on: card)
  }
}

@Suite struct ShopTests {
  @Test("a card that is dismissed without a network is dismissed at the vendor later")
  func dismissOffline() async throws {
    let emulator = try await Emulator.start(.init([.braze], seed: 7))
    let engagement = try await Engagement.open(
      cache: .temporary, device: .current(appID: "com.example.shop"),
      transport: CurlTransport(),
      providers: [
        "braze": .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo"))
      ],
      routes: .init(cards: .only("braze"), inbox: .none))
    let running = Task { try await engagement.run() }
    try await engagement.signIn("u-1", consent: .full)
    #expect(await engagement.refresh(.cards).isComplete)
    let before = engagement.cards(in: "home").cards.count

    await emulator.setOffline(true)
    let receipt = try #require(try await Shop(engagement: engagement).dismissFirstCard())
    #expect(engagement.cards(in: "home").cards.count == before - 1)
    #expect(await emulator.times("ccd") == 0)

    await emulator.setOffline(false)
    #expect(try await receipt.outcome() == .delivered)
    #expect(await emulator.times("ccd", by: "u-1") == 1)

    running.cancel()
    try await engagement.close()
    await emulator.stop()
  }
}
