import EngagementAdapterAPI
import EngagementModel
import EngagementTesting

extension Breakage {
  static let campaigns: [Breakage] = [
    Breakage("campaigns.survive-a-kill", "finds nothing in events that a campaign asks for") {
      $0.occurred = { _ in [] }
    },
    Breakage("campaigns.told-once", "never confirms what it told") {
      $0.answer = { _, _, _, answer in
        Answer(
          answer.changes.filter { change in
            if case .campaignsReported = change { false } else { true }
          }, answer.verdict)
      }
    },
    Breakage("campaigns.counters", "tells the vendor of no presentation") {
      $0.context = { context in
        var context = context
        context.counters = CampaignCounters()
        return context
      }
    },
  ]
}
