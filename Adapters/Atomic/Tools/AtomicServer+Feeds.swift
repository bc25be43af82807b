import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What clients read.
extension AtomicServer {
  mutating func feed(
    _ call: VendorRequest, _ container: String, of user: String, at now: Date
  ) -> VendorAnswer {
    guard hasContainer(container) else { return failure(404, "Invalid stream container id") }
    let filter: AtomicServerFilter
    do throws(AtomicServerFilter.Refusal) {
      filter = try Self.filter(in: call)
    } catch {
      return failure(400, error.message)
    }
    knownContainers.insert(container)
    let cards = listed(in: container, filter, for: user, at: now)
    let body =
      Array("{\"cardInstances\":".utf8) + VendorReply.array(of: cards.map(\.bytes))
      + Array(",\"metadata\":{\"totalCards\":\(cards.count)}}".utf8)
    return cacheable(body, for: call, "feed of \(cards.count)")
  }

  /// Clients do not escape the filters, so a `&` in them may be as it is.
  private static func filter(
    in call: VendorRequest
  ) throws(AtomicServerFilter.Refusal) -> AtomicServerFilter {
    guard let text = call.query(only: "filters") ?? call.query("filters") else {
      return try AtomicServerFilter(nil)
    }
    guard let json = try? JSON(parsing: Array(text.utf8)) else {
      throw AtomicServerFilter.Refusal(message: "The filters are not JSON")
    }
    return try AtomicServerFilter(json)
  }

  func theme(_ call: VendorRequest, _ container: String) -> VendorAnswer {
    guard hasContainer(container) else { return failure(404, "Invalid stream container id") }
    let theme: JSON = ["theme": ["name": "Harbour", "primaryColor": "#1d4f6b", "cornerRadius": 8]]
    return cacheable(theme.encoded(), for: call, "theme")
  }

  /// The cards of one user in a container: by priority, then the one that was active last, then the
  /// one that came last. A card with its own bytes comes after all others.
  func listed(
    in container: String, _ filter: AtomicServerFilter, for user: String, at now: Date
  ) -> [AtomicListedCard] {
    let states = users[user]?.cards ?? [:]
    let active = cards.compactMap { card -> (card: AtomicServerCard, since: Date?)? in
      guard card.owner == nil || card.owner?.id?.rawValue == user, card.isIn(container),
        filter.matches(card),
        case .active(let since) = AtomicCardStatus(of: card, for: states[card.id], at: now)
      else { return nil }
      return (card, since)
    }
    return active.enumerated().sorted { left, right in
      Self.isBefore(left.element, right.element) ?? (left.offset < right.offset)
    }.map { _, listed in
      AtomicListedCard(
        id: listed.card.id,
        version: AtomicListedCard.Version(
          revision: listed.card.revision, activeSince: listed.since),
        bytes: listed.since == nil
          ? listed.card.bytes ?? listed.card.wire(activeSince: nil).encoded()
          : listed.card.wire(activeSince: listed.since).encoded())
    }
  }

  /// Nil for cards between which the order of their coming decides.
  private static func isBefore(
    _ left: (card: AtomicServerCard, since: Date?), _ right: (card: AtomicServerCard, since: Date?)
  ) -> Bool? {
    guard left.card.bytes == nil, right.card.bytes == nil else {
      return left.card.bytes == nil ? true : right.card.bytes == nil ? false : nil
    }
    if left.card.priority != right.card.priority { return left.card.priority < right.card.priority }
    let active = (left.since ?? left.card.lastActiveAt, right.since ?? right.card.lastActiveAt)
    if active.0 != active.1 { return active.0 ?? .distantPast > active.1 ?? .distantPast }
    let received = (left.card.receivedAt, right.card.receivedAt)
    if received.0 != received.1 { return received.0 ?? .distantPast > received.1 ?? .distantPast }
    return nil
  }

  // MARK: Metrics

  func metrics(_ call: VendorRequest, of user: String, at now: Date) -> VendorAnswer {
    let states = users[user]?.cards ?? [:]
    let seen = users[user]?.seen ?? []
    let active = cards.filter { card in
      guard card.owner == nil || card.owner?.id?.rawValue == user,
        case .active = AtomicCardStatus(of: card, for: states[card.id], at: now)
      else { return false }
      return true
    }
    func counts(_ cards: [AtomicServerCard]) -> JSONObject {
      let unseen = cards.map(\.id).filter { !seen.contains($0) }
      return [
        "active": .integer(Int64(cards.count)),
        "unseenCardInstanceIds": .array(unseen.map(JSON.string)),
      ]
    }
    let containers =
      settings.containers.map { Set($0) }
      ?? knownContainers.union(cards.flatMap(\.containers))
    let byContainer = containers.sorted().map { container -> JSON in
      var object: JSONObject = ["containerId": .string(container)]
      for member in counts(active.filter { $0.isIn(container) }).members {
        object[member.key] = member.value
      }
      return .object(object)
    }
    let body: JSON = [
      "aggregates": [
        "cards": ["total": .object(counts(active)), "byContainer": .array(byContainer)]
      ]
    ]
    return cacheable(body.encoded(), for: call, "metrics of \(active.count)")
  }
}
