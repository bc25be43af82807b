import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// Atomic's socket as a state machine. It authenticates, subscribes to feeds, applies updates,
/// checks the peer with pings, falls back to polling over HTTP, and returns to the socket.
///
/// The socket only brings updates. Actions and events go over HTTP.
struct AtomicConversation: Conversation {
  private let configuration: AtomicConfiguration
  private let user: User

  private var phase = Phase.idle
  /// Whether the application allows the socket.
  private var isAllowed = true
  /// Whether the server has authenticated this connection.
  private var isKnown = false
  private var isPolling = false
  private var timers: Set<Timer> = []

  private var subscriptions = AtomicSubscriptions()
  private var pulse = AtomicPulse()
  private var backOff = AtomicBackOff()
  private var renewals = AtomicRenewals()
  private var messages = AtomicMessages()

  /// The state of the connection.
  private enum Phase {
    /// Not started.
    case idle
    /// Switched off by the application.
    case off
    /// Between two connections.
    case waiting
    case connecting
    /// Open; the application was asked for a token.
    case asking
    /// Open; the token was sent.
    case authenticating
    case live
    case over

    var hasSocket: Bool {
      switch self {
      case .connecting, .asking, .authenticating, .live: true
      case .idle, .off, .waiting, .over: false
      }
    }
  }

  private enum Timer: String, CaseIterable { case connect, authentication, pulse }

  /// The codes with which this side closes a socket.
  private enum Close {
    static let deadPeer: UInt16 = 3000
    static let otherProtocol: UInt16 = 3001
    static let sessionEnds: UInt16 = 3003
    static let background: UInt16 = 3004
  }

  /// The code with which the server closes a socket for a short time.
  private static let internalError: UInt16 = 1011
  /// The code of a socket that broke or could not be opened.
  private static let broken: UInt16 = 1006

  private static let authenticationTime = Duration.seconds(7)
  private static let pollsUntilReturn = 9

