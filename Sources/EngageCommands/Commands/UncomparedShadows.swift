import EngagementFormats
import EngagementKit
import EngagementModel
import EngagementPlatform

extension Invocation {
  /// Compares the candidates of shadows, and says which of them were not compared because `every` of
  /// their route does not allow it yet.
  ///
  /// - Parameter former: The reports of before the refresh, which compares as well.
  func compareShadows(
    of engagement: Engagement, after former: [Engagement.ParityReport]
  ) async {
    // Candidates change nothing of what a sync tells; "engage parity" does.
    guard let reports = try? await engagement.compareShadows() else { return }
    for report in reports where former.contains(report) {
      guard let last = [report.comparedAt, report.failedAt].compactMap(\.self).max(),
        let shadow = engagement.routes.shadow(of: report)
      else { continue }
      let next = last.addingTimeInterval(shadow.interval / .seconds(1))
      guard next > context.clock.now else { continue }
      let place = report.container.map { "cards in \($0)" } ?? report.surface.rawValue
      console.note(
        """
        \(place): \(report.candidate) was not compared; "every" of its shadow allows it from \
        \(ISO8601.text(of: next) ?? "later") on.
        """)
    }
  }
}

extension Engagement.Routes {
  /// The shadow that the report is on.
  fileprivate func shadow(of report: Engagement.ParityReport) -> Engagement.Shadow? {
    let own = report.container.flatMap { containers[$0] }
    let route = own ?? (report.surface == .inbox ? inbox : cards)
    guard case .shadow(_, let shadow) = route else { return nil }
    return shadow
  }
}
