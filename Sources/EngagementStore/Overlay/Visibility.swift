import EngagementPlatform

/// Whether the user sees an item now, and when that changes without a commit.
struct Visibility: Hashable, Sendable {
  let isVisible: Bool
  /// Nil for never.
  let changesAt: Date?

  init(until expiry: Date?, under overlay: Overlay?, at now: Date) {
    let end = [expiry, overlay?.endsAt].compactMap(\.self).min()
    let start = overlay?.snoozedUntil
    if overlay?.has(.dismissed) == true || end.map({ $0 <= now }) == true {
      (isVisible, changesAt) = (false, nil)
    } else if let start, now < start {
      isVisible = false
      changesAt = end.map { start < $0 } == false ? nil : start
    } else {
      (isVisible, changesAt) = (true, end)
    }
  }
}
