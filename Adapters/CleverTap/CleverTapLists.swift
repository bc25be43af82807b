import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

/// The campaigns in an answer to a batch: what is due, what the device evaluates and presents, and what
/// it evaluates only to tell the vendor.
///
/// Lists of an answer come before its delivery mode, as in the vendor's Android client: a mode empties
/// only the list that the answer does not have. An answer without a mode leaves the lists alone. The
/// iOS client empties them then, and drops the campaigns with the first answer that names no mode.
enum CleverTapLists {
  private typealias List = CleverTapReply.List

  /// The vendor's clients let a user see this many campaigns if an answer does not say how many.
  static let defaultCap = 10

  static func changes(of reply: CleverTapReply) -> [Change] {
    stale(reply) + evaluated(reply) + announced(reply) + due(reply) + caps(of: reply)
  }

  /// The vendor's clients apply their default to each answer that says anything.
  private static func caps(of reply: CleverTapReply) -> [Change] {
    guard !reply.isEmpty else { return [] }
    let caps = CampaignCaps(
      perSession: reply.perSession ?? defaultCap, perDay: reply.perDay ?? defaultCap)
    return [.settings(VendorSettings(campaignCaps: caps))]
  }

  private static func stale(_ reply: CleverTapReply) -> [Change] {
    guard !reply.staleCampaigns.isEmpty else { return [] }
    return [.campaigns, .announcedCampaigns, .dueCampaigns].map { (feed: Feed) in
      .removed(feed, ids: reply.staleCampaigns)
    }
  }

  private static func evaluated(_ reply: CleverTapReply) -> [Change] {
    let items = reply.lists[List.campaigns]
    guard items != nil || ["SS", "NO_MODE"].contains(reply.deliveryMode) else { return [] }
    return [.items(.campaigns, .replace(.nothing), items ?? [])]
  }

  private static func announced(_ reply: CleverTapReply) -> [Change] {
    let items = reply.lists[List.announced]
    guard items != nil || ["CS", "NO_MODE"].contains(reply.deliveryMode) else { return [] }
    return [.items(.announcedCampaigns, .replace(.nothing), items ?? [])]
  }

  private static func due(_ reply: CleverTapReply) -> [Change] {
    let items = (reply.lists[List.due] ?? []) + (reply.lists[List.dueAtLaunch] ?? [])
    return items.isEmpty ? [] : [.items(.dueCampaigns, .put, items)]
  }
}
