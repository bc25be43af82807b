import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// `POST /a1`.
extension CleverTapServer {
  mutating func events(
    _ batch: CleverTapServerBatch, _ call: VendorRequest, at now: Date
  ) throws(CleverTapRefusal) -> VendorAnswer {
    let isViews = try isOfViews(batch, call)
    var effects: [VendorEffect] = []
    if !isViews { effects += takeCampaigns(of: batch) }
    for item in batch.items { effects += take(item, from: batch, isViews: isViews) }
    var answer = CleverTapAnswer(call)
    // The clients do not read what answers the views.
    if !isViews { compose(&answer, to: batch, at: now) }
    var reply = answer.reply
    if let domain = settings.domain {
      reply.headers.append(("X-WZRK-RD", domain))
      reply.headers.append(("X-WZRK-SPIKY-RD", settings.viewedDomain ?? domain))
    }
    reply.headers += settings.muteHeaders
    let summary = "\(batch.items.count) items, \(effects.count) effects of \(user(of: batch))"
    return VendorAnswer(
      reply: reply, effects: effects, summary: isViews ? "views: \(summary)" : summary)
  }

  /// Whether the batch came to the domain of viewed events, where that is another one.
  private func isOfViews(
    _ batch: CleverTapServerBatch, _ call: VendorRequest
  ) throws(CleverTapRefusal) -> Bool {
    guard let domain = settings.viewedDomain, domain != settings.domain,
      call.header("Host") == domain
    else { return false }
    guard batch.items.allSatisfy({ $0["evtName"] == "Notification Viewed" }) else {
      throw CleverTapRefusal(400, "The domain of viewed events takes no others")
    }
    return true
  }

  private mutating func take(
    _ item: JSONObject, from batch: CleverTapServerBatch, isViews: Bool
  ) -> [VendorEffect] {
    let user = user(of: batch)
    func effect(_ name: String, of subject: String = "", id: String? = nil) -> VendorEffect {
      VendorEffect(name, of: subject, by: user, id: id, time: item["ep"]?.integer)
    }
    switch item["type"]?.string {
    case "profile":
      return take(profile: item["profile"]?.object ?? [:], item, from: batch)
    case "data": return [take(token: item["data"]?.object ?? [:], by: user)]
    case "event":
      let (name, data) = (item["evtName"]?.string ?? "", item["evtData"]?.object ?? [:])
      guard !settings.discardedEvents.contains(name) else { return [] }
      if let fault = fault(inEvent: name, data, item, batch, isViews) {
        return [effect("fault", of: fault)]
      }
      note(name, data, by: user)
      let isSystem = CleverTapItem.systemEvents.contains(name)
      return [
        effect(
          isSystem ? name : "event", of: isSystem ? Self.subject(of: name, data) : name,
          id: data["wzrk_c2a"]?.string)
      ]
    case "page": return [effect("page", of: item["n"]?.string ?? "")]
    default: return [effect(item["type"]?.string ?? "")]
    }
  }

  /// What an event of the vendor's own is about: a message, a campaign, or what is fetched.
  private static func subject(of name: String, _ data: JSONObject) -> String {
    if name == "wzrk_fetch" { return CleverTapCampaign.id(data["t"]) ?? "" }
    return data["wzrk_mid"]?.string ?? data["wzrk_id"]?.string ?? ""
  }

  private func fault(
    inEvent name: String, _ data: JSONObject, _ item: JSONObject, _ batch: CleverTapServerBatch,
    _ isViews: Bool
  ) -> String? {
    if let optOut = profiles[user(of: batch)]?.optOut, item["ep"]?.integer ?? 0 > optOut.time,
      !(optOut.allowsSystemEvents && CleverTapItem.systemEvents.contains(name))
    {
      return "an event after the opt-out"
    }
    // Both clients send the views of pushes, and no others, to the domain of viewed events.
    if name == "Notification Viewed", settings.viewedDomain != nil {
      let isPush = data["wzrk_pn"] != nil || data["wzrk_pid"] != nil
      if isPush != isViews { return "a view at the wrong domain" }
    }
    guard !CleverTapItem.campaignEvents.contains(name), name != "App Launched" else { return nil }
    return CleverTapServerLimits(isAndroid: batch.isAndroid).fault(inEvent: name, data)
  }

  /// A view that names a message of the newer inbox reads it.
  private mutating func note(_ name: String, _ data: JSONObject, by user: String) {
    guard name == "Notification Viewed", let id = data["wzrk_mid"]?.string else { return }
    profiles[user]?.readMessages.insert(id)
  }

  /// What the meta object says of campaigns.
  private func takeCampaigns(of batch: CleverTapServerBatch) -> [VendorEffect] {
    let user = user(of: batch)
    let evaluated = (batch.meta["inapps_eval"]?.array ?? []).compactMap(CleverTapCampaign.id)
    let suppressed = batch.meta["inapps_suppressed"]?.array ?? []
    return evaluated.map { id in
      let isKnown = campaigns.contains { $0.id == id } || stale.contains { $0.id == id }
      return isKnown
        ? VendorEffect("inapps_eval", of: id, by: user)
        : VendorEffect("fault", of: "an evaluated campaign that was never announced", by: user)
    }
      + suppressed.map {
        VendorEffect("inapps_suppressed", of: $0["wzrk_id"]?.string ?? "", by: user)
      }
  }
}
