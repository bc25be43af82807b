import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// How the candidates of routes with a `Shadow` compare with what is shown to the current user: one
  /// report for each candidate and each container or inbox. A candidate that was not compared yet has a
  /// report without comparisons.
  ///
  /// They are kept over restarts, for each user by themselves, and leave the cache with their user.
  public func parity() async throws(EngagementError) -> [ParityReport] {
    try lifecycle.checkOpen()
    let partition = dependencies.currentUser.userSession.partition
    let memory = try await dependencies.store.memory(of: KitState.owner, in: partition)
    return ParityReport.all(
      in: memory, routes: feedPublisher.plans.routes, keyed: Set(dependencies.contentKeys.keys))
  }

  /// Compares the candidates with what was refreshed before, as far as their intervals allow, and returns
  /// the reports. `run()` compares after each refresh without being asked.
  ///
  /// A candidate that fails is in its report and throws nothing. One that does not answer is given up
  /// after half a minute.
  @discardableResult
  public func compareShadows() async throws(EngagementError) -> [ParityReport] {
    try lifecycle.checkOpen()
    await shadows.compare()
    return try await parity()
  }
}

extension EngagementReader {
  /// How the candidates of routes with a `Shadow` compare with what is shown to the user, as
  /// `Engagement.parity()` gives it; nil for the current user.
  public func parity(of user: User? = nil) throws(EngagementError) -> [Engagement.ParityReport] {
    let query = query
    return try read { (reader) throws(EngagementError) in
      try query.parity(of: user, from: &reader)
    }
  }
}

extension FeedQuery {
  fileprivate func parity(
    of user: User?, from reader: inout StoreReader
  ) throws(EngagementError) -> [ParityReport] {
    let memory = try reader.memory(
      of: KitState.owner, in: try partition(of: user, from: &reader))
    return ParityReport.all(
      in: memory, routes: routes(by: memory), keyed: Set(contentKeys.keys))
  }
}

extension ParityReport {
  /// The reports on the candidates of these routes, by stored values.
  static func all(
    in memory: ProviderMemory, routes: Routes, keyed: Set<ProviderID>
  ) -> [ParityReport] {
    let kept = memory.values.all(.user).compactMap { name, _ in
      memory.json(.user, name).flatMap(ParityRecord.init(json:)).flatMap { record in
        record.name.hasSameBytes(as: name) ? record.report : nil
      }
    }
    var reports: [ParityReport] = []
    for (place, route) in routes.places {
      guard let shadow = route.parts.shadow, let inner = route.parts.inner else { continue }
      for candidate in shadow.candidates.withoutRepetition {
        let own = kept.filter { $0.candidate == candidate && place.covers($0, among: routes) }
        var blank = ParityReport(
          place.surface.surface, of: candidate, shown: inner.providers.withoutRepetition)
        if case .container(let container) = place { blank.container = container }
        reports += own.isEmpty ? [blank] : own.sorted { $0.place < $1.place }
      }
    }
    for index in reports.indices {
      let named = reports[index].shown + [reports[index].candidate]
      reports[index].withoutContentKeys = named.filter { !keyed.contains($0) }
    }
    return reports
  }

  private var place: String { container?.rawValue ?? "" }
}

extension RoutePlace {
  /// Whether the place's route has made the comparisons of a report.
  fileprivate func covers(_ report: ParityReport, among routes: Routes) -> Bool {
    switch self {
    case .surface(let surface):
      report.surface == surface.surface
        && report.container.map { routes.containers[$0] == nil } ?? true
    case .container(let container): report.surface == .cards && report.container == container
    }
  }
}
