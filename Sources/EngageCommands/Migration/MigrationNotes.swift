import EngagementKit
import EngagementModel

/// What is told beside the stages of a migration: which routes do not follow it, and what the old provider
/// still has once a surface is removed from it.
struct MigrationNotes: Sendable {
  private let rows: [RouteRow]
  private let capabilities: Engagement.CapabilityReport

  init(of engagement: Engagement) {
    rows = RouteRow.all(of: engagement, configured: nil)
    capabilities = engagement.capabilities
  }

  // MARK: Plans

  /// Tells which routes a plan leaves with the old provider.
  ///
  /// - Parameter isChosen: Whether a person has chosen the surfaces.
  func tell(of plan: Engagement.MigrationPlan, isChosen: Bool, on console: Console) {
    if plan.moves.contains(where: { $0.surface == .cards }) {
      for note in containers(at: plan.from) { console.note(Phrase(note)) }
    }
    if !isChosen, let note = unplanned(by: plan) { console.note(Phrase(note)) }
  }

  /// Said where a plan of all that can move leaves a person's routes out.
  private func unplanned(by plan: Engagement.MigrationPlan) -> String? {
    let open = rows.filter { row in
      ["person", "events"].contains(row.surface) && leads(row, to: plan.from)
        && serves(row, plan.to)
        && !plan.moves.contains { $0.surface.rawValue.hasSameBytes(as: row.surface) }
    }.map(\.surface)
    guard !open.isEmpty else { return nil }
    let all = (plan.moves.map(\.surface.rawValue) + open).joined(separator: ",")
    let (verb, isIn, object) =
      open.count == 1 ? ("leads", "is", "it") : ("lead", "are", "them")
    return "\(Self.list(open)) \(verb) to \(plan.from) and \(isIn) not in this plan: name "
      + "\(object), as in --surfaces \(all)."
  }

  // MARK: Surfaces

  /// Tells what does not follow each of the surfaces, and what the old provider still has.
  func tell(of statuses: [Engagement.MigrationStatus], on console: Console) {
    var told: [String] = []
    for note in statuses.flatMap(notes) where !told.contains(note) {
      told.append(note)
      console.note(Phrase(note))
    }
  }

  private func notes(of status: Engagement.MigrationStatus) -> [String] {
    let from = status.plan.from
    guard status.stage == .removed else {
      return status.surface == .cards ? containers(at: from) : []
    }
    return [status.remainder, remaining(at: from)].compactMap(\.self)
  }

  /// Which containers keep a route of their own.
  private func containers(at provider: ProviderID) -> [String] {
    rows.filter { leads($0, to: provider) }.compactMap(\.container).map { container in
      "The container \(container) has a route of its own to \(provider) and does not move with cards; "
        + "set or reset it: \"engage routes set cards ROUTE --container \(container)\"."
    }
  }

  /// Said once a surface is removed from a provider to which others still lead.
  private func remaining(at provider: ProviderID) -> String? {
    let places = rows.filter { leads($0, to: provider) }.map { row in
      row.container.map { "the container \($0)" } ?? row.surface
    }
    guard !places.isEmpty else { return nil }
    let (verb, object) = places.count == 1 ? ("leads", "it") : ("lead", "them")
    return "\(Self.list(places)) still \(verb) to \(provider): move \(object) with a plan that "
      + "names \(object), or set another route, before \(provider) leaves engage.json."
  }

  /// Whether the route leads to the provider, also as one of all that take the surface.
  private func leads(_ row: RouteRow, to provider: ProviderID) -> Bool {
    if let route = row.route { return route.providers.contains(provider) }
    return serves(row, provider)
  }

  private func serves(_ row: RouteRow, _ provider: ProviderID) -> Bool {
    capabilities.providers.contains { report in
      report.provider == provider
        && report.surfaces.contains {
          $0.surface.rawValue.hasSameBytes(as: row.surface) && $0.support.isThere
        }
    }
  }

  private static func list(_ names: [String]) -> String {
    names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }
}
