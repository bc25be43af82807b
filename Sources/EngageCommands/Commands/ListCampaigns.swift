import EngagementKit
import EngagementModel

extension Command {
  static let listCampaigns = Command(
    name: ["templates", "campaigns"], summary: "list the campaigns and their states",
    discussion: """
      Only the signed-in user's. A campaign waits for the event that is named, is due, is due and held
      back by a cap or a quiet time, with the reason and until when, was presented, or was due and not
      drawn, with the reason. One that the vendor itself decides on is listed after it was due.
      """,
    examples: [
      Example("engage templates campaigns", "each campaign with its template and its state"),
      Example("engage templates campaigns --json", "one object for each campaign"),
    ],
    run: { invocation in
      let configuration = try invocation.configuration()
      let console = invocation.console
      var entries: [CampaignOverview.Entry] = []
      if CacheFile(configuration.cache).wasMade {
        let records = try await invocation.reading(configuration) { engagement in
          try await engagement.exportData(of: engagement.user)
        }
        entries = CampaignOverview(records, at: invocation.context.clock.now).entries
      }
      guard !entries.isEmpty else {
        console.note("There are no campaigns yet; run \"engage sync\".")
        return .done
      }
      var table = Table([
        .init("CAMPAIGN"), .init("TEMPLATE"), .init("STATE", isFlexible: true),
        .init("DRAWN", .trailing),
      ])
      for entry in entries {
        table.add(entry.row)
        try console.object(entry.object)
      }
      try console.table(table)
      return .done
    })
}
