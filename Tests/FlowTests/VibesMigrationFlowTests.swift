import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: token migration by push", .timeLimit(.minutes(20)))
struct VibesMigrationFlowTests {
  private let vendor = FakeVibes()
  private let folder = CacheFolder()

  private static let push = push("push-1")

  private static func push(_ id: String) -> JSON {
    [
      "aps": ["content-available": 1],
      "client_custom_data": [
        "vibes_auto_register_token": "62171B34AA", "migration_item_id": "item-1",
      ],
      "message_uid": .string(id),
    ]
  }

  private static let steps: [Vibes.Operation] = [
    .device(.register), .registerPush(.production),
    .vendor("callback", ["migration_item_id": "item-1"]),
  ]

  private static let lines = [
    "POST /devices", "POST /devices/device-1/push_registration", "PUT /migrations/callbacks",
  ]

  /// An application without a signed-in user. Its user has not agreed to analytics, so no push
  /// is reported.
  private func scene(
    _ variant: KitVariant = .complete, cache: Engagement.Cache = .temporary
  ) async throws -> AppScene {
    try await AppScene(
      "vibes", try Vibes.adapter(), behind: variant, cache: cache, ScriptedTransport(vendor.script))
  }

  // MARK: Flow 4

  @Test(
    "flow 4 V12: a silent push stores the token, registers the device and the token and sends the callback"
  )
  func migrates() async throws { try await flowMigration(.complete) }

  private static let withoutOperations = KitVariant.without { adapter in
    adapter.received = { Received($0.notification, changes: $0.changes) }
  }

  @Test("flow 4: the migration flow fails when a push may not ask for operations")
  func doesNothingWithoutOperations() async {
    await withKnownIssue { try await flowMigration(Self.withoutOperations) }
  }

  @Test("flow 4: the migration flow fails when a push may not bring changes")
  func hasNoTokenWithoutChanges() async {
    await withKnownIssue {
      try await flowMigration(
        .without { adapter in
          adapter.received = { Received($0.notification, operations: $0.operations) }
        })
    }
  }

  private func flowMigration(_ variant: KitVariant) async throws {
    let scene = try await scene(variant)
    let reception = try #require(try await scene.engagement.handlePush(Self.push))
    #expect(reception.notification.isSilent)
    #expect(reception.notification.custom.isEmpty)
    #expect(try await scene.pending == 3)
    #expect(
      try await scene.context.push[.production]
        == PushRegistration(token: Secret("62171b34aa"), service: .apns))
    await scene.deliver()
    #expect(scene.vibesLines == Self.lines)
    #expect(try await scene.pending == 0)
    #expect(
      scene.transport.requests.dropFirst().map(\.text) == [
        #"{"device":{"push_token":"62171B34AA"}}"#,
        #"{"migration_item_id":"item-1","vibes_device_id":"device-1"}"#,
      ])
    await checkEffects()
    try await scene.end()
  }

  private func checkEffects() async {
    #expect(await vendor.registrations == 1)
    #expect(await vendor.devices.mapValues(\.push) == ["device-1": "62171B34AA"])
    #expect(await vendor.callbacks == ["item-1": "device-1"])
  }

  // MARK: Kills

  @Test(
    "flow 4 V12: after a kill at any step the migration continues and takes effect once",
    arguments: 0...3)
  func resumes(steps: Int) async throws { try await flowKill(.complete, after: steps) }

  @Test("flow 4: the kill flow fails without stored values", arguments: 1...2)
  func registersAgainWithoutCommits(steps: Int) async {
    await withKnownIssue {
      try await flowKill(.losing { if case .keep = $0 { true } else { false } }, after: steps)
    }
  }

  @Test("flow 4: the kill flow fails when pending operations are not stored", arguments: 0...2)
  func forgetsWithoutKeeping(steps: Int) async {
    await withKnownIssue { try await flowKill(Self.withoutOperations, after: steps) }
  }

  /// The process ends after so many answers have been committed, before the row is settled.
  private func flowKill(_ variant: KitVariant, after steps: Int) async throws {
    let first = try await scene(variant, cache: folder.cache)
    _ = try await first.engagement.handlePush(Self.push)
    for operation in Self.steps.prefix(steps) {
      #expect(await first.execute(operation) == .done)
    }
    let second = try await scene(variant, cache: folder.copy())
    #expect(try await second.pending == 3)
    await second.deliver()
    #expect(try await second.pending == 0)
    // Registering is remembered; the others may be said again and mean the same.
    #expect(second.vibesLines == (steps == 0 ? Self.lines : Array(Self.lines.dropFirst())))
    await checkEffects()
    try await first.end()
    try await second.end()
  }

  @Test(
    "flow 4 V12: after a kill between two rows only the remaining rows are sent", arguments: 0...3)
  func resumesBetweenRows(steps: Int) async throws {
    let first = try await scene(cache: folder.cache)
    _ = try await first.engagement.handlePush(Self.push)
    if steps < 3 {
      let line = Self.lines[steps].split(separator: "/").last.map(String.init) ?? ""
      await vendor.fail(line, .status(503))
    }
    await first.deliver()
    let second = try await scene(cache: folder.copy())
    #expect(try await second.pending == 3 - steps)
    await second.deliver()
    #expect(second.vibesLines == Array(Self.lines.dropFirst(steps)))
    await checkEffects()
    try await first.end()
    try await second.end()
  }

  @Test(
    "flow 4 V12: a request whose answer is lost is sent again and takes effect once",
    arguments: ["push_registration", "callbacks"])
  func losesAnAnswer(ending: String) async throws {
    await vendor.fail(ending, .lost)
    let first = try await scene(cache: folder.cache)
    _ = try await first.engagement.handlePush(Self.push)
    await first.deliver()
    #expect(try await first.pending > 0)
    let second = try await scene(cache: folder.copy())
    await second.deliver()
    #expect(try await second.pending == 0)
    #expect(second.transport.requests.first == first.transport.requests.last)
    await checkEffects()
    try await first.end()
    try await second.end()
  }

  // MARK: Other pushes

  @Test("flow 4 V12: a repeated push on a registered device migrates once")
  func migratesTwice() async throws {
    let scene = try await scene()
    #expect(await scene.execute(.device(.register)) == .done)
    for (id, isRepeated) in [("push-1", false), ("push-1", true), ("push-2", false)] {
      let reception = try await scene.engagement.handlePush(Self.push(id))
      #expect(reception?.isRepeated == isRepeated)
    }
    await scene.deliver()
    #expect(try await scene.pending == 0)
    await checkEffects()
    try await scene.end()
  }

  @Test("V12: a push token from the system takes precedence over one from a push")
  func keepsTheSystemsToken() async throws {
    let scene = try await scene()
    try await scene.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    _ = try await scene.engagement.handlePush(Self.push)
    await scene.deliver()
    #expect(await vendor.devices["device-1"]?.push == "0AFF")
    try await scene.end()
  }

  @Test("V9: a push that names a message fetches that message")
  func bringsItsMessage() async throws {
    let scene = try await scene()
    await vendor.seed("person-of-device-1", ["m-1"])
    _ = try await scene.engagement.handlePush([
      "aps": ["alert": "Look"], "client_app_data": ["inbox_message_uid": "m-1"],
      "message_uid": "push-1",
    ])
    #expect(try await scene.pending == 1)
    await scene.deliver()
    #expect(scene.vibesLines.last == "GET /persons/person-of-device-1/messages/m-1")
    #expect(scene.messages == ["m-1"])
    try await scene.end()
  }
}
