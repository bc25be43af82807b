import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@Suite struct ChangeTests {
  private static let time = Date(timeIntervalSince1970: 1_790_845_200)
  private static let metrics = CardMetrics(active: 1, unseen: ["a"])
  private static let settings = VendorSettings(cardsEnabled: true)
  private static let error = EngagementError(.unavailable, "not followed")
  private static let push = PushRegistration(
    token: Secret("t"), service: .fcm, environment: .production)

  private static let table: [(Change, Change.Destination)] = [
    (.items(.cards, .put, []), .items(FeedChange(.cards, .items(.put, [])))),
    (.removed(.inbox, ids: ["a"]), .items(FeedChange(.inbox, .removed(ids: ["a"])))),
    (.unchanged(.cards), .items(FeedChange(.cards, .unchanged))),
    (.total(.inbox, 3), .items(FeedChange(.inbox, .total(3)))),
    (.person(nil), .values(.person(nil))),
    (.settings(settings), .values(.settings(settings))),
    (.metrics(metrics), .values(.metrics(metrics))),
    (.throttled(.inbox, until: time), .values(.throttled(.inbox, until: time))),
    (.paused(until: time), .values(.paused(until: time))),
    (.keep(.user, "name", "value"), .values(.keep(.user, "name", "value"))),
    (.settled(["e-1"]), .outbox(.settled(["e-1"]))),
    (.abandoned(.cards, reason: "gone"), .outbox(.abandoned(.cards, reason: "gone"))),
    (.wanted(.settings), .outbox(.wanted(.settings))),
    (
      .secret(.user, "name", Secret("value")), .secrets(.secret(.user, "name", Secret("value")))
    ),
    (.pushToken(push), .secrets(.pushToken(push))),
    (.ignored(error), .report(error)),
  ]

  @Test("each change goes to one part of the cache with all that it says", arguments: table)
  func destination(change: Change, destination: Change.Destination) {
    #expect(change.destination == destination)
  }

  @Test("a change of the installation outlives the user")
  func installation() {
    let own = Self.table.map(\.0).filter(\.isOfInstallation)
    #expect(own == [.paused(until: Self.time), .wanted(.settings), .pushToken(Self.push)])
    #expect(Change.keep(.installation, "name", nil).isOfInstallation)
    #expect(Change.secret(.installation, "name", nil).isOfInstallation)
  }
}
