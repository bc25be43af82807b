import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Orchard's server, from its protocol: the cards of each user, and clicks that are known by their
/// ids. It does not import the adapter's code.
struct OrchardServer: VendorServer {
  static let paths = ["GET /v1/cards", "POST /v1/clicks"]

  private struct StoredCard: Sendable {
    var bytes: [UInt8]
    /// The user who alone has it; nil for everyone's.
    var owner: User?

    var json: JSON? { try? JSON(parsing: bytes) }
  }

  private var cards: [StoredCard] = []
  private var clicks: Set<String> = []

  init(seed: UInt64?, at now: Date) {
    guard let seed else { return }
    var numbers = SeededNumbers(seed: seed)
    for title in ["The pears are ripe", "Cider on Saturday", "A tree of your own"] {
      let card: JSON = [
        "id": .string(numbers.hex(8)), "title": .string(title),
        "text": "Come and see us.", "link": "https://orchard.example.com/news",
      ]
      cards.append(StoredCard(bytes: card.encoded()))
    }
  }

  // MARK: Requests

  func user(of request: VendorRequest) -> User? {
    request.header("X-Orchard-User").map { User(UserID($0)) } ?? .anonymous
  }

  mutating func answer(_ request: VendorRequest, at now: Date) -> VendorAnswer {
    guard request.header("X-Orchard-Key")?.isEmpty == false else {
      return VendorAnswer(reply: VendorReply(401), summary: "no key")
    }
    let user = user(of: request) ?? .anonymous
    switch (request.method, request.path) {
    case ("GET", "/v1/cards"): return list(for: user)
    case ("POST", "/v1/clicks"): return take(request, from: user)
    default: return Self.unknown(request)
    }
  }

  private func list(for user: User) -> VendorAnswer {
    let own = cards.filter { $0.owner == nil || $0.owner == user }
    let body = Array(#"{"cards":"#.utf8) + VendorReply.array(of: own.map(\.bytes)) + [0x7d]
    return VendorAnswer(reply: VendorReply(json: body), summary: "\(own.count) cards")
  }

  private mutating func take(_ request: VendorRequest, from user: User) -> VendorAnswer {
    guard let list = (try? JSON(parsing: request.body))?["clicks"]?.array else {
      return VendorAnswer(reply: VendorReply(400), summary: "no clicks")
    }
    var effects: [VendorEffect] = []
    for click in list {
      let id = click["id"]?.string ?? ""
      guard clicks.insert(id).inserted else { continue }
      effects.append(
        VendorEffect(
          "click", of: click["card"]?.string ?? "", by: user.id?.rawValue ?? "anonymous", id: id,
          time: click["at"]?.integer))
    }
    return VendorAnswer(
      reply: VendorReply(json: [:]), effects: effects, summary: "\(list.count) clicks")
  }

  // MARK: Items

  var items: [JSON] { cards.compactMap(\.json) }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    guard let id = item["id"]?.string else {
      throw EngagementError(.invalidArgument, "A card needs an id")
    }
    _ = remove(id, at: now)
    cards.append(StoredCard(bytes: item.encoded()))
    return item
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    let count = cards.count
    cards.removeAll { $0.json?["id"]?.string?.hasSameBytes(as: id) == true }
    return cards.count < count
  }

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    cards += items.map { StoredCard(bytes: $0, owner: user) }
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    cards.removeAll { $0.owner == user }
  }
}
