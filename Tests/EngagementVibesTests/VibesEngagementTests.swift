import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import Foundation
import Testing
import VibesFixtures

/// Vibes as an application meets it: through the engagement and nothing else.
@Suite(.timeLimit(.minutes(20))) struct VibesEngagementTests {
  /// Does a bit of everything; what is not allowed is refused.
  private static func useEverything(_ engagement: Engagement) async throws {
    _ = await engagement.refresh(.settings)
    _ = await engagement.refresh(.inbox)
    var receipts: [Engagement.Receipt?] = []
    for message in engagement.inbox.messages {
      receipts.append(try? await engagement.perform(.open, on: message))
      receipts.append(try? await engagement.perform(.read, on: message))
    }
    receipts.append(try? await engagement.track(.inboxFetch))
    receipts.append(try? await engagement.updateDevice())
    receipts.append(
      try? await engagement.registerPush(PushRegistration(token: Secret("0aff"), service: .apns)))
    for receipt in receipts { _ = try? await receipt?.outcome() }
  }

  @Test(
    "X20: consent decides which events are sent to Vibes",
    arguments: [
      (.denied, []), (.essential, ["inbox_open", "inbox_open"]),
      (.unknown, ["inbox_open", "inbox_open"]),
      (.full, ["inbox_fetch", "inbox_open", "inbox_open"]),
    ] as [(Consent, [String])])
  func consent(consent: Consent, events: [String]) async throws {
    let application = try await VibesApplication()
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      try await engagement.setConsent(consent)
      application.transport.forget()
      try await Self.useEverything(engagement)
      #expect(await application.vendor.events.values.sorted() == events)
      #expect(application.transport.requests.isEmpty == (consent == .denied))
      #expect(engagement.inbox.unreadCount == 0)
    }
  }

  @Test("V10 V11 G16: the application's logger receives the kit's lines without tokens or ids")
  func logging() async throws {
    let application = try await VibesApplication()
    try await application.run { engagement in
      try await engagement.signIn("ada-1")
      try await engagement.setConsent(.full)
      try await Self.useEverything(engagement)
      let lines = application.lines.withLock { $0 }
      for line in [
        "info EngagementKit \(Engagement.version) opened for \(Device.test.appID).",
        "info vibes: Speaks to vibes, client 4.8.3, application \(Vibes.appID).",
        "info vibes: The inbox: the vendor has it switched on.",
        "info vibes: Delivered inbox.read, 1 of it.",
        "info vibes: Delivered push.register, 1 of it.",
        "info vibes: Delivered device.update, 1 of it.",
      ] {
        #expect(lines.contains(line), "\(lines)")
      }
      for secret in ["token-1", "0aff", "0AFF", "ada-1", "device-1"] {
        #expect(!lines.contains { $0.contains(secret) }, "\(secret)")
      }
    }
  }

  @Test("V7: the person is associated once, even if a refresh needs it first")
  func association() async throws {
    let application = try await VibesApplication()
    try await application.engagement.signIn("u-1")
    #expect(await application.engagement.refresh(.inbox).providers["vibes"] == .fresh)
    try await application.run { engagement in
      let later = try await engagement.updateDevice()
      #expect(try await later.outcome() == .delivered)
    }
    let told = application.transport.lines.filter { $0.hasSuffix("/assign") }
    #expect(told.count == 1)
  }

  @Test("V2: each action reports its own outcome")
  func outcomes() async throws {
    let application = try await VibesApplication()
    try await application.run { engagement in
      try await engagement.signIn("u-1")
      try await engagement.setConsent(.full)
      _ = await engagement.refresh(.inbox)
      await application.vendor.fail("/messages/m-1", .status(403))
      let refused = try await engagement.perform(.read, on: ItemID("vibes", "m-1"))
      let delivered = try await engagement.perform(.read, on: ItemID("vibes", "m-2"))
      guard case .rejected(let error) = try await refused.outcome() else {
        Issue.record("The vendor does not allow it.")
        return
      }
      #expect(error.code == .permissionDenied && error.underlying == "403")
      #expect(try await delivered.outcome() == .delivered)
      #expect(engagement.message(ItemID("vibes", "m-1"))?.isRead == false, "taken back")
      #expect(await application.vendor.isRead("m-2", by: "person-of-device-1"))
    }
  }
}
