import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

@Suite("Vibes: the person of the inbox", .timeLimit(.minutes(20))) struct VibesPersonFlowTests {
  private let vendor = FakeVibes()

  /// A person with two messages, one of them read and one opened while the vendor is away, and a
  /// start of the application that is not reported yet.
  private struct Waiting {
    let scene: AppScene
    let read, open, launch: Engagement.Receipt

    /// Expects that the actions on the inbox are given up, and nothing else.
    func expectAbandoned() async throws {
      // The outcome of a pending action never comes.
      guard try await scene.pending <= 1 else {
        Issue.record("The actions on the former person's messages are not given up.")
        return
      }
      for receipt in [read, open] {
        guard case .rejected(let error) = try await receipt.outcome() else {
          Issue.record("The action has reached the vendor.")
          continue
        }
        #expect(error.message == "The device was associated with another person.")
      }
    }
  }

  private func waiting(
    _ variant: KitVariant = .complete,
    _ association: VibesConfiguration.Association = .onSignIn
  ) async throws -> Waiting {
    await vendor.know("u-1", as: "person-1")
    await vendor.know("u-2", as: "person-2")
    await vendor.seed("person-1", ["m-1", "m-2"])
    await vendor.seed("person-2", ["m-3"])
    let scene = try await AppScene.vibes(behind: variant, association: association, vendor.script)
    await scene.deliver()
    #expect(await scene.execute(.associate("u-1")) == .done)
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.messages == ["m-1", "m-2"])
    await vendor.fail("/m-1", .status(503))
    let waiting = Waiting(
      scene: scene, read: try await scene.perform(.read, on: "m-1"),
      open: try await scene.perform(.open, on: "m-2"),
      launch: try await scene.engagement.track(.launch))
    await scene.deliver()
    #expect(try await scene.pending == 3)
    #expect(scene.engagement.inbox.messages.map(\.isRead) == [true, true])
    scene.transport.forget()
    return waiting
  }

  // MARK: Flow 3

  @Test(
    "flow 3 V7 V8: associating another person drops the old one's key, messages and pending reads"
  )
  func associatesAnother() async throws { try await flowAssociation(.complete) }

  @Test("flow 3: the association flow fails when pending rows are not abandoned")
  func keepsOldReadsWithoutAbandoning() async {
    await withKnownIssue {
      try await flowAssociation(.losing { if case .abandoned = $0 { true } else { false } })
    }
  }

  @Test("flow 3: the association flow fails when no empty list replaces the old one")
  func showsOldMessagesWithoutReplacing() async {
    await withKnownIssue {
      try await flowAssociation(.losing { $0 == .items(.inbox, .replace(.nothing), []) })
    }
  }

  @Test("flow 3: the association flow fails when stored values cannot be removed")
  func asksWithTheOldKeyWithoutForgetting() async {
    await withKnownIssue {
      try await flowAssociation(.losing { if case .keep(_, _, nil) = $0 { true } else { false } })
    }
  }

  @Test("flow 3: the association flow fails when the person cannot be removed")
  func showsTheOldPerson() async {
    await withKnownIssue { try await flowAssociation(.losing { $0 == .person(nil) }) }
  }

  private func flowAssociation(_ variant: KitVariant) async throws {
    let waiting = try await waiting(variant)
    let scene = waiting.scene
    #expect(await scene.execute(.associate("u-2")) == .done)
    #expect(scene.vibesLines == ["POST /devices/device-1/assign"])
    #expect(scene.transport.requests.first?.text == #"{"external_person_id":"u-2"}"#)
    #expect(scene.messages == [])
    #expect(try await scene.person == nil)
    #expect(try await scene.context.values[.user, "person"] == nil)
    #expect(try await scene.pending == 1)
    try await waiting.expectAbandoned()
    scene.transport.forget()
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.vibesLines == ["GET /devices/device-1/person", "GET /persons/person-2/messages"])
    #expect(try await scene.person?.key == "person-2")
    #expect(try await scene.person?.externalID == "u-2")
    #expect(scene.messages == ["m-3"])
    scene.transport.forget()
    await scene.deliver(after: .seconds(10))
    #expect(scene.vibesLines == ["POST /devices/device-1/events"])
    #expect(await vendor.events.values.sorted() == ["launch"])
    #expect(await !vendor.isRead("m-1", by: "person-1"))
    try await scene.end()
  }

  @Test("flow 3 V7: associating the same person again changes nothing")
  func associatesTheSame() async throws {
    let scene = try await waiting().scene
    #expect(await scene.execute(.associate("u-1")) == .done)
    #expect(scene.engagement.inbox.messages.map(\.isRead) == [true, true])
    #expect(try await scene.pending == 3)
    await scene.deliver(after: .seconds(10))
    #expect(try await scene.pending == 0)
    #expect(await vendor.isRead("m-1", by: "person-1"))
    #expect(await vendor.events.values.sorted() == ["inbox_open", "launch"])
    try await scene.end()
  }

  @Test(
    "flow 3 V7: a failed association keeps the messages, the pending rows and the person",
    arguments: [404, 422, 503])
  func refusedAssociation(status: Int) async throws {
    let scene = try await waiting().scene
    // A second time where the vendor has said that it knows the device.
    await vendor.fail("/assign", .status(status), .status(status))
    #expect(await scene.execute(.associate("u-2")) != .done)
    #expect(scene.messages == ["m-1", "m-2"])
    #expect(try await scene.pending == 3)
    #expect(try await scene.person?.key == "person-1")
    try await scene.end()
  }

  @Test(
    "flow 3 V7 V8: after the server moves the device, the next refresh shows only the new person's data"
  )
  func movedByServer() async throws {
    let waiting = try await waiting()
    let scene = waiting.scene
    await vendor.move("device-1", to: "person-2")
    scene.clock.advance(by: .seconds(61))
    #expect(await scene.refresh(.inbox) == .fresh)
    #expect(scene.vibesLines == ["GET /devices/device-1/person", "GET /persons/person-2/messages"])
    #expect(scene.messages == ["m-3"])
    #expect(try await scene.pending == 1)
    try await waiting.expectAbandoned()
    try await scene.end()
  }

  @Test("flow 3 V7 V8: the old person's read is never sent with the new person's key")
  func oldReadNeverTravels() async throws {
    let waiting = try await waiting(.complete, .byServer)
    let scene = waiting.scene
    // The vendor has lost the device, and the new one has no person yet.
    try await scene.commit([
      .keep(.user, "associated", nil), .keep(.installation, "device", nil),
    ])
    await scene.deliver(after: .seconds(10))
    #expect(!scene.vibesLines.contains { $0.hasPrefix("PUT") })
    #expect(try await scene.pending == 0)
    try await waiting.expectAbandoned()
    #expect(try await waiting.launch.outcome() == .delivered)
    #expect(await vendor.events.values.sorted() == ["launch"])
    #expect(scene.messages == [])
    try await scene.end()
  }

  @Test("V7: with association by the server a sign-in asks for no operation")
  func serverAssociates() throws {
    let adapter = try Vibes.adapter(association: .byServer)
    let steps = adapter.transition(from: .anonymous, to: "u-1", in: Vibes.context())
    #expect(steps == [.sendPending, .adoptPending])
  }

  @Test("V2 V7 G3: a refused registration of the device leaves the sign-in pending")
  func refusedRegistration() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    await vendor.fail("POST \(Vibes.root)/devices", .status(400))
    await scene.deliver()
    #expect(try await scene.pending == 1)
    await scene.deliver(after: .seconds(600))
    #expect(try await scene.pending == 0)
    #expect(
      scene.vibesLines == ["POST /devices", "POST /devices", "POST /devices/device-1/assign"])
    try await scene.end()
  }

  // MARK: The inbox

  @Test(
    "V8: a deleted, dismissed or expired message is hidden at once and expires at the vendor",
    arguments: [ItemAction.delete, .dismiss, .expire(at: nil)])
  func ends(action: ItemAction) async throws {
    let scene = try await AppScene.vibes(vendor.script)
    await vendor.seed("person-of-device-1", ["m-1", "m-2"])
    #expect(await scene.execute(.inbox) == .done)
    try await scene.perform(action, on: "m-1")
    #expect(scene.messages == ["m-2"])
    await vendor.fail("/m-1", .status(503))
    await scene.deliver()
    scene.clock.advance(by: .seconds(30))
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.messages == ["m-2"])
    await scene.deliver()
    let bodies = scene.transport.requests.filter { $0.method == .put }.map(\.text)
    #expect(bodies == Array(repeating: #"{"expires_at":"2026-10-01T09:00:00.000Z"}"#, count: 2))
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.messages == ["m-2"])
    try await scene.end()
  }

  @Test(
    "V8 V9: a newer message with the same collapse key replaces the older one")
  func collapses() async throws {
    func text(_ id: String, _ hour: Int) -> String {
      #"{"message_uid":"\#(id)","content":"c","collapse_key":"k","created_at":"2026-09-30T0\#(hour):00:00Z"}"#
    }
    let scene = try await AppScene.vibes(vendor.script)
    try await scene.commit([
      .items(.inbox, .replace(.nothing), [Vibes.raw(text("m-2", 2)), Vibes.raw(text("m-1", 1))])
    ])
    #expect(scene.messages == ["m-2"])
    try await scene.commit([.items(.inbox, .put, [Vibes.raw(text("m-3", 3))])])
    #expect(scene.messages == ["m-3"])
    try await scene.commit([.items(.inbox, .put, [Vibes.raw(text("m-0", 0))])])
    #expect(scene.messages == ["m-3"])
    try await scene.end()
  }

  @Test("V8: a disabled inbox sends no request")
  func inboxOff() async throws {
    let scene = try await AppScene.vibes(vendor.script)
    try await scene.commit([.keep(.installation, "inbox", "off")])
    #expect(await scene.execute(.inbox) == .done)
    #expect(await scene.execute(.message("m-1")) == .done)
    #expect(scene.vibesLines == [])
    #expect(await scene.execute(.settings) == .done)
    #expect(try await scene.engagement.settings(of: "vibes").inboxEnabled == true)
    #expect(await scene.execute(.inbox) == .done)
    #expect(scene.vibesLines.last == "GET /persons/person-of-device-1/messages")
    try await scene.end()
  }
}
