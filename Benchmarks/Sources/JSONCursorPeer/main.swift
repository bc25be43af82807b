import BenchReport
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementVibes
import FoundationEssentials
import Glibc

/// A card with the fields that every peer reads.
struct Card {
  var id, kind, title, text, image, url: String
  var created, expires: Int64
  var viewed, clicked, pinned: Bool
  var extras: JSONObject

  init(_ item: RawItem) throws(JSONFault) {
    let fields = try JSONFields(item)
    id = fields.string("id") ?? ""
    kind = fields.string("tp") ?? ""
    title = fields.string("tt") ?? ""
    text = fields.string("ds") ?? ""
    image = fields.string("i") ?? ""
    url = fields.string("u") ?? ""
    created = fields.integer("ca") ?? 0
    expires = fields.integer("ea") ?? -1
    viewed = fields.flag("v") ?? false
    clicked = fields.flag("cl") ?? false
    pinned = fields.flag("p") ?? false
    extras = fields.json("e")?.object ?? [:]
  }
}

/// A message with the fields that every peer reads.
struct Message {
  var id, subject, text, detail, collapseKey, created, expires: String
  var read: Bool
  var images, custom: JSONObject

  init(_ item: RawItem) throws(JSONFault) {
    let fields = try JSONFields(item)
    id = fields.string("message_uid") ?? ""
    subject = fields.string("subject") ?? ""
    text = fields.string("content") ?? ""
    detail = fields.string("detail") ?? ""
    collapseKey = fields.string("collapse_key") ?? ""
    created = fields.string("created_at") ?? ""
    expires = fields.string("expires_at") ?? ""
    read = fields.flag("read") ?? false
    images = fields.json("images")?.object ?? [:]
    custom = fields.json("inbox_custom_data")?.object ?? [:]
  }
}

/// The items of the answer, which is checked to its end.
func split(_ bytes: [UInt8], _ set: String) throws(JSONFault) -> [RawItem] {
  var cursor = JSONCursor(bytes)
  var items: [RawItem]?
  if set == "inbox" {
    items = try cursor.items()
  } else if try cursor.enterObject() {
    while let key = try cursor.nextKey() { if key == "cards" { items = try cursor.items() } }
  }
  try cursor.finish()
  return items ?? []
}

/// The messages of the answer, as a refresh makes them: what the adapter finds in it, item by item.
func messages(
  in answer: HTTPResponse, by vibes: VibesAdapter, _ context: AdapterContext
) throws(EngagementError) -> [InboxMessage] {
  for case .items(_, _, let items) in vibes.answer(to: .inbox, from: answer, in: context).changes {
    return try items.map { (item) throws(EngagementError) in try vibes.message(in: item) }
  }
  return []
}

func length(_ texts: String?...) -> Int { texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) } }

func length(_ object: JSONObject) -> Int {
  object.members.reduce(0) { $0 + length($1.key, $1.value.string) }
}

func milliseconds(_ date: Date?) -> Int {
  date.map { Int(($0.timeIntervalSince1970 * 1_000).rounded()) } ?? 0
}

/// Everything that a message has of its own, so that peers agree about dates as well.
func check(of message: InboxMessage) -> Int {
  length(
    message.id.value, message.subject, message.text, message.detailURLText, message.iconURLText)
    + length(message.imageURLText, message.collapseKey) + length(message.custom)
    + message.handle.members.reduce(0) { $0 + length($1.value.string) }
    + milliseconds(message.createdAt) + milliseconds(message.expiresAt) + (message.isRead ? 1 : 0)
}

let bench = Bench()
let set = bench.set
switch (bench.row, set) {
case ("parse", _):
  try bench.run { bytes in
    var cursor = JSONCursor(bytes)
    try cursor.skip()
    try cursor.finish()
  } count: { _ in
    (0, 0)
  }
case ("split", _):
  try bench.run { bytes in
    try split(bytes, set)
  } count: { items in
    (items.count, items.reduce(0) { $0 + $1.bytes.count })
  }
case ("cards", "cards"):
  try bench.run { bytes in
    try split(bytes, set).map(Card.init)
  } count: { cards in
    let check = cards.reduce(0) {
      $0 + length($1.id, $1.kind, $1.title, $1.text, $1.image, $1.url)
    }
    return (cards.count, check)
  }
case ("cards", _):
  try bench.run { bytes in
    try split(bytes, set).map(Message.init)
  } count: { messages in
    let check = messages.reduce(0) {
      $0
        + length(
          $1.id, $1.subject, $1.text, $1.detail, $1.collapseKey, $1.created, $1.expires)
    }
    return (messages.count, check)
  }
case ("model", "cards"):
  let braze = BrazeAdapter(
    try BrazeConfiguration(endpoint: "https://sdk.example.com", apiKey: Secret("key")))
  try bench.run { bytes in
    try split(bytes, set).map(braze.card(in:))
  } count: { cards in
    (cards.count, cards.reduce(0) { $0 + length($1.id.value, $1.title, $1.text) })
  }
case ("model", _):
  let vibes = VibesAdapter(try VibesConfiguration(appID: "app"))
  let device = Device(
    id: "device-1", appID: "com.example.app", system: "Linux", systemVersion: "12",
    locale: "en_US", timeZone: "Europe/Sofia")
  let context = AdapterContext(
    user: .anonymous, device: device, now: Date(timeIntervalSince1970: 1_770_000_000),
    key: OperationKey(1, 1))
  try bench.run { bytes in
    try messages(in: HTTPResponse(200, body: bytes), by: vibes, context)
  } count: { messages in
    (messages.count, messages.reduce(0) { $0 + check(of: $1) })
  }
default: exit(64)
}
