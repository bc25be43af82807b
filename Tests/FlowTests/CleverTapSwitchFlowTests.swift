import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Flow 9 as an application sees it.
@Suite("CleverTap: change of user in an application", .timeLimit(.minutes(20)))
struct CleverTapSwitchFlowTests {
  private let vendor = FakeCleverTap()
  private let isUp = Locked(true)

  /// A person with a push token and a pending event.
  private func signedIn(_ variant: KitVariant = .complete) async throws -> AppScene {
    let (vendor, isUp) = (vendor, isUp)
    let scene = try await AppScene(
      "clevertap", try CleverTap.outline(), behind: variant, clock: TestClock(CleverTap.time),
      ScriptedTransport { request throws(EngagementError) in
        guard isUp.withLock({ $0 }) else {
          throw EngagementError(.unavailable, "There is no network.")
        }
        return try await vendor.respond(to: request)
      })
    try await scene.signIn("u-1")
    try await scene.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    await scene.deliver()
    #expect(await vendor.batches.map(\.names) == [["profile Identity"], ["data register"]])
    try await scene.engagement.track("Basket opened")
    return scene
  }

  @Test(
    "flow 9 C11 X8: a change of user first unregisters the token and sends the old user's queue")
  func switches() async throws { try await flowSwitch() }

  @Test("flow 9: the change of user in an application fails when the old queue is not sent first")
  func needsSendPending() async {
    await withKnownIssue {
      try await flowSwitch(.without { $0.transition = { $0.filter { $0 != .sendPending } } })
    }
  }

  @Test("flow 9: the change of user in an application fails without operations as the old user")
  func needsLeave() async {
    await withKnownIssue {
      try await flowSwitch(
        .without { adapter in
          adapter.transition = { $0.filter { if case .leave = $0 { false } else { true } } }
        })
    }
  }

  private func flowSwitch(_ variant: KitVariant = .complete) async throws {
    let scene = try await signedIn(variant)
    let first = try #require(await vendor.batches.last?.guid)
    let before = await vendor.batches.count
    try await scene.signIn("u-2")
    let batches = Array(await vendor.batches.dropFirst(before))
    #expect(
      batches.map(\.names) == [
        ["data unregister"], ["Basket opened"], ["App Launched"], ["profile Identity"],
        ["data register"],
      ])
    let second = try #require(batches.last?.guid)
    #expect(first != second)
    #expect(batches.map(\.guid) == [first, first, second, second, second])
    #expect(batches.dropFirst(3).first?.items.first?["profile"] == ["Identity": "u-2"])
    #expect(try await scene.pending == 0)
    try await scene.end()
  }

  @Test(
    "flow 9 C11 X7 X8 G13: without a network the old user's queue waits until that user signs in again"
  )
  func offline() async throws {
    let scene = try await signedIn()
    let first = try #require(await vendor.batches.last?.guid)
    var before = await vendor.batches.count
    isUp.withLock { $0 = false }
    try await scene.signIn("u-2")
    isUp.withLock { $0 = true }
    scene.clock.advance(by: .seconds(600))
    await scene.deliver()
    var batches = Array(await vendor.batches.dropFirst(before))
    #expect(batches.map(\.names) == [["App Launched"], ["profile Identity"], ["data register"]])
    #expect(!batches.contains { $0.guid == first })
    before = await vendor.batches.count
    try await scene.signIn("u-1")
    scene.clock.advance(by: .seconds(600))
    await scene.deliver()
    batches = Array(await vendor.batches.dropFirst(before))
    let told = batches.filter { $0.names.contains("Basket opened") }
    #expect(told.map(\.guid) == [first])
    #expect(batches.last?.items.first?["data"]?["action"] == "register")
    #expect(try await scene.pending == 0)
    try await scene.end()
  }
}
