public import EngagementKit
public import EngagementModel
public import EngagementPlatform

/// A clock that only the test advances.
public final class TestClock: EngagementClock {
  fileprivate struct State {
    var now: Date
    var uptime = Duration.zero
    var nextSleeper = 0
    var sleepers: [Int: Sleeper] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  fileprivate struct Sleeper {
    var end: Duration
    var continuation: CheckedContinuation<Void, Never>
  }

  private let state: Locked<State>

  /// Starts at the given time; by default 2026-10-01T09:00:00Z.
  public init(_ start: Date = Date(timeIntervalSince1970: 1_790_845_200)) {
    state = Locked(State(now: start))
  }

  public var now: Date { state.withLock { $0.now } }

  public var uptime: Duration { state.withLock { $0.uptime } }

  /// Lets time pass and wakes every task that slept for it. A negative duration turns the wall
  /// clock back and wakes no task: the uptime never goes back.
  public func advance(by duration: Duration) {
    let seconds = Double(duration.components.seconds)
    let fraction = Double(duration.components.attoseconds) / 1e18
    let woken = state.withLock { state in
      state.now = state.now.addingTimeInterval(seconds + fraction)
      state.uptime += max(duration, .zero)
      return state.takeWoken()
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sets only the wall clock.
  public func set(to date: Date) { state.withLock { $0.now = date } }

  // MARK: Sleeping

  public func sleep(until uptime: Duration) async {
    let sleeper = state.withLock { state in
      state.nextSleeper += 1
      return state.nextSleeper
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        for ready in lay(down: sleeper, until: uptime, continuation) { ready.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: sleeper)?.continuation }?.resume()
    }
  }

  /// The number of sleeping tasks.
  public var sleeping: Int { state.withLock { $0.sleepers.count } }

  /// Waits until `count` tasks sleep.
  public func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let ready = state.withLock { state in
        state.watchers.append((count, continuation))
        return state.takeWatchers()
      }
      for continuation in ready { continuation.resume() }
    }
  }

  private func lay(
    down sleeper: Int, until end: Duration, _ continuation: CheckedContinuation<Void, Never>
  ) -> [CheckedContinuation<Void, Never>] {
    state.withLock { state in
      guard end > state.uptime, !Task.isCancelled else { return [continuation] }
      state.sleepers[sleeper] = Sleeper(end: end, continuation: continuation)
      return state.takeWatchers()
    }
  }
}

extension TestClock.State {
  /// Removes and returns the sleepers whose time has come, the earliest first.
  fileprivate mutating func takeWoken() -> [CheckedContinuation<Void, Never>] {
    let woken = sleepers.filter { $0.value.end <= uptime }
    for sleeper in woken.keys { sleepers[sleeper] = nil }
    return woken.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
      .map(\.value.continuation)
  }

  fileprivate mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
    let ready = watchers.filter { $0.count <= sleepers.count }
    watchers.removeAll { $0.count <= sleepers.count }
    return ready.map(\.continuation)
  }
}

extension Device {
  /// A device for tests.
  public static let test = Device(
    id: "device-1", appID: "com.example.app", appVersion: "2.0.0", system: "Linux",
    systemVersion: "12", make: "Example", model: "One", locale: "en_US",
    timeZone: "Europe/Sofia", zoneOffset: 10_800)
}
