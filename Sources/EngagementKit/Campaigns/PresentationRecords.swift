import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementStore

/// Makes the intents that record what became of a queued campaign: an event for the ledger, and an
/// outbox row if the vendor takes the event.
struct PresentationRecords: Sendable {
  private let dependencies: KitDependencies
  private let sessions: Sessions

  init(_ dependencies: KitDependencies, _ sessions: Sessions) {
    self.dependencies = dependencies
    self.sessions = sessions
  }

  /// It is visible. The vendor is not told of what the application asked for itself: a preview, or a
  /// function that an action called.
  func presented(_ row: QueuedCampaign) -> Store.CampaignIntentMaker {
    maker(.templatePresented, row, ["template": .string(row.campaign.template)], !row.isFirst)
  }

  /// It is gone.
  func dismissed(_ row: QueuedCampaign) -> Store.CampaignIntentMaker {
    maker(.templateDismissed, row, ["template": .string(row.campaign.template)], false)
  }

  /// The user chose an action. The vendor knows it by the name of the argument, or of the function.
  func clicked(_ row: QueuedCampaign, button: String) -> Store.CampaignIntentMaker {
    maker(.click, row, ["button": .string(button)], !row.isFirst)
  }

  /// It ended without being presented.
  func dropped(_ row: QueuedCampaign, reason: String) -> Store.CampaignIntentMaker {
    let properties: JSONObject = [
      "template": .string(row.campaign.template), "reason": .string(reason),
    ]
    return maker(.campaignDropped, row, properties, false)
  }

  /// It is due, and waits.
  func held(_ row: QueuedCampaign, _ hold: CapRules.Hold) -> Store.CampaignIntentMaker {
    var properties: JSONObject = [
      "template": .string(row.campaign.template), "reason": .string(hold.reason.rawValue),
    ]
    properties["until"] = hold.until.flatMap { ISO8601.text(of: $0) }.map(JSON.string)
    return maker(.itemHeld, row, properties, false)
  }

  /// An action of it did nothing.
  func refused(
    _ row: QueuedCampaign, action: String, reason: String
  ) -> Store.CampaignIntentMaker {
    maker(.actionRefused, row, ["action": .string(action), "reason": .string(reason)], false)
  }

  private func maker(
    _ kind: EngagementEvent.Kind, _ row: QueuedCampaign, _ properties: JSONObject, _ isTold: Bool
  ) -> Store.CampaignIntentMaker {
    let session = sessions.session(for: row.provider)?.id
    var event = dependencies.event(kind, at: row.provider, in: session, properties)
    event.item = ItemReference(row.campaign)
    let provider = dependencies.providers.first { $0.id == row.provider }
    let key = dependencies.key()
    let isTaken = isTold && provider?.takes(kind) == true
    return { [event] consent in
      let rule = ConsentPolicy(consent: consent)
      guard rule.allows(kind) else { return [] }
      let delivery = Intent.Delivery(
        to: row.provider, .event(event), key: key,
        isAnalytics: !ConsentPolicy(consent: .essential).allows(kind))
      return [Intent(event: event, deliveries: isTaken ? [delivery] : [])]
    }
  }
}
