import EngagementModel
import EngagementStore

/// An object that is told what commits changed.
protocol CommitObserver: AnyObject, Sendable {
  func observe(_ report: CommitReport, of partition: Partition) async
}

/// Tells observers what a commit changed, in the order in which the observers were added.
///
/// Observers run on the caller's executor, so a commit that does not concern them costs them a
/// look; an escaping closure would hop to another.
final class CommitPublisher: Sendable {
  /// Weak: most observers hold the dependencies that the publisher is in.
  private struct Subscription: Sendable {
    weak var observer: (any CommitObserver)?
  }

  /// Fires after each commit.
  let signal = AsyncSignal()
  private let subscriptions = Locked<[Subscription]>([])

  /// Adds an observer, for as long as others hold it.
  func add(_ observer: any CommitObserver) {
    subscriptions.withLock { $0.append(Subscription(observer: observer)) }
  }

  func publish(_ report: CommitReport, of partition: Partition) async {
    for subscription in subscriptions.withLock({ $0 }) {
      await subscription.observer?.observe(report, of: partition)
    }
    signal.fire()
  }
}
