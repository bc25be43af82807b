import EngagementAdapterAPI
import EngagementModel

/// What an operation that somebody waits for brought.
struct Finding: Hashable, Sendable {
  /// Anything but word that all is as it was.
  var isNew = false
  /// Word that all is as it was.
  var isUnchanged = false
}

/// What operations bring, for those who asked to be told.
final class Findings: Sendable {
  private let found = Locked<[OperationKey: Finding]>([:])

  /// Begins to look at what the operation with the key brings.
  func watch(_ key: OperationKey) { found.withLock { $0[key] = Finding() } }

  /// Ends it, and says what it brought.
  func take(_ key: OperationKey) -> Finding {
    found.withLock { $0.removeValue(forKey: key) } ?? Finding()
  }

  func note(_ changes: [Change], of key: OperationKey) {
    let isUnchanged = changes.contains { if case .unchanged = $0 { true } else { false } }
    let isNew = changes.contains { $0.isNews }
    found.withLock { found in
      guard var finding = found[key] else { return }
      finding.isNew = finding.isNew || isNew
      finding.isUnchanged = finding.isUnchanged || isUnchanged
      found[key] = finding
    }
  }
}

extension Change {
  /// Whether the application sees something by it, rather than an adapter remembering something.
  fileprivate var isNews: Bool {
    switch self {
    case .items, .removed, .person, .settings, .metrics, .total: true
    default: false
    }
  }
}
