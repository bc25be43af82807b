import Foundation

/// The time of each deed's last execution, so that no deed is repeated within a millisecond.
///
/// Braze's events have no ids. For Braze and for the driver, a second click on a card at the same
/// time is a copy of the first.
// The lock protects `ends`.
final class Moments: @unchecked Sendable {
  private let lock = NSLock()
  private var ends: [String: Date] = [:]

  /// The resolution of times in seconds, with a margin for rounding.
  private static let step = 0.001_001

  /// Waits until the deed may be repeated.
  func wait(for deed: String) async {
    while let end = lock.withLock({ ends[deed] }), Date().timeIntervalSince(end) < Self.step {
      // The task is never cancelled before the process ends.
      try? await Task.sleep(for: .microseconds(100))
    }
  }

  func note(_ deed: String) { lock.withLock { ends[deed] = Date() } }
}
