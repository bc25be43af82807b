import EngagementModel
import EngagementStore

/// Somebody who is told what commits did.
protocol CommitReader: AnyObject, Sendable {
  func read(_ report: CommitReport, of partition: Partition) async
}

/// Tells everyone who publishes or waits what a commit did, in the order of the commits.
///
/// Each hears of it on the thread of whoever posts: a commit that changes nothing of theirs costs
/// them a look. A closure with a capture list would be called on another.
final class Bulletin: Sendable {
  /// Weak: most readers know the house that the bulletin is in.
  private struct Subscription: Sendable {
    weak var reader: (any CommitReader)?
  }

  /// Rings after each commit.
  let bell = Bell()
  private let subscriptions = Locked<[Subscription]>([])

  /// Adds somebody who is told of everything from now on, for as long as others hold it.
  func add(_ reader: any CommitReader) {
    subscriptions.withLock { $0.append(Subscription(reader: reader)) }
  }

  func post(_ report: CommitReport, of partition: Partition) async {
    for subscription in subscriptions.withLock({ $0 }) {
      await subscription.reader?.read(report, of: partition)
    }
    bell.ring()
  }
}
