import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// `POST /api/v3/content_cards/sync`.
extension BrazeServer {
  /// A user has no more cards than these; the oldest are left out.
  private static let limit = 250
  /// After this long a delta is refused and everything comes anew.
  private static let deltaHorizon: Int64 = 86_400

  mutating func sync(_ request: BrazeRequest, at now: Date) -> VendorAnswer {
    if let wait = take(from: request.device, at: now) {
      return VendorAnswer(
        reply: VendorReply(
          429, headers: [("Retry-After", "\(wait)"), ("Content-Type", "application/json")],
          body: Array(#"{"message":"Too many syncs"}"#.utf8)),
        summary: "too many syncs")
    }
    let time = Self.seconds(now)
    guard !settings.requiresSession || hasSession(request) else {
      return VendorAnswer(
        reply: VendorReply(
          201,
          json: [
            "message": "success", "cards": [], "full_sync": true, "last_full_sync_at": 0,
            "last_card_updated_at": 0,
          ]), summary: "a sync outside a session: no cards")
    }
    let lastFull = request.body["last_full_sync_at"]?.integer ?? 0
    let lastUpdated = request.body["last_card_updated_at"]?.integer ?? 0
    let isFull =
      lastFull <= 0 || lastUpdated <= 0 || lastUpdated > lastStamp
      || lastUpdated < settings.changedAt || time - lastFull > Self.deltaHorizon
    let profile = profiles[request.user] ?? BrazeProfile()
    let cards =
      !settings.cardsEnabled
      ? []
      : isFull
        ? everything(for: request.person, profile, at: time)
        : changes(for: request.person, profile, since: lastUpdated)
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("message", "success")
    writer.key("cards")
    writer.raw(VendorReply.array(of: cards)[...])
    writer.member("full_sync", isFull)
    writer.member("last_full_sync_at", isFull ? time : lastFull)
    writer.member(
      "last_card_updated_at", max(lastUpdated > lastStamp ? 0 : lastUpdated, lastStamp))
    writer.endObject()
    return VendorAnswer(
      reply: VendorReply(201, json: writer.bytes),
      summary: "\(isFull ? "full" : "delta") sync of \(request.user): \(cards.count) cards")
  }

  /// Whether the user of the device has begun a session. A client with watermarks had one, perhaps
  /// before this server began.
  private func hasSession(_ request: BrazeRequest) -> Bool {
    devices[request.device]?.session != nil
      || request.body["last_full_sync_at"]?.integer ?? 0 > 0
  }

  private func everything(
    for user: User, _ profile: BrazeProfile, at time: Int64
  ) -> [[UInt8]] {
    cards.filter { card in
      card.isListed(for: user) && profile.cards[card.id]?.isDismissed != true
        && !card.isExpired(at: time)
    }.suffix(Self.limit).map { $0.listed(for: profile.cards[$0.id]) }
  }

  /// What changed after a stamp: cards whole, what is gone as a tombstone.
  private func changes(
    for user: User, _ profile: BrazeProfile, since stamp: Int64
  ) -> [[UInt8]] {
    var changes: [[UInt8]] = []
    for card in cards where card.isListed(for: user) {
      let state = profile.cards[card.id]
      guard max(card.stamp, state?.stamp ?? 0) > stamp else { continue }
      changes.append(
        state?.isDismissed == true ? Self.tombstone(card.id) : card.listed(for: state))
    }
    return changes + removed.filter { $0.stamp > stamp }.map { Self.tombstone($0.id) }
  }

  private static func tombstone(_ id: String) -> [UInt8] {
    JSON.object(["id": .string(id), "r": true]).encoded()
  }

  /// Takes a sync from a device's allowance; how many seconds until there is one, where not.
  private mutating func take(from device: String, at now: Date) -> Int? {
    guard let limit = settings.syncLimit else { return nil }
    let time = now.timeIntervalSince1970
    let old = devices[device]?.bucket ?? (Double(limit.capacity), time)
    let refilled = old.tokens + max(0, time - old.time) / limit.refillSeconds
    let tokens = min(Double(limit.capacity), refilled)
    devices[device, default: KnownBrazeDevice()].bucket = (
      max(0, tokens - (tokens >= 1 ? 1 : 0)), time
    )
    return tokens >= 1 ? nil : Int(((1 - tokens) * limit.refillSeconds).rounded(.up))
  }
}
