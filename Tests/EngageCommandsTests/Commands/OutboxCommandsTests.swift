import EngageCommands
import EngagementHTTP
import EngagementModel
import Foundation
import Testing

/// What waits, and what a person decides about it.
@Suite("engage outbox", .timeLimit(.minutes(20))) struct OutboxCommandsTests {
  /// A configuration with providers of these names.
  private static func configuration(_ names: [String]) -> String {
    let providers = names.map {
      #""\#($0)": {"vendor": "braze", "endpoint": "http://127.0.0.1:8400", "apiKey": "demo"}"#
    }
    return
      #"{"user": "u-1", "consent": "full", "providers": {\#(providers.joined(separator: ","))}}"#
  }

  @Test("a provider that left engage.json with something waiting is named, and its actions dropped")
  func missing() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.write(Self.configuration(["old", "new"]), to: "engage.json")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    _ = await stage.engage("track", "hello", by: braze, in: .impatient)
    try stage.write(Self.configuration(["new"]), to: "engage.json")
    let sync = await stage.engage("sync", by: braze, in: .impatient)
    #expect(sync.errors.contains("old: 1 action waits, and engage.json has no such provider."))
    let listed = await stage.engage("outbox", "--json")
    #expect(listed.lines.count == 2)
    #expect(listed.lines[0].contains(#""provider":"old","isConfigured":false,"action":"hello""#))
    #expect(await stage.engage("doctor", by: braze).output.contains("old: 1 action waits"))
    let unsure = await stage.engage("outbox", "drop", "--provider", "old")
    #expect(unsure.status != .done)
    let dropped = await stage.engage("outbox", "drop", "--provider", "old", "--yes")
    #expect(dropped.output == "1 action is dropped.\n")
    #expect(await stage.engage("outbox", "--json").lines.count == 1)
    braze.comeBack()
    #expect(await stage.engage("outbox", "retry", by: braze).status == .done)
    #expect(braze.events.contains("ce hello"))
    #expect(await stage.engage("outbox").errors.contains("Nothing is to be sent for u-1."))
    #expect(await stage.engage("outbox", "drop", "999", "--yes").errors.contains("No action 999"))
  }

  @Test("what is only kept here is not called delivered, and fields that no vendor takes are named")
  func kept() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    // A card without a link: the vendor hears of no click.
    #expect(
      await stage.engage("cards", "click", "c-2", by: braze).output
        == "click braze/c-2: kept here; there was nothing to send\n")
    #expect(!braze.events.contains("ccc c-2"))
    #expect(
      await stage.engage("doctor", by: braze).output
        .contains("braze: 2 accepted = 1 delivered + 1 kept here"))
    let some = await stage.engage(
      "person", "set", "email=ada@example.com", "name=Ada", by: braze)
    #expect(some.output == "person set: delivered\n" && some.status == .failed)
    #expect(some.errors.contains("braze has no field for name."))
    let none = await stage.engage("person", "set", "name=Ada", by: braze)
    #expect(none.errors.contains("No provider takes these fields of a person: name."))
  }

  /// Refuses custom events, as the vendor does.
  private struct Refusing: HTTPTransport {
    let braze: PlayedBraze

    func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
      let body = String(decoding: request.body ?? [], as: UTF8.self)
      guard body.contains(#""ce""#) else { return try await braze.send(request) }
      return HTTPResponse(400, body: Array(#"{"message":"Bad event"}"#.utf8))
    }
  }

  @Test("G2: sync says that a vendor has rejected an action that was pending, and why")
  func rejected() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    braze.goDown()
    let tracked = await stage.engage("track", "hello", by: braze, in: .impatient)
    #expect(tracked.output == "track hello: pending; the next sync tries again\n")
    #expect(await stage.engage("outbox").output.contains("custom hello"))
    let retried = await stage.engage("outbox", "retry", by: braze)
    #expect(retried.status == .failed && retried.errors.contains("The host was not reached."))
    braze.comeBack()
    let refused = await stage.engage("sync", by: Refusing(braze: braze))
    #expect(refused.status == .failed)
    #expect(refused.errors.contains("braze: 1 action was rejected: "), "\(refused.errors)")
    #expect(await stage.engage("sync", by: braze).status == .done)
  }

  @Test("a person is told what to do before an action can be sent")
  func waiting() async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    #expect(await stage.engage("signout", by: braze).status == .done)
    let nobody = await stage.engage(
      "person", "set", "email=a@example.com", by: braze, in: .init(patience: .seconds(2)))
    #expect(
      nobody.output
        == "person set: pending: Braze has no anonymous user after a signed-in one; sign in.\n")
  }
}
