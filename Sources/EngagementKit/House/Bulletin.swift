import EngagementModel
import EngagementStore

/// Tells everyone who publishes or waits what a commit did, in the order of the commits.
final class Bulletin: Sendable {
  typealias Reader = @Sendable (CommitReport, Partition) async -> Void

  /// Rings after each commit.
  let bell = Bell()
  private let readers = Locked<[Reader]>([])

  /// Adds somebody who is told of everything from now on.
  func add(_ reader: @escaping Reader) { readers.withLock { $0.append(reader) } }

  func post(_ report: CommitReport, of partition: Partition) async {
    for reader in readers.withLock({ $0 }) { await reader(report, partition) }
    bell.ring()
  }
}
