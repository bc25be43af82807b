import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Records once that a user could see what the arm of an experiment makes of a surface.
///
/// Reading a feed writes nothing. An exposure is recorded in the commit that makes the arm's feed visible
/// to somebody who has read or observes it. If the feed is visible already, it is recorded soon after it is
/// read, and before the vendor is asked for it again.
final class Exposures: Sendable {
  private let dependencies: KitDependencies
  private let arms: ExperimentArms
  private let feedPublisher: FeedPublisher
  /// One recording at a time: who comes second returns when the first is durable.
  private let turn = AsyncMutex()
  private static let patience = Duration.seconds(1)

  init(_ dependencies: KitDependencies, _ arms: ExperimentArms, _ feedPublisher: FeedPublisher) {
    self.dependencies = dependencies
    self.arms = arms
    self.feedPublisher = feedPublisher
  }

  /// Records what is due, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let seen = feedPublisher.exposureSignal.count
      let isDone = await record()
      let end = dependencies.clock.uptime + (isDone ? .seconds(60) : Self.patience)
      await feedPublisher.exposureSignal.wait(after: seen, until: end, by: dependencies.clock)
    }
  }

  /// Records what is due. False if the cache could not be written.
  @discardableResult func record() async -> Bool {
    guard feedPublisher.mayHaveExposures else { return true }
    await turn.lock()
    defer { turn.unlock() }
    do throws(EngagementError) {
      try await feedPublisher.settleArms()
    } catch {
      arms.logUnknown(error)
      return false
    }
    await noteTokens()
    guard let due = feedPublisher.takeDue() else { return true }
    do throws(EngagementError) {
      let update = arms.update(of: due.splits, for: due.partition, exposing: due.experiments)
      let known = try await dependencies.store.assign(
        update, in: due.partition, at: dependencies.clock.now)
      let unexposed = arms.unexposed(due.splits, among: known, for: due.partition)
      feedPublisher.updateWatch(of: due.partition) {
        $0.endRecording(withheld: due.experiments.intersection(unexposed))
      }
      return true
    } catch {
      feedPublisher.updateWatch(of: due.partition) { $0.endRecording(failed: due.experiments) }
      dependencies.log(.warning, "An exposure is not recorded yet: \(error.code)")
      return false
    }
  }

  /// What a commit of these changes records beside them; nil for nothing.
  func update(
    with changes: [Change], from provider: ProviderID, in partition: Partition
  ) -> Store.AssignmentUpdate? {
    let feeds = changes.compactMap(\.filledFeed)
    guard !feeds.isEmpty,
      let found = feedPublisher.exposures(by: feeds, of: provider, in: partition)
    else { return nil }
    return arms.update(of: found.splits, for: partition, exposing: found.experiments)
  }

  /// Follows a change of the current user's consent: what it now allows is recorded.
  func followConsent() async {
    let partition = dependencies.currentUser.userSession.partition
    do throws(EngagementError) {
      _ = try await arms.settle(feedPublisher.plans.routes, for: partition)
      feedPublisher.updateWatch(of: partition) { $0.release() }
    } catch {
      dependencies.log(.warning, "The arms of experiments are not recorded: \(error.code)")
    }
    await record()
  }

  /// Follows what another process has done, which may have the user's consent now.
  func followOthers() async {
    guard !feedPublisher.plans.routes.splits.isEmpty else { return }
    // A recording under the former consent ends first, so that what it withholds is found.
    await turn.lock()
    turn.unlock()
    let partition = dependencies.currentUser.userSession.partition
    guard let consent = try? await dependencies.store.consent(of: partition),
      ConsentPolicy(consent: consent).allows(.experimentExposed)
    else { return }
    await followConsent()
  }

  // MARK: Surfaces without feeds

  /// A route of pushes reaches a user whose installation has a token.
  private func noteTokens() async {
    guard feedPublisher.isOpen(.push), let tokens = try? await dependencies.providerSecrets.push()
    else { return }
    if !tokens.isEmpty { feedPublisher.noteSeen(.push) }
  }

  /// A route of templates reaches a user to whom campaigns are presented, once their list is there.
  func notePresenting() async {
    guard feedPublisher.isOpen(.templates), let plan = feedPublisher.plans[.templates] else {
      return
    }
    let (partition, now) = (
      dependencies.currentUser.userSession.partition, dependencies.clock.now
    )
    var isVisible = plan.shown.isEmpty
    for provider in plan.shown where !isVisible {
      let campaigns = try? await dependencies.store.campaigns(
        in: FeedKey(provider, .campaigns), of: partition, at: now)
      isVisible = campaigns?.refreshedAt != nil
    }
    guard isVisible else { return }
    feedPublisher.noteSeen(.templates)
    await record()
  }
}

extension Change {
  /// The feed that the change fills; nil for a change that shows nothing new.
  fileprivate var filledFeed: Feed? {
    guard case .items(let change) = destination else { return nil }
    switch change.effect {
    case .items, .unchanged: return change.feed
    case .removed, .total: return nil
    }
  }
}
