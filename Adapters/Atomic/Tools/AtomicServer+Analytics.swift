import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Events that clients upload, over HTTP and over the socket.
extension AtomicServer {
  /// What an event says, once it was checked.
  private struct AnalyticsEvent {
    var id: String
    var effect: VendorEffect
  }

  /// Events about one card.
  private static let eventsOfCards: Set<String> = [
    "card-displayed", "card-voted-up", "card-voted-down", "user-redirected",
    "snooze-options-displayed", "snooze-options-canceled", "card-subview-displayed",
    "card-subview-exited", "video-played", "video-completed", "notification-received",
  ]

  /// Actions count by the request that did them, so the events of the same names count as these.
  private static let eventsOfActions = ["card-dismissed", "card-snoozed", "card-completed"]

  mutating func analytics(_ body: JSONObject, by user: String) -> VendorAnswer {
    guard let events = body["data"]?.array else { return failure(400, "The data is no list") }
    do throws(AnalyticsFault) {
      let (ids, effects) = try take(events, by: user)
      return done("\(ids.count) events, \(effects.count) new", effects: effects)
    } catch {
      return failure(400, error.message)
    }
  }

  /// Why events are refused, for a reader.
  struct AnalyticsFault: Error {
    var message: String
  }

  /// Takes all of these events or, when one is malformed, none. Returns the ids of all and the effects
  /// of those that were not taken before.
  mutating func take(
    _ events: [JSON], by user: String
  ) throws(AnalyticsFault) -> (ids: [String], effects: [VendorEffect]) {
    var taken: [AnalyticsEvent] = []
    for json in events { taken.append(try Self.event(json, by: user)) }
    var effects: [VendorEffect] = []
    for event in taken where users[user]?.eventIDs.insert(event.id).inserted == true {
      effects.append(event.effect)
      if event.effect.name == "card-displayed" { users[user]?.seen.insert(event.effect.subject) }
    }
    return (taken.map(\.id), effects)
  }

  private static func event(
    _ json: JSON, by user: String
  ) throws(AnalyticsFault) -> AnalyticsEvent {
    func fault(_ message: String) -> AnalyticsFault {
      AnalyticsFault(message: "An event \(message)")
    }
    guard let id = json["id"]?.string, !id.isEmpty else { throw fault("has no id") }
    guard let time = json["timestamp"]?.string.flatMap(ISO8601.date(from:)) else {
      throw fault("has no timestamp of ISO 8601")
    }
    guard json["endUserId"]?.string == user else { throw fault("is another user's") }
    for member in ["properties", "eventContext", "sdkContext", "cardContext", "streamContext"] {
      if let value = json[member], value.object == nil { throw fault("has a wrong \(member)") }
    }
    let card = json["cardContext"]?["cardInstanceId"]?.string ?? ""
    let name: String
    let subject: String
    if json["eventType"] == "custom" {
      guard let own = json["eventName"]?.string, !own.isEmpty else { throw fault("has no name") }
      (name, subject) = ("custom", own)
    } else {
      guard let known = json["analyticsEvent"]?.string, !known.isEmpty else {
        throw fault("has no analyticsEvent")
      }
      if card.isEmpty, eventsOfCards.contains(known) { throw fault("is about no card") }
      name = eventsOfActions.contains(known) ? "analytics:\(known)" : known
      subject = card
    }
    let milliseconds = (time.timeIntervalSince1970 * 1_000).rounded()
    return AnalyticsEvent(
      id: id,
      effect: VendorEffect(
        name, of: subject, by: user, id: id, time: Int64(exactly: milliseconds)))
  }
}
