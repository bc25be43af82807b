import EngagementKit
import EngagementModel

/// Says which campaigns were due and not drawn, and which actions did nothing: what the ledger has
/// recorded of them since the command began.
final class CampaignNotes: Sendable {
  private let reader: EngagementReader
  private let console: Console
  /// The last event that was read.
  private let sequence: Locked<Int64>

  private static let page = 1_000

  init(_ reader: EngagementReader, on console: Console) throws(EngagementError) {
    self.reader = reader
    self.console = console
    sequence = Locked(try reader.newestSequence)
  }

  /// Prints a line for each event that was recorded since the last call. Returns how many there were.
  @discardableResult func tell() -> Int {
    var count = 0
    while true {
      // Another command may have erased the user: what this one did stands nevertheless.
      guard
        let events = try? reader.events(after: sequence.withLock(\.self), limit: Self.page)
      else { return count }
      for phrase in events.compactMap(Self.phrase) {
        console.note(phrase)
        count += 1
      }
      if let last = events.last { sequence.withLock { $0 = last.sequence } }
      if events.count < Self.page { return count }
    }
  }

  /// What is said of an event; nil for one that is about no campaign that was due.
  private static func phrase(of event: EngagementEvent) -> Phrase? {
    let told: Set<EngagementEvent.Kind> = [.campaignDropped, .actionRefused, .itemHeld]
    guard told.contains(event.kind), event.kind != .itemHeld || event.item?.surface == .campaigns
    else { return nil }
    guard let campaign = event.item?.id else {
      return "Campaigns were not drawn: they were damaged in the cache. Run \"engage doctor\"."
    }
    func property(_ name: String) -> String { event.properties[name]?.string ?? "" }
    if event.kind == .actionRefused {
      return "The action \(property("action")) of campaign \(campaign) did nothing: "
        + refusal(property("reason"), campaign.provider)
    }
    if event.kind == .itemHeld {
      let end = property("until")
      return "Campaign \(campaign) waits\(end.isEmpty ? "" : " until \(end)"): "
        + why(property("reason"), property("template"), campaign.provider)
    }
    return "Campaign \(campaign) was not drawn: "
      + why(property("reason"), property("template"), campaign.provider)
  }

  /// The cause and the next step, by the reason that the library records.
  private static func why(
    _ reason: String, _ template: String, _ provider: ProviderID
  ) -> Phrase {
    switch reason {
    case "undefined":
      """
      no template "\(template)" is defined. Define it in the file that "templates" of \
      providers.\(provider) names.
      """
    case "file":
      """
      a file of it could not be had. Check its address, its host against "fileHosts" of \
      providers.\(provider), and the network.
      """
    case "capped":
      """
      the vendor's caps or the campaign's own limits allow no more now. It can be due again in \
      another session or on another day.
      """
    case "perDay", "perSession", "contentPerDay", "contentEver":
      "\(reason) of \"caps\" in engage.json allows no more now."
    case "quietTime": "it is one of the quiet times of \"caps\" in engage.json."
    case "expired": "its time was over. Sync more often, or give it more time in the dashboard."
    case "suppressed":
      "the vendor shows it to others and not to this user, and is told so. Nothing is to be done."
    case "removed": "the vendor has withdrawn it. Nothing is to be done."
    case "discarded", "wiped": "it was dropped with its user or its preview. Nothing is to be done."
    case "presenter": "it could not be printed. Check where the output goes."
    case let other:
      "the library says \"\(other)\". See \"engage events --kind campaign.dropped\"."
    }
  }

  private static func refusal(_ reason: String, _ provider: ProviderID) -> Phrase {
    switch reason {
    case "link":
      "its link is not https. Change it in the dashboard; an application can allow its own scheme."
    case "undefined":
      """
      its function is not defined. Define it in the file that "templates" of \
      providers.\(provider) names.
      """
    case let other:
      "the library says \"\(other)\". See \"engage events --kind action.refused\"."
    }
  }
}

extension Invocation {
  /// Begins to listen to what becomes of campaigns. The cache must be open.
  func campaignNotes(
    _ configuration: EngageConfiguration
  ) throws(EngagementError) -> CampaignNotes {
    try CampaignNotes(try reader(of: configuration), on: console)
  }
}
