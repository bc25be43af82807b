import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What the vendor says on the web socket by itself: which cards came, changed or went, and that a
/// token has expired.
extension AtomicServer {
  mutating func takeSocketOutput(at now: Date) -> [VendorSocketOutput] {
    for socket in sockets.keys.sorted() {
      outputs += expiries(on: socket, at: now)
      guard let updates = updates(on: socket, at: now), !updates.isEmpty else { continue }
      sayUpdates(updates, on: socket)
    }
    defer { outputs = [] }
    return outputs
  }

  var nextMoment: Date? {
    sockets.values.flatMap { socket in
      [socket.token?.expiresAt] + socket.subscriptions.map(\.nextChange)
    }.compactMap(\.self).min()
  }

  /// A client with an expired token authenticates and subscribes anew.
  mutating func expiries(on socket: Int, at now: Date) -> [VendorSocketOutput] {
    guard let token = sockets[socket]?.token, token.expiresAt <= now || isRefused(token) else {
      return []
    }
    sockets[socket] = AtomicServerSocket()
    return [Self.message("token-expiry", on: socket)]
  }

  /// What differs from what the client has; nil without a token.
  private mutating func updates(on socket: Int, at now: Date) -> [JSON]? {
    guard let state = sockets[socket], let user = state.token?.user else { return nil }
    var updates: [JSON] = []
    for (index, var subscription) in state.subscriptions.enumerated()
    where subscription.isOutdated(by: revision, at: now) {
      let cards = listed(in: subscription.container, subscription.filter, for: user, at: now)
      updates += subscription.updates(to: cards)
      subscription.revision = revision
      subscription.comparedAt = now
      subscription.note(
        cards, nextChange: nextChange(of: user, in: subscription.container, after: now))
      sockets[socket]?.subscriptions[index] = subscription
    }
    return updates
  }

  /// When a container of one user next changes by itself: a card comes back, begins or ends.
  func nextChange(of user: String, in container: String, after now: Date) -> Date? {
    let states = users[user]?.cards ?? [:]
    return cards.filter { $0.isIn(container) && states[$0.id]?.end == nil }
      .flatMap { [states[$0.id]?.snoozedUntil, $0.embargoedUntil, $0.expiresAt] }
      .compactMap(\.self).filter { $0 > now }.min()
  }
}

extension AtomicServerSocket.Subscription {
  /// Whether the feed may have changed. A clock that was set back changes it too.
  fileprivate func isOutdated(by revision: Int, at now: Date) -> Bool {
    self.revision != revision || now < comparedAt || nextChange.map { $0 <= now } ?? false
  }

  /// Remembers what the client has. A card without an id cannot be updated.
  mutating func note(_ cards: [AtomicListedCard], nextChange: Date?) {
    total = cards.count
    sent = Dictionary(
      cards.filter { !$0.id.isEmpty }.map { ($0.id, $0.version) },
      uniquingKeysWith: { first, _ in first })
    self.nextChange = nextChange
  }

  fileprivate func updates(to cards: [AtomicListedCard]) -> [JSON] {
    var updates: [JSON] = []
    let present = Set(cards.map(\.id))
    for id in sent.keys.sorted() where !present.contains(id) {
      updates.append(update("remove-card", ["cardInstanceId": .string(id)]))
    }
    for card in cards where !card.id.isEmpty && sent[card.id] != card.version {
      guard let json = try? JSON(parsing: card.bytes) else { continue }
      var data: JSONObject = ["cardInstance": json]
      if let since = card.version.activeSince, since != sent[card.id]?.activeSince {
        data["actionType"] = "unsnooze"
      }
      updates.append(update("update-card", data))
    }
    return updates
  }

  private func update(_ type: String, _ data: JSONObject) -> JSON {
    var data = data
    data["subscriptionId"] = .string(id)
    return ["type": .string(type), "data": .object(data)]
  }
}
