import EngagementModel
import FoundationEssentials

/// Whoever observes a place. It is told inside the showcase's lock.
enum Observer: Sendable {
  case cards(ContainerID, @Sendable (CardExhibit) -> Void, finish: @Sendable () -> Void)
  case inbox(@Sendable (InboxExhibit) -> Void, finish: @Sendable () -> Void)

  func tell(of exhibit: CardExhibit) {
    if case .cards(_, let yield, _) = self { yield(exhibit) }
  }

  func tell(of exhibit: InboxExhibit) { if case .inbox(let yield, _) = self { yield(exhibit) } }

  func finish() {
    switch self {
    case .cards(_, _, let finish), .inbox(_, let finish): finish()
    }
  }
}

/// Everyone who observes.
struct Observers: Sendable {
  private var observers: [Int: Observer] = [:]
  private var lastNumber = 0

  mutating func add(_ observer: Observer) -> Int {
    lastNumber += 1
    observers[lastNumber] = observer
    return lastNumber
  }

  mutating func remove(_ number: Int) { observers[number] = nil }

  mutating func removeAll() -> [Observer] {
    defer { observers = [:] }
    return Array(observers.values)
  }

  var count: Int { observers.count }

  /// The places that somebody observes.
  var places: Places {
    var places = Places()
    for observer in observers.values {
      switch observer {
      case .cards(let container, _, _): places.containers.insert(container)
      case .inbox: places.inbox = true
      }
    }
    return places
  }

  /// Tells those who observe these places what is there.
  func tell(of places: Places, from exhibition: inout Exhibition, at now: Date) {
    guard !places.isEmpty else { return }
    for observer in observers.values {
      switch observer {
      case .cards(let container, _, _) where places.containers.contains(container):
        observer.tell(of: exhibition.exhibit(in: container, at: now).0)
      case .inbox where places.inbox: observer.tell(of: exhibition.inbox(at: now).0)
      default: break
      }
    }
  }

  /// What a container shows; observers are told where time alone changed it.
  func exhibit(
    in container: ContainerID, of exhibition: inout Exhibition, at now: Date
  ) -> CardExhibit {
    let (exhibit, hasChanged) = exhibition.exhibit(in: container, at: now)
    if hasChanged { tell(of: Places(containers: [container]), from: &exhibition, at: now) }
    return exhibit
  }

  /// What the inbox shows; observers are told where time alone changed it.
  func inbox(of exhibition: inout Exhibition, at now: Date) -> InboxExhibit {
    let (exhibit, hasChanged) = exhibition.inbox(at: now)
    if hasChanged { tell(of: Places(inbox: true), from: &exhibition, at: now) }
    return exhibit
  }
}
