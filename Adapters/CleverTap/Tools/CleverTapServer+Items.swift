import EngagementAdapterAPI
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// What a marketer does: campaigns, messages, files and pushes.
extension CleverTapServer {
  /// Campaigns have their `delivery` besides the vendor's members. Messages are the items with an
  /// `_id`, files those with a `file`.
  var items: [JSON] {
    campaigns.map(Self.item) + messages.map { .object($0.members) } + files.map(\.json)
  }

  private static func item(_ campaign: CleverTapCampaign) -> JSON {
    var item = campaign.members
    item["delivery"] = .string(campaign.delivery.rawValue)
    return .object(item)
  }

  mutating func put(_ item: JSON, at now: Date) throws(EngagementError) -> JSON {
    guard let given = item.object else {
      throw EngagementError(.invalidArgument, "A campaign, a message and a file are objects")
    }
    if given["file"] != nil { return try put(file: item) }
    let isMessage = given["_id"] != nil || given["msg"] != nil
    return isMessage ? try put(message: given, at: now) : try put(campaign: given, at: now)
  }

  private mutating func put(
    message given: JSONObject, at now: Date
  ) throws(EngagementError) -> JSON {
    if let id = given["_id"], id.string?.isEmpty != false {
      throw EngagementError(.invalidArgument, "The field _id of a message is no text, or empty")
    }
    let place = messages.firstIndex { $0.id == given["_id"]?.string }
    let time = Self.seconds(now)
    var members =
      place.map { messages[$0].members }
      ?? CleverTapSeed.envelope(
        given["_id"]?.string ?? "\(CleverTapSeed.target(&numbers))_\(time)", at: time)
    for member in given.members { members[member.key] = member.value }
    let message = CleverTapMessage(members: members, stamp: stamp())
    if let place { messages[place] = message } else { messages.append(message) }
    return .object(members)
  }

  private mutating func put(
    campaign given: JSONObject, at now: Date
  ) throws(EngagementError) -> JSON {
    if let id = given["ti"], CleverTapCampaign.id(id)?.isEmpty != false {
      throw EngagementError(.invalidArgument, "The field ti of a campaign is no number")
    }
    let delivery = try Self.delivery(given["delivery"])
    let id = CleverTapCampaign.id(given["ti"])
    let place = campaigns.firstIndex { $0.id == id }
    let time = Self.seconds(now)
    var members =
      place.map { campaigns[$0].members }
      ?? CleverTapSeed.frame(given["ti"] ?? .integer(CleverTapSeed.target(&numbers)), at: time)
    for member in given.members where member.key != "delivery" {
      members[member.key] = member.value
    }
    let campaign = CleverTapCampaign(
      members: members, delivery: delivery ?? place.map { campaigns[$0].delivery } ?? .clientSide,
      stamp: stamp())
    if let place { campaigns[place] = campaign } else { campaigns.append(campaign) }
    stale.removeAll { $0.id == campaign.id }
    return Self.item(campaign)
  }

  private static func delivery(
    _ json: JSON?
  ) throws(EngagementError) -> CleverTapCampaign.Delivery? {
    guard let json else { return nil }
    let names = CleverTapCampaign.Delivery.allCases.map(\.rawValue)
    guard let name = json.string, let delivery = CleverTapCampaign.Delivery(rawValue: name) else {
      throw EngagementError(
        .invalidArgument, "The delivery of a campaign is none of \(names.joined(separator: ", "))")
    }
    return delivery
  }

  mutating func remove(_ id: String, at now: Date) -> Bool {
    let count = (campaigns.count, messages.count, files.count)
    campaigns.removeAll { $0.id == id }
    if campaigns.count < count.0 { stale.append((id, stamp())) }
    messages.removeAll { $0.id == id }
    files.removeAll { $0.name == id }
    return (campaigns.count, messages.count, files.count) != count
  }

  // MARK: What the laws need

  mutating func put(_ items: [[UInt8]], in feed: Feed, for user: User, at now: Date) {
    for bytes in items {
      let members = (try? JSON(parsing: bytes))?.object ?? [:]
      if feed.surface == .campaigns {
        campaigns.append(
          CleverTapCampaign(
            members: members,
            delivery: feed == .announcedCampaigns ? .serverSide : .clientSide, stamp: stamp(),
            owner: user, bytes: bytes))
      } else {
        messages.append(
          CleverTapMessage(members: members, stamp: stamp(), owner: user, bytes: bytes))
      }
    }
  }

  mutating func clear(_ feed: Feed, of user: User, at now: Date) {
    guard feed.surface == .campaigns else { return messages.removeAll { $0.owner == user } }
    for campaign in campaigns where campaign.owner == user {
      stale.append((campaign.id, stamp()))
    }
    campaigns.removeAll { $0.owner == user }
  }

  // MARK: Pushes

  mutating func push(_ message: JSON, at now: Date) throws(EngagementError) -> JSON {
    let fields = try SettingFields(
      message,
      allowed: [
        "title", "body", "url", "image", "item", "silent", "raiseViewed", "platform", "extras",
      ])
    let target = CleverTapSeed.target(&numbers)
    let draft = CleverTapPushDraft(
      target: target, pushID: numbers.hex(16), time: Self.seconds(now),
      account: settings.account, title: try fields.text("title") ?? "Harbour Coffee",
      body: try fields.text("body") ?? "Your table by the window is free.",
      isSilent: try fields.bool("silent") ?? false,
      raisesViewed: try fields.bool("raiseViewed") ?? false, url: try fields.text("url"),
      image: try fields.text("image"), preview: try preview(of: try fields.text("item")),
      extras: fields.object["extras"]?.object ?? [:])
    switch try fields.text("platform") ?? "apns" {
    case "apns": return .object(draft.apns)
    case "fcm": return .object(draft.fcm)
    case let platform:
      throw EngagementError(
        .invalidArgument,
        "There is no push platform \"\(platform)\"\(NearestName.hint(for: platform, among: ["apns", "fcm"]))"
      )
    }
  }

  /// The campaign or the message that travels with a push as a text, to try it on one device.
  private func preview(
    of id: String?
  ) throws(EngagementError) -> (key: String, text: String)? {
    guard let id else { return nil }
    if let message = messages.first(where: { $0.id == id }) {
      return ("wzrk_inbox", String(decoding: JSON.object(message.members).encoded(), as: UTF8.self))
    }
    guard let campaign = campaigns.first(where: { $0.id == id }) else {
      throw EngagementError(.notFound, "There is no campaign and no message of that id")
    }
    return ("wzrk_inapp", String(decoding: campaign.whole, as: UTF8.self))
  }
}
