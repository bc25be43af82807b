public import EngagementAdapterAPI
import EngagementAtomic
import EngagementBraze
import EngagementCleverTap
public import EngagementModel
import EngagementVibes

/// One adapter under test.
public struct Subject: Sendable, CustomStringConvertible {
  public let adapter: any EngagementAdapter

  public var description: String { adapter.vendor.rawValue }

  /// The adapters of the four vendors.
  public static func all() throws(EngagementError) -> [Subject] {
    [
      Subject(
        adapter: BrazeAdapter(
          try BrazeConfiguration(endpoint: "https://sdk.braze.example", apiKey: Secret("canary-k")))
      ),
      Subject(adapter: VibesAdapter(try VibesConfiguration(appID: "app-1"))),
      Subject(
        adapter: CleverTapAdapter(
          try CleverTapConfiguration(accountID: "account-1", token: Secret("canary-k")))),
      Subject(
        adapter: AtomicAdapter(
          try AtomicConfiguration(
            environmentID: "environment-1", apiKey: Secret("canary-k"), instanceID: "instance-1"))),
    ]
  }

  /// An operation of every kind, including some that no vendor supports.
  public static let operations: [Operation] =
    [
      .settings, .device(.register), .device(.renew), .device(.update), .device(.unregister),
      .registerPush(.production), .unregisterPush(.sandbox), .cards(in: nil, matching: []),
      .cards(in: "home", matching: [.priority(.between(2, 6))]), .inbox, .message("m-1"), .person,
      .associate("u-1"), .updatePerson(update), .metrics, .campaigns, .templates([]), .optOut(true),
      .events([EngagementEvent(id: "e-1", kind: .custom, time: now, item: card, name: "bought")]),
      .events([EngagementEvent(id: "e-2", kind: .open, time: now, item: message)]),
      .upload(
        .init(
          fileName: "a", contentType: "image/png", digest: "00", byteCount: 1, item: card,
          submission: OperationKey(1, 2))),
      .vendor("unheard-of", ["a": 1]),
    ] + actions.flatMap { [.act($0, on: card), .act($0, on: message)] }

  private static let actions: [ItemAction] = [
    .impression, .click, .open, .read, .dismiss, .submit(button: "b", values: ["a": true]),
    .snooze(seconds: 60), .vote(useful: false, reason: .other, message: "m"), .expire(at: nil),
    .delete,
  ]

  private static let card = ItemReference(ItemID("p", "c-1"), on: .cards, in: "home")
  private static let message = ItemReference(ItemID("p", "m-1"), on: .inbox)

  private static let update = {
    var update = PersonUpdate()
    update.name = "Ada"
    return update
  }()
}
