import EngagementJSON
import EngagementKit
import EngagementModel

/// Prints what the events of each provider come to.
struct EventTotalsTable {
  let console: Console

  func print(_ totals: [Engagement.EventTotals]) throws(OutputError) {
    for total in totals { try console.object(members(of: total)) }
    guard !console.isJSON else { return }
    guard !totals.isEmpty else { return console.note("No event is recorded yet.") }
    try console.table(kinds(of: totals))
    guard totals.contains(where: { $0.provider != nil }) else { return }
    try console.line("")
    try console.table(people(of: totals))
    for total in totals where total.seen == 0 && total.provider != nil {
      guard total.kinds.contains(where: { [.open, .read].contains($0.kind) }) else { continue }
      console.note(
        """
        \(name(of: total)): messages were read or opened, as the kinds above say. SEEN counts impressions, \
        and CLICKED clicks; an inbox has neither.
        """)
    }
  }

  private func members(of total: Engagement.EventTotals) -> JSONObject {
    var members: JSONObject = [:]
    members["provider"] = total.provider.map { .string($0.rawValue) }
    members["delivered"] = .integer(Int64(total.delivered))
    members["seen"] = .integer(Int64(total.seen))
    members["clicked"] = .integer(Int64(total.clicked))
    members["kinds"] = .array(
      total.kinds.map { kind in
        [
          "kind": .string(kind.kind.rawValue), "events": .integer(Int64(kind.events)),
          "people": .integer(Int64(kind.people)),
        ]
      })
    return members
  }

  private func kinds(of totals: [Engagement.EventTotals]) -> Table {
    var table = Table([
      .init("PROVIDER"), .init("KIND", isFlexible: true), .init("EVENTS", .trailing),
      .init("PEOPLE", .trailing),
    ])
    for total in totals {
      for kind in total.kinds {
        table.add([
          name(of: total), Phrase(kind.kind.rawValue), Phrase(String(kind.events)),
          Phrase(String(kind.people)),
        ])
      }
    }
    return table
  }

  /// The people, and how far they went.
  private func people(of totals: [Engagement.EventTotals]) -> Table {
    var table = Table([
      .init("PEOPLE"), .init("DELIVERED", .trailing), .init("AND SEEN", .trailing),
      .init("AND CLICKED", .trailing),
    ])
    // What belongs to no provider was delivered by none.
    for total in totals where total.provider != nil {
      let steps = [total.delivered, total.seen, total.clicked]
      table.add([name(of: total)] + steps.map { Phrase(String($0)) })
    }
    return table
  }

  private func name(of total: Engagement.EventTotals) -> Phrase {
    Phrase(total.provider?.rawValue ?? "(none)")
  }
}
