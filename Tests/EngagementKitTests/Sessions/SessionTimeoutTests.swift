import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("a vendor's own session time-out", .timeLimit(.minutes(20))) struct SessionTimeoutTests {
  @Test("a vendor's session time-out applies at once, to that vendor alone")
  func follows() async throws {
    var vendor = PuppetAdapter("braze")
    vendor.onAnswer = { operation, _, _ in
      guard operation == .settings else { return nil }
      return Answer([.settings(VendorSettings(sessionTimeout: .seconds(10)))])
    }
    let stage = try await Stage([vendor, PuppetAdapter("vibes")])
    let sessions = stage.engagement.sessions
    stage.engagement.setScenePhase(.active)
    stage.engagement.setScenePhase(.background)
    _ = await stage.engagement.refresh(.settings)
    #expect(sessions.session(for: "braze") != nil)
    stage.clock.advance(by: .seconds(11))
    // A scene change makes the sessions check the time.
    stage.engagement.setScenePhase(.inactive)
    #expect(sessions.session(for: "braze") == nil)
    #expect(sessions.session(for: "vibes") != nil)
    try await stage.end()
  }
}
