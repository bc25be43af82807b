import Foundation

/// When each thing was done last, so that it is not done again within the same millisecond.
///
/// Braze's events have no ids. Two clicks on one card at one time are the same event to it, and the
/// driver could not tell the second from a copy of the first either.
// The lock is held around each use of what changes.
final class Moments: @unchecked Sendable {
  private let lock = NSLock()
  private var ends: [String: Date] = [:]

  /// What times are told in, in seconds, with a little to spare for their rounding.
  private static let step = 0.001_001

  /// Returns when the same may be done again.
  func wait(for deed: String) async {
    while let end = lock.withLock({ ends[deed] }), Date().timeIntervalSince(end) < Self.step {
      // Cancelled only together with the process.
      try? await Task.sleep(for: .microseconds(100))
    }
  }

  func note(_ deed: String) { lock.withLock { ends[deed] = Date() } }
}
