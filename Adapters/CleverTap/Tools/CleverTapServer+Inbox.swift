import EngagementModel
import EngagementPlatform
import EngagementVendors

/// `POST /inbox/v2/getMessages` and `POST /inbox/v2/deleteMessages`.
extension CleverTapServer {
  mutating func inboxMessages(
    _ batch: CleverTapServerBatch, _ call: VendorRequest, _ now: Date
  ) throws(CleverTapRefusal) -> VendorAnswer {
    try requireInbox()
    // The iOS client leaves the time and the session out here.
    guard batch.items[0]["type"] == "event", batch.items[0]["evtName"] == "wzrk_fetch",
      batch.items[0]["evtData"] == ["t": 7]
    else { throw CleverTapRefusal(400, "The second element is not a wzrk_fetch of t 7") }
    devices[batch.guid]?.toldMessages = lastStamp
    let profile = profiles[user(of: batch)] ?? CleverTapServerProfile()
    let listed = messages.filter { $0.isVisible(to: profile, at: Self.seconds(now)) }
    var answer = CleverTapAnswer(call)
    answer.add(
      "inbox_notifs_v2", listing: listed.map { $0.listed(for: profile, withReadState: true) })
    return VendorAnswer(
      reply: answer.reply, summary: "inbox of \(user(of: batch)): \(listed.count) messages")
  }

  mutating func deleteMessages(
    _ batch: CleverTapServerBatch
  ) throws(CleverTapRefusal) -> VendorAnswer {
    try requireInbox()
    let deleted = batch.items[0]["messages"]?.array ?? []
    guard batch.items[0]["type"] == "deleteMessages", !deleted.isEmpty else {
      throw CleverTapRefusal(400, "The second element does not delete messages")
    }
    let ids = deleted.compactMap { message -> String? in
      let (id, campaign) = (message["wzrk_mid"]?.string, message["wzrk_id"]?.string)
      // The Android client leaves out a wzrk_pivot that the message does not have.
      guard let id, !id.isEmpty, campaign?.isEmpty == false else { return nil }
      return id
    }
    guard ids.count == deleted.count else {
      throw CleverTapRefusal(400, "A message lacks its wzrk_mid or its wzrk_id")
    }
    let user = user(of: batch)
    // Deleting again has no effect.
    let known = profiles[user]?.deletedMessages ?? []
    profiles[user]?.deletedMessages.formUnion(ids)
    return VendorAnswer(
      reply: VendorReply(json: [:]),
      effects: ids.filter { !known.contains($0) }.map {
        VendorEffect("deleteMessages", of: $0, by: user)
      },
      summary: "\(ids.count) messages deleted by \(user)")
  }

  private func requireInbox() throws(CleverTapRefusal) {
    guard settings.hasInboxV2 else {
      throw CleverTapRefusal(403, "The account has no newer inbox", code: 10_006)
    }
  }
}
