import EngagementAdapterAPI
import EngagementModel
import EngagementStore

extension FeedPublisher {
  // MARK: Arms

  /// Follows the routes, with the arms that the user has in their experiments. If those cannot be kept,
  /// nothing is shown of them yet, and `Exposures` tries again.
  func follow(settling kept: RouteStore.Kept) async {
    var kept = kept
    do throws(EngagementError) {
      let partition = published { $0.feedState.userSession.partition }
      kept.arms = try await experimentArms?.settle(kept.routes, for: partition)
      follow(kept)
      // The user may have changed meanwhile.
      try await settleArms()
    } catch {
      follow(kept)
      experimentArms?.logUnknown(error)
    }
  }

  /// Finds out where the user stands in the experiments of which that is not known yet.
  func settleArms() async throws(EngagementError) {
    while let experimentArms {
      let (partition, plans) = published {
        ($0.feedState.userSession.partition, $0.feedState.plans)
      }
      guard plans.isUndecided else { return }
      let arms = try await experimentArms.settle(plans.routes, for: partition)
      change(with: arms) { $0 }
    }
  }

  /// Finds out where the next user stands, before the user is current.
  func prepare(for partition: Partition) async throws(EngagementError) {
    let arms = try await experimentArms?.settle(plans.routes, for: partition)
    published { $0.upcoming = arms }
  }

  /// The plans if these routes held for the user. Nothing is kept of that.
  func plans(
    of routes: Routes? = nil, for partition: Partition
  ) async throws(EngagementError) -> RoutePlans {
    let present = published { $0.feedState.plans }
    let plans = RoutePlans(routes ?? present.routes, in: present.circumstances)
    let arms = try await experimentArms?.expect(plans.routes, for: partition)
    return plans.with(arms?.standings ?? [:])
  }

  // MARK: Exposures

  /// Whether anything of experiments is to be kept or recorded, now or later.
  var mayHaveExposures: Bool {
    published { !$0.watch.isIdle || $0.feedState.plans.isUndecided }
  }

  /// Whether the surface shows an arm to which the user has not been exposed.
  func isOpen(_ surface: RoutedSurface) -> Bool {
    published { published in
      guard !published.watch.open.isEmpty,
        let arm = published.feedState.plans[surface]?.experiment
      else { return false }
      return published.watch.open.contains(arm.experiment)
    }
  }

  /// Notes that the user could see the arm of a surface without feeds.
  func noteSeen(_ surface: RoutedSurface) {
    published { $0.note($0.feedState.plans[surface]) }
  }

  /// What a commit of these feeds records of exposures; nil for nothing.
  func exposures(
    by feeds: [Feed], of provider: ProviderID, in partition: Partition
  ) -> DueExposures? {
    published { published in
      guard published.feedState.userSession.partition.id == partition.id else { return nil }
      return DueExposures(
        published.exposures(by: feeds, of: provider), of: published.feedState)
    }
  }

  /// What is to be recorded now; nil for nothing.
  func takeDue() -> DueExposures? {
    published { DueExposures($0.watch.takeDue(), of: $0.feedState) }
  }

  /// Changes what is still to be recorded of the user; nothing if another one is current.
  func updateWatch(of user: Partition, _ body: (inout ExposureWatch) -> Void) {
    published { published in
      if published.feedState.userSession.partition.id == user.id { body(&published.watch) }
    }
  }
}

/// Exposures of one user that are recorded together.
struct DueExposures: Sendable {
  let partition: Partition
  let splits: [Engagement.Split]
  let experiments: Set<String>

  /// Nil if there is none.
  fileprivate init?(_ experiments: Set<String>, of feedState: FeedState) {
    guard !experiments.isEmpty else { return nil }
    partition = feedState.userSession.partition
    splits = feedState.plans.routes.splits
    self.experiments = experiments
  }
}
