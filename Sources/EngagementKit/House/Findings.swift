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
  /// What the ledger is told of an operation that is done, in the commit of what it brought.
  typealias Teller = @Sendable () -> EngagementEvent?

  private struct Watch {
    var finding = Finding()
    var teller: Teller?
  }

  private let watches = Locked<[OperationKey: Watch]>([:])

  /// Begins to look at what the operation with the key brings.
  func watch(_ key: OperationKey, telling teller: Teller? = nil) {
    watches.withLock { $0[key] = Watch(teller: teller) }
  }

  /// Ends it, and says what it brought.
  func take(_ key: OperationKey) -> Finding {
    watches.withLock { $0.removeValue(forKey: key) }?.finding ?? Finding()
  }

  /// What the ledger is told now that the operation with the key is done.
  func event(of key: OperationKey) -> EngagementEvent? {
    watches.withLock { $0[key]?.teller }?()
  }

  func note(_ changes: [Change], of key: OperationKey) {
    let isUnchanged = changes.contains { if case .unchanged = $0 { true } else { false } }
    let isNew = changes.contains { $0.isNews }
    watches.withLock { watches in
      guard var finding = watches[key]?.finding else { return }
      finding.isNew = finding.isNew || isNew
      finding.isUnchanged = finding.isUnchanged || isUnchanged
      watches[key]?.finding = finding
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
