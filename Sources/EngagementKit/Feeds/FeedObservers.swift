import EngagementModel
import EngagementPlatform

/// An observer of a container or of the inbox. It is called inside the publisher's lock.
enum FeedObserver: Sendable {
  case cards(
    ContainerID, matching: [CardFilter], @Sendable (ContainerSnapshot) -> Void,
    finish: @Sendable () -> Void)
  case inbox(@Sendable (InboxSnapshot) -> Void, finish: @Sendable () -> Void)

  func tell(of snapshot: ContainerSnapshot) {
    if case .cards(_, _, let yield, _) = self { yield(snapshot) }
  }

  func tell(of snapshot: InboxSnapshot) { if case .inbox(let yield, _) = self { yield(snapshot) } }

  func finish() {
    switch self {
    case .cards(_, _, _, let finish), .inbox(_, let finish): finish()
    }
  }
}

/// The observers, by number.
struct FeedObservers: Sendable {
  private var observers: [Int: FeedObserver] = [:]
  private var lastNumber = 0

  mutating func add(_ observer: FeedObserver) -> Int {
    lastNumber += 1
    observers[lastNumber] = observer
    return lastNumber
  }

  mutating func remove(_ number: Int) { observers[number] = nil }

  mutating func removeAll() -> [FeedObserver] {
    defer { observers = [:] }
    return Array(observers.values)
  }

  var count: Int { observers.count }

  /// The feeds that have an observer.
  var places: ChangedFeeds {
    var places = ChangedFeeds()
    for observer in observers.values {
      switch observer {
      case .cards(let container, _, _, _): places.containers.insert(container)
      case .inbox: places.inbox = true
      }
    }
    return places
  }

  /// The containers that have an observer, with its conditions, in one order.
  var containers: [(container: ContainerID, filters: [CardFilter])] {
    observers.sorted { $0.key < $1.key }.compactMap { _, observer in
      if case .cards(let container, let filters, _, _) = observer {
        (container, filters)
      } else {
        nil
      }
    }
  }

  /// Gives the observers of the changed feeds the new snapshots.
  func tell(of places: ChangedFeeds, from feedState: inout FeedState, at now: Date) {
    guard !places.isEmpty else { return }
    for observer in observers.values {
      switch observer {
      case .cards(let container, _, _, _):
        guard places.containers.contains(container) else { continue }
        observer.tell(of: feedState.snapshot(in: container, at: now).0)
      case .inbox:
        guard places.inbox else { continue }
        observer.tell(of: feedState.inbox(at: now).0)
      }
    }
  }

  /// The snapshot of a container. If time alone has changed it, observers are told.
  func snapshot(
    in container: ContainerID, of feedState: inout FeedState, at now: Date
  ) -> ContainerSnapshot {
    let (snapshot, hasChanged) = feedState.snapshot(in: container, at: now)
    if hasChanged { tell(of: ChangedFeeds(containers: [container]), from: &feedState, at: now) }
    return snapshot
  }

  /// The snapshot of the inbox. If time alone has changed it, observers are told.
  func inbox(of feedState: inout FeedState, at now: Date) -> InboxSnapshot {
    let (snapshot, hasChanged) = feedState.inbox(at: now)
    if hasChanged { tell(of: ChangedFeeds(inbox: true), from: &feedState, at: now) }
    return snapshot
  }
}
