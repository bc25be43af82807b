import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import Testing

/// The guides' snippets against the emulator.
@Suite struct SnippetRunTests {
  private static func withEngagement(
    _ body: (Engagement, Emulator, String) async throws -> Void
  ) async throws {
    let emulator = try await Emulator.start(.init([.braze, .vibes]))
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let path = folder.appending(path: "cache.sqlite").path
    let engagement = try await Engagement.open(
      cache: .file(path), device: .current(appID: "com.example.shop"), transport: CurlTransport(),
      providers: [
        "braze": .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo")),
        "vibes": .vibes(appID: "demo", endpoint: emulator.endpoint(of: "vibes")),
      ],
      routes: .init(cards: .only("braze"), inbox: .only("vibes")),
      options: .init(environment: "production", loggers: []))
    let running = Task { try await engagement.run() }
    try await engagement.signIn("u-1", consent: .full)
    try await body(engagement, emulator, path)
    running.cancel()
    try await engagement.close()
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }

  @Test("the guides' snippets for feeds, actions and events run")
  func feeds() async throws {
    try await Self.withEngagement { engagement, emulator, _ in
      try await refresh(engagement)
      #expect(await engagement.refresh(.inbox).isComplete)
      try await cards(engagement)
      let (shown, continuation) = AsyncStream.makeStream(of: Int.self)
      let showing = Task {
        await cardUpdates(engagement) { continuation.yield($0.cards.count) }
      }
      #expect(await shown.first { _ in true } != nil)
      showing.cancel()
      await showing.value
      let card = try #require(
        engagement.cards(in: "home").cards.first { $0.actions.canDismiss && $0.url != nil })
      screen(engagement, card)
      presentation(engagement.cards(in: "home"))
      await errors(engagement, card)
      try await actions(engagement, id: card.id)
      #expect(await emulator.times("ccd", of: card.id.value) == 1)
      try await events(engagement)
      #expect(try await engagement.flush().isComplete)
      #expect(await emulator.times("ce") == 1)
      #expect(await emulator.times("p") == 1)
      try await pending(engagement)
      let reading = Task { try await inbox(engagement) }
      var unread = engagement.inboxUpdates.makeAsyncIterator()
      while let feed = await unread.next(), feed.unreadCount > 0 {}
      reading.cancel()
      _ = await reading.result
    }
  }

  @Test("the guides' snippets for people, pushes and other processes run")
  func people() async throws {
    try await Self.withEngagement { engagement, emulator, path in
      _ = await engagement.refresh(.cards)
      try await person(engagement)
      try await registerPush(engagement, token: "ab12")
      let payload = try await emulator.push(["title": "Hi"], from: "vibes")
      try await handlePush(engagement, payload: payload)
      #expect(try await engagement.handlePush(payload, phase: .opened)?.isRepeated == true)
      try journal(path: path, payload: payload)
      try await scenes(engagement)
      try await device(engagement)
      try await consent(engagement)
      try reader(path: path, endpoint: emulator.endpoint(of: "braze"), key: Secret("demo"))
      let reader = try EngagementReader.open(
        cache: .file(path),
        providers: [
          "braze": .braze(endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo"))
        ],
        routes: .init(cards: .only("braze"), inbox: .none))
      try ledger(reader)
      #expect(try reader.events().contains { $0.name == "reply-tapped" })
      try await diagnostics(engagement)
      try await privacy(engagement)
    }
  }

  @Test("the guides' snippets for users, routes and the end run")
  func users() async throws {
    try await Self.withEngagement { engagement, _, _ in
      try await signIn(engagement) { "token for \($0)" }
      try await routes(engagement)
      #expect(engagement.routes.inbox == .only("vibes"))
      try await close(engagement)
      await #expect(throws: EngagementError.self) { try await engagement.track("late") }
    }
  }
}
