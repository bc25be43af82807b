import EngagementEmulator
import EngagementHTTP
import EngagementKit
import EngagementModel
import Foundation
import Testing

/// The adapter, held against what the vendor's own clients send.
@Suite("CleverTap's clients and the adapter", .timeLimit(.minutes(5)))
struct CleverTapAdapterOpinionTests {
  @Test("C4 C10 C11: every request of the adapter is one that the vendor's own clients make")
  func adapter() async throws {
    let scene = try await CleverTapWireScene()
    try await scene.put(90, on: "Table chosen")
    try await scene.put(91, on: "Table left", ["suppressed": true, "wzrk_cgId": 3])
    let push = try await scene.emulator.push(["raiseViewed": true], from: "clevertap")
    try await scene.run { engagement in try await Self.useEverything(engagement, scene, push) }
    try await scene.emulator.configure("clevertap", ["deliveryMode": "SS"])
    try await scene.put(92, on: "Table chosen", ["delivery": "inapp_notifs_ss"])
    try await scene.run { engagement in
      _ = await engagement.refresh(.campaigns)
      try await engagement.track("Table chosen")
      try await scene.settle(engagement)
      _ = try await engagement.signOut()
    }
    #expect(await scene.emulator.times("inapps_eval") == 1)
    #expect(await scene.emulator.times("inapps_suppressed") == 1)
    var met: [String: Int] = [:]
    // The vendor keeps its files elsewhere.
    for request in scene.network.requests where !request.url.contains("/files/") {
      let rows = CleverTapClient.calls.filter { $0.matches(request) }
      guard let row = rows.first, rows.count == 1 else {
        Issue.record("no client makes \(request.method) \(request.url)")
        continue
      }
      met[row.name, default: 0] += 1
      #expect(row.differences(request) == [])
    }
    for row in CleverTapClient.calls {
      #expect(met[row.name] != nil, "\(row.name) was never tried")
    }
    try await scene.end()
  }

  /// Everything that makes the adapter send something.
  private static func useEverything(
    _ engagement: Engagement, _ scene: CleverTapWireScene, _ push: JSON
  ) async throws {
    try await scene.arrive(engagement)
    engagement.setScenePhase(.active)
    for target in [.settings, .inbox, .campaigns] as [Engagement.RefreshTarget] {
      _ = await engagement.refresh(target)
    }
    for message in engagement.inbox.messages.prefix(2) {
      try await engagement.perform(.impression, on: message.id)
      try await engagement.perform(.read, on: message.id)
      try await engagement.perform(.click, on: message.id)
    }
    try await engagement.perform(.delete, on: try #require(engagement.inbox.messages.last).id)
    try await engagement.track("looked", ["page": 3])
    try await engagement.track(.purchase, name: "beans", ["currency": "eur", "price": 9.5])
    scene.presenter.choose("open")
    for event in ["Table chosen", "Table left"] { try await engagement.track(event) }
    try await scene.present(engagement)
    var update = PersonUpdate()
    (update.name, update.email, update.phone) = ("Ada", "ada@example.com", "+359 88")
    (update.city, update.notifications) = ("Varna", false)
    update.custom = [
      "tier": "gold", "likes": ["tea", "soup"], "gone": .null, "points": ["$incr": 5],
      "rooms": ["$add": ["a"]], "address": ["street": "Mill Lane"],
    ]
    try await engagement.updatePerson(update)
    try await engagement.registerPush(PushRegistration(token: Secret("0aff"), service: .apns))
    _ = try await engagement.handlePush(push, phase: .delivered)
    _ = try await engagement.handlePush(push, phase: .opened)
    try await scene.settle(engagement)
    try await engagement.syncTemplates(with: CleverTapWireScene.provider)
    try await engagement.unregisterPush()
    try await engagement.setConsent(.denied)
    try await scene.settle(engagement)
    try await engagement.setConsent(.full)
    try await scene.settle(engagement)
    try await scene.arrive(engagement, "u-2")
  }
}
