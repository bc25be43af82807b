import BenchReport
import Foundation

/// What a Swift developer writes first: Codable structures.
struct Card: Decodable {
  var id, tp, tt, ds, i, u: String
  var ca, ea: Int64
  var v, cl, p: Bool
  var e: [String: String]
}

struct Cards: Decodable { var cards: [Card] }

struct Message: Decodable {
  enum CodingKeys: String, CodingKey {
    case subject, content, detail, read, images
    case uid = "message_uid"
    case collapseKey = "collapse_key"
    case createdAt = "created_at"
    case expiresAt = "expires_at"
    case custom = "inbox_custom_data"
  }

  var uid, subject, content, detail, collapseKey, createdAt, expiresAt: String
  var read: Bool
  var images, custom: [String: String]
}

func length(_ texts: String...) -> Int { texts.reduce(0) { $0 + $1.utf8.count } }

let bench = Bench()
let data = Data(bench.bytes)
switch (bench.row, bench.set) {
case ("parse", "cards"):
  try bench.run { _ in
    try JSONSerialization.jsonObject(with: data) as? [String: Any]
  } count: {
    (($0?["cards"] as? [Any])?.count ?? 0, 0)
  }
case ("parse", _):
  try bench.run { _ in
    try JSONSerialization.jsonObject(with: data) as? [Any]
  } count: {
    ($0?.count ?? 0, 0)
  }
case ("cards", "cards"):
  try bench.run { _ in
    try JSONDecoder().decode(Cards.self, from: data).cards
  } count: { cards in
    (cards.count, cards.reduce(0) { $0 + length($1.id, $1.tp, $1.tt, $1.ds, $1.i, $1.u) })
  }
case ("cards", _):
  try bench.run { _ in
    try JSONDecoder().decode([Message].self, from: data)
  } count: { messages in
    let check = messages.reduce(0) {
      $0
        + length(
          $1.uid, $1.subject, $1.content, $1.detail, $1.collapseKey, $1.createdAt, $1.expiresAt)
    }
    return (messages.count, check)
  }
default: exit(64)
}
