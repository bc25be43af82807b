import EngagementModel

extension ItemReference {
  static let full = ItemReference(
    ItemID("atomic", "i-1"), on: .cards, in: "BqWL1sT", handle: ["secretive": "handle"])
  static let empty = ItemReference(ItemID("p", "1"), on: "")

  var withoutHandle: ItemReference {
    var copy = self
    copy.handle = [:]
    return copy
  }
}

extension EngagementEvent {
  static let full = EngagementEvent(
    id: "e-1", kind: .purchase, time: moment(0), zoneOffset: -3_600, session: "s-1", sequence: 9,
    provider: "atomic", item: .full, name: "shoes", properties: ["price": 12.5, "empty": [:]])
  static let empty = EngagementEvent(id: "", kind: "", time: moment(5_000))

  var withoutHandle: EngagementEvent {
    var copy = self
    copy.item = item?.withoutHandle
    return copy
  }
}

extension Noun {
  static let event = Noun(
    "event", full: EngagementEvent.full.withoutHandle, eventText(handle: ""),
    empty: EngagementEvent.empty, emptyEventText, required: ["id", "kind", "time"], json: \.json,
    read: EngagementEvent.init(json:))

  static let storedEvent = Noun(
    "event", full: EngagementEvent.full, eventText(handle: handleText),
    empty: EngagementEvent.empty, emptyEventText, required: ["id", "kind", "time"],
    json: \.storedJSON, read: EngagementEvent.init(storedJSON:))

  static let item = Noun(
    "item", full: ItemReference.full.withoutHandle, itemText(handle: ""),
    empty: ItemReference.empty, #"{"provider":"p","id":"1","surface":""}"#,
    required: ["provider", "id", "surface"], json: \.json, read: ItemReference.init(json:))

  static let storedItem = Noun(
    "item", full: ItemReference.full, itemText(handle: handleText),
    empty: ItemReference.empty, #"{"provider":"p","id":"1","surface":""}"#,
    required: ["provider", "id", "surface"], json: \.storedJSON,
    read: ItemReference.init(storedJSON:))

  private static let handleText = #","handle":{"secretive":"handle"}"#

  private static let emptyEventText = """
    {"id":"","kind":"","time":"2026-09-21T14:13:25.123Z","zoneOffset":0,"sequence":0}
    """

  private static func itemText(handle: String) -> String {
    #"{"provider":"atomic","id":"i-1","surface":"cards","container":"BqWL1sT"\#(handle)}"#
  }

  private static func eventText(handle: String) -> String {
    """
    {"id":"e-1","kind":"purchase","time":"2026-09-21T14:13:20.123Z","zoneOffset":-3600,\
    "session":"s-1","sequence":9,"provider":"atomic","item":\(itemText(handle: handle)),\
    "name":"shoes","properties":{"price":12.5,"empty":{}}}
    """
  }
}
