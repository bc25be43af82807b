import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What users did.
extension BrazeServer {
  /// An event's effects: one for each card that it names, one for any other event.
  mutating func take(
    event: JSON, from request: BrazeRequest, at now: Date
  ) -> [VendorEffect] {
    guard let code = event["name"]?.string else { return [] }
    let user = name(event["user_id"], request)
    let data = event["data"] ?? [:]
    guard !isBlacklisted(code, data) else { return [] }
    let session = event["session_id"]?.string ?? ""
    guard !settings.requiresSession || !session.isEmpty else { return [] }
    if code == "ss" { devices[request.device]?.session = session }
    if code == "se", devices[request.device]?.session == session {
      devices[request.device]?.session = nil
    }
    if ["cci", "ccic", "ccc", "ccd"].contains(code) {
      let ids = data["ids"]?.array?.compactMap(\.string) ?? []
      return ids.map { id in
        take(code, card: id, by: user, at: now)
        return Self.effect(code, of: id, by: user, event)
      }
    }
    change(user, code, data)
    return [Self.effect(code, of: Self.subject(of: code, data, event), by: user, event)]
  }

  /// An event has no id of its own: the same one comes with the same session at the same time.
  private static func effect(
    _ code: String, of subject: String, by user: String, _ event: JSON
  ) -> VendorEffect {
    VendorEffect(
      code, of: subject, by: user, id: event["session_id"]?.string,
      time: event["time"]?.number.flatMap { Int64(exactly: ($0 * 1_000).rounded()) })
  }

  private func isBlacklisted(_ code: String, _ data: JSON) -> Bool {
    switch code {
    case "ce": data["n"]?.string.map(settings.eventsBlacklist.contains) ?? false
    case "p": data["pid"]?.string.map(settings.purchasesBlacklist.contains) ?? false
    default: false
    }
  }

  /// What an event is about, in the member that its kind has for it. An alias is not given away.
  private static func subject(of code: String, _ data: JSON, _ event: JSON) -> String {
    switch code {
    case "ss", "se": return event["session_id"]?.string ?? ""
    case "uae": return data["l"]?.string ?? ""
    case "si", "sc", "sbc", "iec", "ci", "cc":
      let ids = data["trigger_ids"]?.array ?? data["ids"]?.array
      return ids?.compactMap(\.string).joined(separator: ",") ?? ""
    default:
      for key in ["n", "pid", "key", "group_id", "cid", "fid"] {
        if let subject = data[key]?.string { return subject }
      }
      return ""
    }
  }

  private mutating func take(_ code: String, card id: String, by user: String, at now: Date) {
    guard let card = cards.first(where: { $0.id == id }) else { return }
    var profile = profiles[user] ?? BrazeProfile()
    var state = profile.cards[id] ?? BrazeProfile.CardState()
    let old = (state.isViewed, state.isClicked, state.isDismissed)
    state.isViewed = state.isViewed || code != "ccd"
    state.isClicked = state.isClicked || code == "ccc"
    state.isDismissed = state.isDismissed || code == "ccd" && card.isDismissible
    if old != (state.isViewed, state.isClicked, state.isDismissed) { state.stamp = stamp(now) }
    profile.cards[id] = state
    profiles[user] = profile
  }

  /// Events that change a custom attribute.
  private mutating func change(_ user: String, _ code: String, _ data: JSON) {
    guard ["inc", "add", "rem", "set", "lcaa", "lcar"].contains(code),
      let key = data["key"]?.string
    else { return }
    var profile = profiles[user] ?? BrazeProfile()
    let value = data["value"] ?? .null
    let old = profile.custom[key]
    let elements = old?.array ?? []
    switch code {
    case "inc": profile.custom[key] = Self.sum(old, value)
    case "add": profile.custom[key] = .array(elements.filter { $0 != value } + [value])
    case "rem": profile.custom[key] = .array(elements.filter { $0 != value })
    case "set": profile.custom[key] = value
    case "lcar": profile.custom[key] = nil
    default: profile.custom[key] = data
    }
    profiles[user] = profile
  }

  private static func sum(_ old: JSON?, _ value: JSON) -> JSON {
    if case .integer(let left) = old ?? 0, case .integer(let right) = value {
      let (sum, isTooMuch) = left.addingReportingOverflow(right)
      if !isTooMuch { return .integer(sum) }
    }
    return .number((old?.number ?? 0) + (value.number ?? 0))
  }
}
