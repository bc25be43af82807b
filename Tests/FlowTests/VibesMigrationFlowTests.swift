import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing
import VibesFixtures

@Suite("Vibes: token migration by push") struct VibesMigrationFlowTests {
  private static let push: JSON = [
    "aps": ["content-available": 1],
    "client_custom_data": [
      "vibes_auto_register_token": "62171B34AA", "migration_item_id": "item-1",
    ],
    "message_uid": "push-1",
  ]

  private static let steps: [Vibes.Operation] = [
    .device(.register), .registerPush(.production),
    .vendor("callback", ["migration_item_id": "item-1"]),
  ]

  private static let lines = [
    "POST /devices", "POST /devices/device-1/push_registration", "PUT /migrations/callbacks",
  ]

  // MARK: Flow 4

  @Test(
    "flow 4 V12: a silent push stores the token, registers the device and the token and sends the callback"
  )
  func migrates() async throws { try await flowMigration(.complete) }

  @Test("flow 4: the migration flow fails when a push may not ask for operations")
  func doesNothingWithoutOperations() async {
    await withKnownIssue {
      try await flowMigration(
        .without { adapter in
          adapter.received = { Received($0.notification, changes: $0.changes) }
        })
    }
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
    let scene = try VibesScene(variant)
    let notification = try #require(scene.memory.receive(Self.push))
    #expect(notification.isSilent)
    #expect(notification.custom.isEmpty)
    #expect(scene.memory.pending == Self.steps.map { .operation($0) })
    #expect(
      scene.memory.context().push[.production]
        == PushRegistration(token: Secret("62171b34aa"), service: .apns))
    await scene.runners.drain()
    #expect(scene.lines == Self.lines)
    #expect(scene.memory.pending.isEmpty)
    #expect(
      scene.transport.requests.dropFirst().map(\.text) == [
        #"{"device":{"push_token":"62171B34AA"}}"#,
        #"{"migration_item_id":"item-1","vibes_device_id":"device-1"}"#,
      ])
    await checkEffects(scene.vendor)
  }

  private func checkEffects(_ vendor: FakeVibes) async {
    #expect(await vendor.registrations == 1)
    #expect(await vendor.devices.mapValues(\.push) == ["device-1": "62171B34AA"])
    #expect(await vendor.callbacks == ["item-1": "device-1"])
  }

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
    await withKnownIssue { try await flowKill(.complete, after: steps) { _ in .init() } }
  }

  /// The process ends after so many answers have been committed, before the row is settled.
  private func flowKill(
    _ variant: KitVariant, after steps: Int,
    surviving: (MemoryHost.Kept) -> MemoryHost.Kept = { $0 }
  ) async throws {
    let vendor = FakeVibes()
    let first = try VibesScene(variant, vendor: vendor)
    first.memory.receive(Self.push)
    for operation in Self.steps.prefix(steps) {
      #expect(await first.perform(operation) == .done)
    }
    let second = try VibesScene(variant, vendor: vendor, kept: surviving(first.memory.kept))
    #expect(second.memory.pending.count == 3)
    await second.runners.drain()
    #expect(second.memory.pending.isEmpty)
    // Registering is remembered; the others may be said again and mean the same.
    #expect(second.lines == (steps == 0 ? Self.lines : Array(Self.lines.dropFirst())))
    await checkEffects(vendor)
  }

  @Test(
    "flow 4 V12: after a kill between two rows only the remaining rows are sent", arguments: 0...3)
  func resumesBetweenRows(steps: Int) async throws {
    let vendor = FakeVibes()
    let first = try VibesScene(.complete, vendor: vendor)
    first.memory.receive(Self.push)
    if steps < 3 {
      let line = Self.lines[steps].split(separator: "/").last.map(String.init) ?? ""
      await vendor.fail(line, .status(503))
    }
    await first.runners.drain()
    let second = try VibesScene(.complete, vendor: vendor, kept: first.memory.kept)
    #expect(second.memory.pending == Self.steps.dropFirst(steps).map { .operation($0) })
    await second.runners.drain()
    #expect(second.lines == Array(Self.lines.dropFirst(steps)))
    await checkEffects(vendor)
  }

  @Test(
    "flow 4 V12: a request whose answer is lost is sent again and takes effect once",
    arguments: ["push_registration", "callbacks"])
  func losesAnAnswer(ending: String) async throws {
    let vendor = FakeVibes()
    await vendor.fail(ending, .lost)
    let first = try VibesScene(.complete, vendor: vendor)
    first.memory.receive(Self.push)
    await first.runners.drain()
    #expect(!first.memory.pending.isEmpty)
    let second = try VibesScene(.complete, vendor: vendor, kept: first.memory.kept)
    await second.runners.drain()
    #expect(second.memory.pending.isEmpty)
    #expect(second.transport.requests.first == first.transport.requests.last)
    await checkEffects(vendor)
  }

  @Test("flow 4 V12: a repeated push on a registered device migrates once")
  func migratesTwice() async throws {
    let scene = try VibesScene(.complete)
    #expect(await scene.perform(.device(.register)) == .done)
    for _ in 1...2 { scene.memory.receive(Self.push) }
    await scene.runners.drain()
    #expect(scene.memory.pending.isEmpty)
    await checkEffects(scene.vendor)
  }

  @Test("V12: a push token from the system takes precedence over one from a push")
  func keepsTheSystemsToken() async throws {
    let scene = try VibesScene(.complete)
    scene.memory.setPush(PushRegistration(token: Secret("0aff"), service: .apns))
    scene.memory.receive(Self.push)
    await scene.runners.drain()
    #expect(await scene.vendor.devices["device-1"]?.push == "0AFF")
  }

  @Test("V9: a push that names a message fetches that message")
  func bringsItsMessage() async throws {
    let scene = try VibesScene(.complete)
    await scene.vendor.seed("person-of-device-1", ["m-1"])
    scene.memory.receive([
      "aps": ["alert": "Look"], "client_app_data": ["inbox_message_uid": "m-1"],
      "message_uid": "push-1",
    ])
    #expect(scene.memory.pending == [.operation(.message("m-1"))])
    await scene.runners.drain()
    #expect(scene.memory.messages.map(\.id.value) == ["m-1"])
  }
}
