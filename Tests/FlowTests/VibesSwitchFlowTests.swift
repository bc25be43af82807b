import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

/// Flow 3 as an application sees it.
@Suite("Vibes: change of user in an application", .timeLimit(.minutes(20)))
struct VibesSwitchFlowTests {
  private let vendor = FakeVibes()

  /// A person with two messages, one of which was read while the vendor is away.
  private func waiting(_ variant: KitVariant = .complete) async throws -> (
    scene: AppScene, read: Engagement.Receipt
  ) {
    await vendor.know("u-1", as: "person-1")
    await vendor.know("u-2", as: "person-2")
    await vendor.seed("person-1", ["m-1", "m-2"])
    await vendor.seed("person-2", ["m-3"])
    let scene = try await AppScene(
      "vibes", try Vibes.adapter(), behind: variant, ScriptedTransport(vendor.script))
    try await scene.signIn("u-1")
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-1", "m-2"])
    await vendor.fail("/m-1", .status(503))
    let read = try await scene.perform(.read, on: "m-1")
    await scene.deliver()
    #expect(try await scene.pending == 1)
    #expect(scene.engagement.inbox.messages.map(\.isRead) == [true, false])
    scene.transport.forget()
    return (scene, read)
  }

  /// What was asked, without what all paths begin with and without the settings.
  private func lines(_ scene: AppScene) -> [String] {
    scene.transport.lines.filter { !$0.hasSuffix(Vibes.root) }
      .map { $0.split(separator: Vibes.root).joined() }
  }

  @Test("flow 3 V2 V7 V8 X8: the next user gets a device, a person and messages of their own")
  func switches() async throws {
    let (scene, _) = try await waiting()
    try await scene.signIn("u-2")
    #expect(scene.messages == [], "nothing is shown before the vendor was asked")
    #expect(try await scene.engagement.person(at: "vibes") == nil)
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-3"])
    #expect(try await scene.engagement.person(at: "vibes")?.key == "person-2")
    #expect(
      lines(scene) == [
        "DELETE /devices/device-1", "POST /devices", "POST /devices/device-2/assign",
        "GET /devices/device-2/person", "GET /persons/person-2/messages",
      ])
    let tokens = scene.transport.requests.dropFirst().map {
      $0.headers.secret("Authorization")?.revealed
    }
    #expect(!tokens.contains("MobileAppToken token-1"))
    #expect(await !vendor.isRead("m-1", by: "person-1"))
    try await scene.end()
  }

  @Test(
    "flow 3 V7 X7 G13: the old user's pending read waits until that user signs in again")
  func waitsForItsPerson() async throws {
    let (scene, read) = try await waiting()
    try await scene.signIn("u-2")
    #expect(try await scene.pending == 0)
    scene.clock.advance(by: .seconds(600))
    await scene.deliver()
    #expect(!lines(scene).contains { $0.contains("m-1") })
    try await scene.signIn("u-1")
    await scene.deliver()
    #expect(try await scene.pending == 0)
    #expect(await vendor.isRead("m-1", by: "person-1"))
    #expect(try await read.outcome() == .delivered)
    try await scene.end()
  }

  @Test(
    "flow 3 V7 V8: associating another person drops the old one's messages and pending reads")
  func associates() async throws { try await flowAssociation() }

  @Test("flow 3: the association flow in an application fails when pending rows are not abandoned")
  func keepsOldReads() async {
    await withKnownIssue {
      try await flowAssociation(.losing { if case .abandoned = $0 { true } else { false } })
    }
  }

  private func flowAssociation(_ variant: KitVariant = .complete) async throws {
    let (scene, read) = try await waiting(variant)
    #expect(await scene.execute(.associate("u-2")) == .done)
    #expect(scene.messages == [])
    #expect(try await scene.engagement.person(at: "vibes") == nil)
    #expect(try await scene.pending == 0)
    // Of what waits on the outcome would never come.
    guard try await scene.pending == 0, case .rejected(let error) = try await read.outcome() else {
      Issue.record("The read of the former person is not given up.")
      return
    }
    #expect(error.message == "The device was associated with another person.")
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-3"])
    #expect(await !vendor.isRead("m-1", by: "person-1"))
    try await scene.end()
  }
}
