import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementStore

/// What a feed publisher protects with its lock: the feed state, its observers, and who has seen the arms
/// of experiments.
struct PublishedFeeds: Sendable {
  var feedState: FeedState
  var observers = FeedObservers()
  var watch = ExposureWatch()
  /// Where the next user stands in experiments, before the user is current.
  var upcoming: UserArms?
  var hasRestoredRoutes = false
  var isClosed = false

  init(_ feedState: FeedState) { self.feedState = feedState }

  mutating func tellAll(at now: Date) {
    observers.tell(of: observers.places, from: &feedState, at: now)
  }

  /// Empties the feeds of the former user. The arms are those of the new one at once.
  mutating func enter(_ userSession: UserSession) {
    let arms = upcoming?.user == userSession.partition.id ? upcoming : nil
    upcoming = nil
    feedState.enter(userSession, arms?.standings ?? [:])
    watch = ExposureWatch(arms?.unexposed ?? [])
  }

  /// The plans for a user; those of one who is about to be shown are ready before.
  func plans(of user: Partition.ID) -> RoutePlans {
    guard let upcoming, upcoming.user == user, user != feedState.userSession.partition.id else {
      return feedState.plans
    }
    return feedState.plans.with(upcoming.standings)
  }

  // MARK: Exposures

  /// The places that somebody observes or has read.
  var watchedPlaces: ChangedFeeds {
    var places = observers.places
    places.containers.formUnion(watch.read.containers)
    places.inbox = places.inbox || watch.read.inbox
    return places
  }

  /// Notes the arms that can be seen where somebody looks. Returns whether there is a new one.
  mutating func noteVisible() -> Bool {
    watch.open.isEmpty ? false : noteVisible(in: watchedPlaces)
  }

  /// Notes that somebody reads a container. Returns whether an arm can be seen there that was not before.
  mutating func noteReading(_ container: ContainerID) -> Bool {
    watch.open.isEmpty ? false : noteReading(ChangedFeeds(containers: [container]))
  }

  /// Notes that somebody reads the inbox.
  mutating func noteReadingInbox() -> Bool {
    watch.open.isEmpty ? false : noteReading(ChangedFeeds(inbox: true))
  }

  private mutating func noteReading(_ places: ChangedFeeds) -> Bool {
    watch.noteReading(places)
    return noteVisible(in: places)
  }

  private mutating func noteVisible(in places: ChangedFeeds) -> Bool {
    let former = watch.due.count
    for container in places.containers where feedState.showsArm(in: container) {
      note(feedState.plans.plan(of: container))
    }
    if places.inbox, feedState.showsArmInInbox { note(feedState.plans.inbox) }
    return watch.due.count > former
  }

  /// Notes that the user could see the arm of the plan.
  mutating func note(_ plan: RoutePlan?) {
    if let arm = plan?.experiment { watch.noteSeen(arm.experiment) }
  }

  /// The experiments to whose arm a commit of these feeds exposes the user, and those that are due.
  func exposures(by feeds: [Feed], of provider: ProviderID) -> Set<String> {
    guard !watch.open.isEmpty else { return watch.due }
    let places = watchedPlaces
    var plans = places.containers.filter { feedState.fills($0, with: feeds, of: provider) }
      .map { feedState.plans.plan(of: $0) }
    if places.inbox, feedState.fillsInbox(with: feeds, of: provider) {
      plans.append(feedState.plans.inbox)
    }
    let experiments = plans.filter { $0.shows(provider) }.compactMap { $0.experiment?.experiment }
    return watch.open.intersection(experiments).union(watch.due)
  }
}
