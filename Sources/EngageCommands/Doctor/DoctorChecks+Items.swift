import EngagementKit
import EngagementModel

extension DoctorChecks {
  /// The items that could not be read: a finding for each provider and surface, with the first reason.
  func unreadable(_ items: [Engagement.QuarantinedItem]) -> [CheckResult] {
    let groups = Dictionary(grouping: items) { "\($0.provider.rawValue) \($0.surface.rawValue)" }
    return groups.sorted { $0.key < $1.key }.compactMap { _, items in
      guard let first = items.first else { return nil }
      return .note(
        "unreadable items",
        "\(first.provider.rawValue): \(items.count) of \(first.surface.rawValue): \(first.reason)",
        next: "correct what the vendor's dashboard has, then run \"engage sync --full\".")
    }
  }
}