  init(_ configuration: AtomicConfiguration, for user: User) {
    self.configuration = configuration
    self.user = user
  }

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    if phase == .over { return [] }
    // A conversation must never use the token of another user.
    if context.user != user { return end(closing: Close.sessionEnds) }
    switch event {
    case .started: return phase == .idle ? start(in: context) : []
    case .opened: return phase == .connecting ? opened(in: context) : []
    case .message(let bytes): return isOpen ? heard(bytes, in: context) : []
    case .closed(let code): return phase.hasSocket ? closed(code) : []
    case .timer(let name): return ranOut(name, in: context)
    case .showing(let feeds): return show(feeds, in: context)
    case .credential(let isAvailable):
      return phase == .asking ? answered(isAvailable, in: context) : []
    case .allowed(let isAllowed): return allow(isAllowed, in: context)
    case .ended(.background): return end(closing: Close.background)
    case .ended: return end(closing: Close.sessionEnds)
    }
  }

  private var isOpen: Bool { phase.hasSocket && phase != .connecting }

  // MARK: Opening

  private mutating func start(in context: AdapterContext) -> [SocketAction] {
    if isAllowed { return connect(in: context) }
    phase = .off
    return poll()
  }

  private mutating func connect(in context: AdapterContext) -> [SocketAction] {
    guard let request = try? AtomicRequests(configuration, context).socket() else {
      return fallBack()
    }
    phase = .connecting
    isKnown = false
    messages.forget()
    return [.connect(request)]
  }

  private mutating func opened(in context: AdapterContext) -> [SocketAction] {
    (try? configuration.token(in: context)) == nil
      ? ask(in: context) : authenticate(in: context)
  }

  /// Asks for at most one renewal per interval: a server that refuses each new token must not make
  /// the application create tokens continuously.
  private mutating func ask(in context: AdapterContext) -> [SocketAction] {
    if phase == .asking { return [] }
    guard renewals.mayAsk(at: context.now) else {
      return fallBack(closing: Close.otherProtocol, isRefused: true)
    }
    phase = .asking
    return disarm(.authentication) + [.renewCredential]
  }

  private mutating func answered(
    _ isAvailable: Bool, in context: AdapterContext
  ) -> [SocketAction] {
    isAvailable ? authenticate(in: context) : fallBack(closing: Close.otherProtocol)
  }

  private mutating func authenticate(in context: AdapterContext) -> [SocketAction] {
    guard let token = try? configuration.token(in: context) else {
      return fallBack(closing: Close.otherProtocol)
    }
    phase = .authenticating
    return [
      .send(messages.authentication(token, in: context)),
      arm(.authentication, after: Self.authenticationTime),
    ]
  }

  private mutating func authenticated(in context: AdapterContext) -> [SocketAction] {
    guard phase == .authenticating else { return [] }
    phase = .live
    isKnown = true
    var actions = disarm(.authentication)
    if isPolling {
      isPolling = false
      actions.append(.poll(every: nil))
    }
    subscriptions.forgive()
    actions += subscribe(to: subscriptions.all, in: context)
    return actions + [arm(.pulse, after: AtomicPulse.silence)]
  }

  // MARK: Subscriptions

  private mutating func subscribe(
    to entries: [AtomicSubscriptions.Entry], in context: AdapterContext
  ) -> [SocketAction] {
    entries.isEmpty ? [] : [.send(messages.subscription(to: entries, in: context))]
  }

  private mutating func show(_ feeds: [Feed], in context: AdapterContext) -> [SocketAction] {
    let (added, removed) = subscriptions.show(feeds)
    if phase == .live {
      if pulse.isStale(at: context.now) { return fallBack(closing: Close.deadPeer) }
      let left = removed.isEmpty ? [] : [messages.cancellation(of: removed, in: context)]
      return left.map(SocketAction.send) + subscribe(to: added, in: context)
    }
    // A new feed is requested at once, without waiting for the next poll.
    return isPolling && !added.isEmpty ? [.poll(every: configuration.pollInterval)] : []
  }

  // MARK: Messages

  private mutating func heard(_ bytes: [UInt8], in context: AdapterContext) -> [SocketAction] {
    pulse.heard(at: context.now)
    switch AtomicServerMessage(bytes) {
    case .authenticated: return authenticated(in: context)
    case .tokenRefused: return ask(in: context)
    case .updates(let updates) where isKnown: return apply(updates)
    case .processed(let ids) where isKnown && !ids.isEmpty: return [.commit([.settled(ids)])]
    case .subscriptionRefused(let id, let message):
      return retry(id.map { [$0] } ?? message.flatMap { messages.asked[$0] } ?? [], in: context)
    case .updates, .processed, .pong, .other: return []
    }
  }

  private func apply(_ updates: [AtomicUpdate]) -> [SocketAction] {
    let changes = AtomicUpdate.changes(updates) { subscriptions.entry($0) }
    return changes.isEmpty ? [] : [.commit(changes)]
  }

  /// Subscribes once more to those that are still wanted. A refusal without a known subscription may be of
  /// any feed, so all of them are polled.
  private mutating func retry(_ ids: [String], in context: AdapterContext) -> [SocketAction] {
    guard phase == .live else { return [] }
    let wanted = ids.filter { subscriptions.entry($0) != nil }
    guard !wanted.isEmpty || ids.isEmpty else { return [] }
    let entries = wanted.compactMap { subscriptions.retry($0) }
    guard entries.count == wanted.count, !entries.isEmpty else {
      return fallBack(closing: Close.otherProtocol, isRefused: true)
    }
    return subscribe(to: entries, in: context)
  }

  // MARK: Time

  private mutating func ranOut(_ name: String, in context: AdapterContext) -> [SocketAction] {
    // A cancelled timer may still fire.
    guard let timer = Timer(rawValue: name), timers.remove(timer) != nil else { return [] }
    switch timer {
    case .connect: return connect(in: context)
    case .authentication: return fallBack(closing: Close.otherProtocol)
    case .pulse: return beat(in: context)
    }
  }

  private mutating func beat(in context: AdapterContext) -> [SocketAction] {
    let beat = pulse.beat(at: context.now)
    // The connection has lasted for a while, so the back-off starts anew.
    backOff.reset()
    switch beat {
    case .quiet(let rest): return [arm(.pulse, after: rest)]
    case .ping:
      return [.send(messages.ping(in: context)), arm(.pulse, after: AtomicPulse.silence)]
    case .dead: return fallBack(closing: Close.deadPeer)
    }
  }

  private mutating func arm(_ timer: Timer, after delay: Duration) -> SocketAction {
    timers.insert(timer)
    return .timer(timer.rawValue, after: delay)
  }

  private mutating func disarm(_ timer: Timer) -> [SocketAction] {
    timers.remove(timer) == nil ? [] : [.cancelTimer(timer.rawValue)]
  }

  private mutating func disarmAll() -> [SocketAction] {
    var actions: [SocketAction] = []
    for timer in Timer.allCases { actions += disarm(timer) }
    return actions
  }

  // MARK: Closing

  private mutating func closed(_ code: UInt16) -> [SocketAction] {
    guard code == Self.internalError, let delay = backOff.next() else {
      return fallBack(isRefused: code != Self.broken)
    }
    phase = .waiting
    return disarmAll() + [arm(.connect, after: delay)]
  }

  /// Changes from the socket to polling over HTTP. Tries the socket again after some polls.
  ///
  /// - Parameter isRefused: Whether the server refused the socket. Atomic wants to hear of that, and not
  ///   of a missing network or a time-out.
  private mutating func fallBack(
    closing code: UInt16? = nil, isRefused: Bool = false
  ) -> [SocketAction] {
    var actions = close(code)
    phase = .waiting
    let path = JSON.string("\(configuration.environmentID)/socket")
    actions.append(
      isRefused
        ? .record(.providerFailed, ["path": path, "statusCode": 0])
        : .record(.providerFallback, ["path": path]))
    actions += poll()
    // Without polling, the socket is still tried again.
    let turn = configuration.pollInterval ?? .seconds(15)
    return actions + [arm(.connect, after: turn * Self.pollsUntilReturn)]
  }

  private mutating func poll() -> [SocketAction] {
    guard !isPolling, let interval = configuration.pollInterval else { return [] }
    isPolling = true
    return [.poll(every: interval)]
  }

  private mutating func close(_ code: UInt16?) -> [SocketAction] {
    let socket = phase.hasSocket ? code.map { [SocketAction.close(code: $0)] } ?? [] : []
    return socket + disarmAll()
  }

  private mutating func allow(_ allowed: Bool, in context: AdapterContext) -> [SocketAction] {
    guard allowed != isAllowed else { return [] }
    isAllowed = allowed
    if phase == .idle { return [] }
    if allowed { return connect(in: context) }
    let actions = close(Close.otherProtocol)
    phase = .off
    return actions + poll()
  }

  private mutating func end(closing code: UInt16) -> [SocketAction] {
    var actions = close(code)
    phase = .over
    if isPolling { actions.append(.poll(every: nil)) }
    return actions
  }
}
