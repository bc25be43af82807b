import EngagementModel

/// The listeners of an emulator, and how they end.
final class ListenerGroup: Sendable {
  /// The name of the control port among the vendors'.
  static let control = "control"

  private enum Phase {
    case open
    case closing([CheckedContinuation<Void, Never>])
    case closed
  }

  private let core: EmulatorCore
  private let timer: TimerThread
  private let sockets: SocketGroup
  private let listeners: [String: Listener]
  private let phase = Locked(Phase.open)

  init(
    _ configuration: Emulator.Configuration, core: EmulatorCore, token: Secret
  ) throws(EngagementError) {
    let timer = try TimerThread()
    self.core = core
    self.timer = timer
    let sockets = SocketGroup()
    self.sockets = sockets
    var listeners: [String: Listener] = [:]
    do throws(EngagementError) {
      for vendor in configuration.vendors {
        listeners[vendor] = try Listener(
          port: configuration.port(of: vendor), name: vendor, timer: timer, sockets: sockets
        ) { core.answer($0, as: vendor) }
      }
      let endpoints = listeners.mapValues(Self.endpoint)
      let control = ControlAPI(core: core, token: token, endpoints: endpoints) {
        [vendors = Array(listeners.values)] in for vendor in vendors { vendor.resetAll() }
      }
      listeners[Self.control] = try Listener(
        port: configuration.port(of: Self.control), name: "the control interface",
        timer: timer, sockets: sockets
      ) { .answer(control.answer($0)) }
      self.listeners = listeners
      core.use(timer)
    } catch {
      Self.end(Array(listeners.values), core, timer, sockets) {}
      throw error
    }
  }

  func endpoint(of name: String) -> String? { listeners[name].map(Self.endpoint) }

  /// Resets what is open at the vendors' ports.
  func resetVendors() {
    for (name, listener) in listeners where name != Self.control { listener.resetAll() }
  }

  /// Ends everything, and returns when it has ended.
  func stop() async {
    await withCheckedContinuation { waiter in
      let (begins, isOver) = phase.withLock { phase in
        switch phase {
        case .open:
          phase = .closing([waiter])
          return (true, false)
        case .closing(let waiters):
          phase = .closing(waiters + [waiter])
          return (false, false)
        case .closed: return (false, true)
        }
      }
      if isOver { waiter.resume() }
      if begins { end() }
    }
  }

  /// Ends everything without waiting for it.
  func close() {
    let begins = phase.withLock { phase in
      guard case .open = phase else { return false }
      phase = .closing([])
      return true
    }
    if begins { end() }
  }

  private func end() {
    Self.end(Array(listeners.values), core, timer, sockets) { [phase] in
      let waiters: [CheckedContinuation<Void, Never>] = phase.withLock { phase in
        defer { phase = .closed }
        guard case .closing(let waiters) = phase else { return [] }
        return waiters
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  private static func end(
    _ listeners: [Listener], _ core: EmulatorCore, _ timer: TimerThread, _ sockets: SocketGroup,
    _ then: @escaping @Sendable () -> Void
  ) {
    for listener in listeners { listener.prepareToStop() }
    // At its end the timer does all that waits, and what is planned again and again never ends.
    core.use(nil)
    timer.end {
      sockets.stop {
        for listener in listeners { listener.stop() }
        then()
      }
    }
  }

  private static func endpoint(_ listener: Listener) -> String {
    "http://127.0.0.1:\(listener.port)"
  }
}
