import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a user does to a card.
extension AtomicServer {
  private static let names = [
    "POST dismiss": "card-dismissed", "POST snooze": "card-snoozed",
    "POST response": "card-completed",
  ]

  mutating func act(
    _ place: String, _ body: JSONObject, by user: String, at now: Date
  ) -> VendorAnswer {
    guard let container = body["streamContainerId"]?.string, hasContainer(container),
      let id = body["cardInstanceId"]?.string
    else { return failure(400, "There is no streamContainerId or no cardInstanceId") }
    guard
      let card = cards.first(where: { card in
        card.id.hasSameBytes(as: id) && card.isIn(container)
          && (card.owner == nil || card.owner?.id?.rawValue == user)
      })
    else { return failure(404, "The container has no such card") }
    let name = Self.names[place] ?? place
    var state = users[user]?.cards[id] ?? AtomicServerUser.CardState()
    switch AtomicCardStatus(of: card, for: state, at: now) {
    case .embargoed: return failure(404, "The container has no such card")
    case .closed(let end):
      // A client that got no answer asks again.
      guard name == "card-\(end)" else { return failure(409, "The card is \(end)") }
      return done("\(name) again")
    case .active, .snoozed: break
    }
    if place == "POST snooze" {
      guard let interval = body["interval"]?.string.flatMap(ISO8601.duration(from:)),
        interval >= .zero, interval.components.seconds < 3_155_760_000
      else { return failure(400, "The interval is no duration of ISO 8601 from zero") }
      let (seconds, attoseconds) = interval.components
      let end = now.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
      // A client that got no answer asks again, with what is left of the time in whole seconds.
      if let known = state.snoozedUntil,
        abs(known.timeIntervalSince(end)) <= 1 || max(known, end) <= now
      {
        return done("\(name) again")
      }
      state.snoozedUntil = end
    } else {
      if place == "POST response" {
        if let fault = Self.fault(in: body) { return failure(400, fault) }
        let values = body["values"]?.object ?? [:]
        if let fault = fault(inFilesOf: values, to: card, by: user) { return failure(400, fault) }
      }
      state.end = name == "card-dismissed" ? "dismissed" : "completed"
    }
    users[user]?.cards[id] = state
    revision += 1
    return done(name, effects: [VendorEffect(name, of: id, by: user)])
  }

  /// What is wrong with a response.
  private static func fault(in body: JSONObject) -> String? {
    guard let values = body["values"]?.object else { return "The values are no object" }
    if let name = body["buttonName"], name.string == nil { return "The buttonName is no text" }
    for member in values.members {
      let value = member.value
      // A group of check boxes says of each by its key whether it is checked.
      let isGroup = value.object?.members.allSatisfy { $0.value.bool != nil } ?? false
      let isPlain = value.string != nil || value.number != nil || value.bool != nil
      guard isPlain || isGroup || value == .null else {
        return "A value is neither a text, a number, a truth nor a group of truths"
      }
    }
    return nil
  }

  func done(_ summary: String, effects: [VendorEffect] = []) -> VendorAnswer {
    VendorAnswer(reply: VendorReply(json: ["ok": true]), effects: effects, summary: summary)
  }

  /// An event of the older kind, which starts a flow of cards at the vendor.
  mutating func event(_ body: JSONObject, by user: String) -> VendorAnswer {
    guard let data = body["data"], let name = data["name"]?.string, !name.isEmpty else {
      return failure(400, "The event has no name")
    }
    if let payload = data["payload"], payload.object == nil {
      return failure(400, "The payload is no object")
    }
    let lifecycle = data["lifecycleId"]?.string ?? numbers.uuid()
    let reply: JSON = [
      "batchId": .string(numbers.uuid()),
      "processedEvents": [
        ["name": .string(name), "lifecycleId": .string(lifecycle), "version": 1]
      ],
    ]
    return VendorAnswer(
      reply: VendorReply(json: reply), effects: [VendorEffect("event", of: name, by: user)],
      summary: "event \(name)")
  }
}
