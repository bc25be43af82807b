import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

typealias Operation = EngagementAdapterAPI.Operation

private let item = ItemReference(
  ItemID("braze", "card-1"), on: .cards, in: "home", handle: ["campaign": "c-1"])
private let time = Date(timeIntervalSince1970: 1_790_845_200.25)

@Suite struct OperationTests {
  /// One operation of every kind, with everything that it can hold.
  static let all: [Operation] = [
    .settings, .device(.register), .device(.renew), .device(.update), .device(.unregister),
    .registerPush(.sandbox), .unregisterPush(.production),
    .cards(in: nil, matching: []), .cards(in: "home", matching: [.priority(.between(2, 6))]),
    .inbox, .message("m-1"), .person, .associate("u-1"), .metrics, .campaigns,
    .act(.impression, on: item), .act(.click, on: item), .act(.open, on: item),
    .act(.read, on: item), .act(.dismiss, on: item), .act(.delete, on: item),
    .act(.submit(button: "pay", values: ["note": "hi", "count": 2]), on: item),
    .act(.submit(button: nil, values: [:]), on: item), .act(.snooze(seconds: 3600), on: item),
    .act(.vote(useful: false, reason: .other, message: "no"), on: item),
    .act(.vote(useful: true, reason: nil, message: nil), on: item),
    .act(.expire(at: nil), on: item), .act(.expire(at: time), on: item),
    .events([
      EngagementEvent(
        id: "e-1", kind: .custom, time: time, zoneOffset: 7200, session: "s-1", sequence: 7,
        provider: "braze", item: item, name: "bought", properties: ["sku": "a"]),
      EngagementEvent(id: "e-2", kind: .launch, time: time),
    ]),
    .templates([offer].compactMap(\.self)),
    .upload(
      .init(
        fileName: "a.png", contentType: "image/png", digest: "ab", byteCount: 3, bucket: "b",
        item: item, submission: OperationKey(0x0123_4567_89ab_cdef, 9))),
    .optOut(true), .vendor("callback", ["id": "x"]),
  ]

  private static let offer = try? Template(
    "offer", .template,
    arguments: [.init("title", .string, defaultValue: "Hi"), .init("image", .file)])

  @Test("the operation about templates has one")
  func template() { #expect(Self.offer != nil) }

  @Test("an operation survives a round trip through its stored form", arguments: all)
  func roundTrip(operation: Operation) throws {
    #expect(try Operation(json: operation.json) == operation)
  }

  @Test("a person update survives a round trip through its stored form")
  func updateRoundTrip() throws {
    var update = PersonUpdate()
    update.name = "Ada"
    update.custom = ["tier": "gold"]
    update.notifications = false
    update.timeFrames = [
      .everyDay: [try .init(fromHour: 8, minute: 0, toHour: 17, minute: 30)], .sunday: [],
    ]
    #expect(try Operation(json: Operation.updatePerson(update).json) == .updatePerson(update))
  }

  @Test(
    "an invalid stored form is an error that names the field",
    arguments: [
      (["version": 1], "operation"),
      (["version": 1, "operation": "fly"], "operation"),
      (["operation": "inbox"], "version"),
      (["version": 1, "operation": "message"], "id"),
      (["version": 1, "operation": "device", "change": "sell"], "change"),
      (["version": 1, "operation": "act", "action": ["name": "snooze"], "item": [:]], "seconds"),
      ("inbox", "operation"),
    ] as [(JSON, String)])
  func faults(json: JSON, field: String) {
    let error = #expect(throws: EngagementError.self) { try Operation(json: json) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(field) == true)
  }

  @Test("an operation of a newer release throws `newerSchema`")
  func newer() {
    let error = #expect(throws: EngagementError.self) {
      try Operation(json: ["version": 2, "operation": "inbox"])
    }
    #expect(error?.code == .newerSchema)
  }

  @Test("a verb names the surface and the action")
  func verbs() {
    #expect(Operation.act(.dismiss, on: item).verb == "cards.dismiss")
    #expect(Operation.device(.renew).verb == "device.renew")
    #expect(Operation.vendor("callback", .null).verb == "vendor.callback")
    #expect(Operation.cards(in: "home", matching: []).verb == "cards")
  }
}
