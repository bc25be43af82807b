import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors

/// What devices report.
extension VibesServer {
  /// A batch of one type. What was heard before is taken and has no effect.
  mutating func events(_ call: VendorRequest, _ device: String) -> VendorAnswer {
    let events = Self.object(call)?["events"]?.array ?? []
    let types = Set(events.map { $0["type"]?.string ?? "" })
    guard types.count == 1, let type = types.first, !type.isEmpty else {
      return Self.failure(422, "A batch needs events, all of one type")
    }
    guard call.header("X-Event-Type") == type else {
      return Self.failure(422, "The header X-Event-Type is not the type of the events")
    }
    guard events.allSatisfy(Self.isSound) else {
      return Self.failure(422, "An event needs a uuid and a timestamp of ISO 8601")
    }
    let effects = events.compactMap { event -> VendorEffect? in
      let id = event["uuid"]?.string ?? ""
      guard eventIDs.insert(id).inserted else { return nil }
      var effect = effect(type, event["attributes"]?["message_uid"]?.string ?? id, device)
      effect.id = "\(id) \(event["timestamp"]?.string ?? "")"
      return effect
    }
    return VendorAnswer(
      reply: VendorReply(json: [:]), effects: effects,
      summary: "\(events.count) of \(type), \(effects.count) new, \(user(of: device))")
  }

  private static func isSound(_ event: JSON) -> Bool {
    event["uuid"]?.string?.isEmpty == false
      && event["timestamp"]?.string.flatMap { ISO8601.date(from: $0) } != nil
  }

  mutating func migration(_ call: VendorRequest, _ device: String) -> VendorAnswer {
    let body = Self.object(call)
    guard let item = body?["migration_item_id"]?.string, !item.isEmpty,
      body?["vibes_device_id"]?.string == device
    else { return Self.failure(422, "There is no migration_item_id for this device") }
    return VendorAnswer(
      reply: VendorReply(204), effects: [effect("migrate", item, device)],
      summary: "migrated \(device)")
  }

  /// Shop tracking, which needs no registered device.
  func track(_ call: VendorRequest) -> VendorAnswer {
    // The vendor's iOS client leaves an ampersand in a value unescaped, which ends the member `d`.
    let texts = [call.query("d"), call.query(only: "d")]
    let lists = texts.lazy.compactMap { text in
      text.flatMap { (try? JSON(parsing: Array($0.utf8)))?.array }
    }
    guard let list = lists.first, !list.isEmpty else {
      return Self.failure(400, "There is no list in d")
    }
    let effects = list.map { item in
      VendorEffect(
        "track.\(item["action"]?.string ?? "")", of: item["data"]?["id"]?.string ?? "",
        by: item["personId"]?.string ?? "")
    }
    return VendorAnswer(
      reply: VendorReply(204), effects: effects, summary: "\(effects.count) tracked")
  }
}
