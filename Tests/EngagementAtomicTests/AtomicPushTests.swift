import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementJSON
import EngagementModel
import EngagementTesting
import Testing

/// Atomic's pushes, and what it wants done when its user changes.
@Suite struct AtomicPushTests {
  private static let envelope: JSON = [
    "source": "io.atomic", "cardInstanceId": "1f0c", "streamContainerId": "BqWL1sT",
    "detail": ["businessId": "ABCD1234"],
  ]

  @Test("A20: an APNs push arrives with every field")
  func apple() throws {
    let push: JSON = [
      "aps": [
        "alert": ["title": "Rent due", "subtitle": "Home", "body": "Tomorrow"],
        "sound": "bell.caf", "badge": 3, "category": "rent",
      ],
      "atomic": Self.envelope,
    ]
    let received = try #require(try received(push))
    var expected = PushNotification(vendor: "atomic")
    expected.title = "Rent due"
    expected.subtitle = "Home"
    expected.body = "Tomorrow"
    expected.sound = "bell.caf"
    expected.badge = 3
    expected.category = "rent"
    expected.itemID = "1f0c"
    expected.containerID = "BqWL1sT"
    expected.detail = ["businessId": "ABCD1234"]
    #expect(received == Received(expected))
  }

  @Test("A20: an FCM push carries its envelope as text")
  func google() throws {
    let push: JSON = [
      "title": "Rent due", "body": "Tomorrow",
      "atomic": .string(String(decoding: Self.envelope.encoded(), as: UTF8.self)),
    ]
    let notification = try #require(try received(push)).notification
    #expect(notification.title == "Rent due")
    #expect(notification.body == "Tomorrow")
    #expect(notification.itemID == "1f0c")
    #expect(notification.detail == ["businessId": "ABCD1234"])
  }

  @Test("A20: a push may have a numeric container, any detail and a text alert")
  func lenient() throws {
    let push: JSON = [
      "aps": ["alert": "Hello", "content-available": 1],
      "atomic": [
        "source": "io.atomic", "cardInstanceId": "c", "streamContainerId": 77, "detail": [1],
      ],
    ]
    let notification = try #require(try received(push)).notification
    #expect(notification.containerID == "77")
    #expect(notification.detail == [:])
    #expect(notification.body == "Hello")
    #expect(!notification.isSilent)
  }

  @Test("A20: a push with nothing to show is silent")
  func silent() throws {
    let push: JSON = ["aps": ["content-available": 1], "atomic": Self.envelope]
    #expect(try #require(try received(push)).notification.isSilent)
  }

  static let foreign: [JSON] = [
    [:], .null, "io.atomic", [["source": "io.atomic"]], ["aps": ["alert": "Hello"]],
    ["atomic": "io.atomic"], ["atomic": "{"], ["atomic": [:]],
    ["atomic": ["source": "io.other", "cardInstanceId": "c", "streamContainerId": "s"]],
    ["atomic": ["source": "io.atomic", "cardInstanceId": 7, "streamContainerId": "s"]],
    ["atomic": ["source": "io.atomic", "cardInstanceId": "c"]],
    ["atomic": ["source": "io.atomic", "cardInstanceId": "c", "streamContainerId": true]],
    ["ab": ["c": "x"], "aps": ["alert": ["title": "Braze"]]], ["nm": "CleverTap", "wzrk_id": "1"],
    ["client_app_data": ["message_uid": "x"]],
  ]

  @Test("A20: the adapter ignores a push that is not Atomic's", arguments: foreign)
  func notOurs(_ push: JSON) throws { #expect(try received(push) == nil) }

  private func received(_ push: JSON) throws -> Received? {
    try AtomicSamples.adapter().received(push, in: context)
  }

  private var context: AdapterContext {
    AdapterContext(
      user: "u-1", device: .test,
      push: [.sandbox: PushRegistration(token: Secret("t"), service: .apns)],
      now: TestClock().now, key: OperationKey(1, 2))
  }

  // MARK: Users

  @Test("A4: signing out sends pending actions and unregisters the push token if configured")
  func transition() throws {
    let quiet = try AtomicSamples.adapter()
    #expect(quiet.transition(from: "u-1", to: .anonymous, in: context) == [.sendPending])
    #expect(
      quiet.transition(from: "u-1", to: "u-2", in: context)
        == [.sendPending, .enter(.registerPush(.sandbox))])
    #expect(
      quiet.transition(from: .anonymous, to: "u-1", in: context)
        == [.enter(.registerPush(.sandbox))])
    let loud = try AtomicSamples.adapter(unregisters: true)
    #expect(
      loud.transition(from: "u-1", to: "u-2", in: context)
        == [
          .sendPending, .leave(.unregisterPush(.sandbox)), .enter(.registerPush(.sandbox)),
        ])
  }

  @Test("A20: the containers that Atomic was told are told again for the next user")
  func containers() throws {
    let adapter = try AtomicSamples.adapter()
    let chosen = Operation.pushContainers(["BqWL1sT"], notifications: false)
    var context = context
    let answer = adapter.answer(to: chosen, from: .json(200, ""), in: context)
    for case .keep(let scope, let name, let value) in answer.changes {
      context.values[scope, name] = value
    }
    #expect(
      adapter.transition(from: .anonymous, to: "u-1", in: context)
        == [.enter(.registerPush(.sandbox)), .enter(chosen)])
    #expect(adapter.transition(from: "u-1", to: .anonymous, in: context) == [.sendPending])
    let refused = adapter.answer(to: chosen, from: .json(500, ""), in: context)
    #expect(refused.changes.isEmpty)
  }
}
