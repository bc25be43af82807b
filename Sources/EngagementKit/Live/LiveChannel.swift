import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Runs one conversation: it opens its sockets, keeps its timers, commits what it brings, asks for
/// credentials and polls.
///
/// One event is handled after the other. The conversation has one operation key for its whole life. Its
/// tasks end by themselves or by `finish`, one at a time, so no task group has them.
struct LiveChannel {
  /// What the application wants of a channel.
  enum Wish: Hashable, Sendable {
    case open(showing: [Feed], isAllowed: Bool)
    case ended(ChannelEnd)
  }

  private let runtime: ProviderRuntime
  private let refresher: Refresher
  private let userSession: UserSession
  private let attempt: Attempt
  private let events: LiveEvents
  private let wish: @Sendable () -> Wish

  private var conversation: any Conversation
  private var context: AdapterContext
  /// The feeds that the conversation knows to be shown.
  private var shown: [Feed] = []
  private var isAllowed = true
  /// When timers expire, as uptimes.
  private var timers: [String: Duration] = [:]
  private var socket: LiveSocket?
  private var isSocketOpen = false {
    didSet { runtime.host.noteSocket(isOpen: isSocketOpen) }
  }
  /// Sockets that are being closed.
  private var formerSockets: [LiveSocket] = []
  private var socketCount = 0
  private var polling: Task<Void, Never>?
  private var asking: Task<Void, Never>?
  private var questionCount = 0
  private var isAsking = false
  /// The credential that the socket was told, which a renewal replaces.
  private var toldCredential: Secret?

  private var dependencies: KitDependencies { runtime.host.dependencies }

  /// Nil if the vendor has no live channel for the user. Throws `consentDenied` without the consent.
  init?(
    _ runtime: ProviderRuntime, _ refresher: Refresher, for userSession: UserSession,
    _ events: LiveEvents, wish: @escaping @Sendable () -> Wish
  ) async throws(EngagementError) {
    let dependencies = runtime.host.dependencies
    let attempt = Attempt(
      by: userSession.user, dependencies.key(), acceptedAt: dependencies.clock.now,
      generation: userSession.generation)
    let context = try await runtime.host.context(for: Self.purpose, attempt, delivering: [])
    guard let conversation = runtime.provider.adapter.conversation(in: context) else { return nil }
    self.runtime = runtime
    self.refresher = refresher
    self.userSession = userSession
    self.attempt = attempt
    self.events = events
    self.wish = wish
    self.conversation = conversation
    self.context = context
  }

  /// The operation whose consent a live channel needs.
  private static let purpose = Operation.cards(in: nil, matching: [])

  static func isAllowed(by consent: Consent) -> Bool {
    ConsentPolicy(consent: consent).allowsSending(purpose.verb)
  }

  // MARK: Events

  /// Runs until the channel is no longer wanted or the task is cancelled. The socket is closed when
  /// this returns.
  mutating func run() async {
    var hasStarted = false
    while !Task.isCancelled {
      let seen = events.signal.count
      switch wish() {
      case .ended(let reason): return await finish(reason)
      case .open(let feeds, let isAllowed): await tell(feeds, isAllowed)
      }
      if !hasStarted {
        hasStarted = true
        await handle(.started)
      }
      if await handleNext() { continue }
      await rest(after: seen)
    }
    await finish(.background)
  }

  private mutating func tell(_ feeds: [Feed], _ isAllowed: Bool) async {
    if feeds != shown {
      shown = feeds
      await handle(.showing(feeds))
    }
    if isAllowed != self.isAllowed {
      self.isAllowed = isAllowed
      await handle(.allowed(isAllowed))
    }
  }

  /// Handles one event; false if there is none.
  private mutating func handleNext() async -> Bool {
    if let event = events.next() {
      defer { events.noteHandled() }
      await handle(event)
      return true
    }
    let timer = timers.min { ($0.value, $0.key) < ($1.value, $1.key) }
    guard let timer, timer.value <= dependencies.clock.uptime else { return false }
    timers[timer.key] = nil
    await handle(.timer(timer.key))
    return true
  }

  private func rest(after seen: Int) async {
    let isExpecting = socket != nil && !isSocketOpen || isAsking
    events.note(.init(seen: seen, end: timers.values.min(), isExpecting: isExpecting))
    defer { events.note(nil) }
    if let next = timers.values.min() {
      await events.signal.wait(after: seen, until: next, by: dependencies.clock)
    } else {
      await events.signal.wait(after: seen)
    }
  }

  private mutating func handle(_ event: LiveEvents.Event) async {
    switch event {
    case .socket(let number, let event):
      guard number == socket?.number else { return }
      if event == .opened { isSocketOpen = true }
      if case .closed = event {
        socket?.release()
        leaveSocket()
      }
      await handle(event)
    case .credential(let question, let isAvailable):
      guard question == questionCount else { return }
      isAsking = false
      await handle(.credential(isAvailable: isAvailable))
    }
  }

  private mutating func handle(_ event: SocketEvent) async {
    await readContext()
    // The conversation tells its socket this credential, if any.
    if event == .opened { toldCredential = context.credential }
    if case .credential = event { toldCredential = context.credential }
    for action in conversation.respond(to: event, in: context) { await perform(action) }
  }

  private mutating func readContext() async {
    do throws(EngagementError) {
      context = try await runtime.host.context(attempt, in: userSession.partition)
    } catch {
      // What was known last is used again.
      log(.warning, "The live channel could not read the cache: \(error.code)")
      context.now = dependencies.clock.now
    }
  }

  // MARK: Actions

  private mutating func perform(_ action: SocketAction) async {
    switch action {
    case .connect(let request): connect(request)
    case .send(let bytes): socket?.send(bytes)
    case .close(let code): close(code)
    case .commit(let changes): await commit(changes)
    case .renewCredential: renewCredential()
    case .timer(let name, let delay): timers[name] = dependencies.clock.uptime + delay
    case .cancelTimer(let name): timers[name] = nil
    case .poll(let interval): await poll(every: interval)
    case .record(let kind, let properties): await record(kind, properties)
    }
  }

  private mutating func connect(_ request: HTTPRequest) {
    if socket != nil { close(SocketCloseCode.goingAway.rawValue) }
    socketCount += 1
    let (log, provider) = (dependencies.log, runtime.id)
    var transport = dependencies.transport as? any SocketTransport
    do throws(EngagementError) {
      try runtime.capabilities.checkHost(of: request, at: runtime.provider.adapter.vendor)
    } catch {
      log(.warning, error.message, provider)
      transport = nil
    }
    socket = LiveSocket(socketCount, request, by: transport, to: events, on: dependencies.clock) {
      log(.info, $0, provider)
    }
  }

  private mutating func close(_ code: UInt16) {
    // The adapter may give a code that no frame may have.
    socket?.close((try? SocketClose(SocketCloseCode(rawValue: code))) ?? .goingAway)
    leaveSocket()
  }

  private mutating func leaveSocket() {
    formerSockets.removeAll(where: \.isOver)
    if let socket { formerSockets.append(socket) }
    socket = nil
    isSocketOpen = false
  }

  /// Commits, and tries again until it succeeds: what the vendor has told is not told again.
  private func commit(_ changes: [Change]) async {
    while true {
      let seen = events.signal.count
      do throws(EngagementError) {
        try await runtime.host.commitLive(changes, by: attempt)
        return
      } catch {
        if error.code == .signedOut || Task.isCancelled || wish().isEnd { return }
        log(.warning, "What the live channel brought is not kept yet: \(error.code)")
      }
      let again = dependencies.clock.uptime + OutboxSender.retryInterval
      await events.signal.wait(after: seen, until: again, by: dependencies.clock)
    }
  }

  private mutating func renewCredential() {
    questionCount += 1
    isAsking = true
    asking?.cancel()
    let (host, attempt, events) = (runtime.host, attempt, events)
    let (number, refused) = (questionCount, toldCredential)
    asking = Task {
      var isAvailable = true
      do throws(EngagementError) {
        try await host.renewCredential(replacing: refused, for: attempt)
      } catch {
        isAvailable = false
      }
      events.add(.credential(number, isAvailable: isAvailable))
    }
  }

  /// Stops the polls under way, so that no older answer is committed after what the socket brings.
  private mutating func poll(every interval: Duration?) async {
    polling?.cancel()
    await polling?.value
    polling = nil
    guard let interval else { return }
    let (refresher, runtime, userSession, feeds) = (refresher, runtime, userSession, shown)
    polling = Task {
      let clock = runtime.host.dependencies.clock
      while !Task.isCancelled {
        let next = clock.uptime + interval
        await refresher.poll(feeds, at: runtime, for: userSession)
        await clock.sleep(until: next)
      }
    }
  }

  private func record(_ kind: EngagementEvent.Kind, _ properties: JSONObject) async {
    await runtime.host.report(
      dependencies.event(kind, at: runtime.id, properties), by: attempt)
  }

  // MARK: The end

  private mutating func finish(_ end: ChannelEnd) async {
    // The cache may be closed by now.
    context.now = dependencies.clock.now
    for action in conversation.respond(to: .ended(end), in: context) { await perform(action) }
    if socket != nil { close(SocketCloseCode.goingAway.rawValue) }
    await poll(every: nil)
    // Not waited for: the application may take its time.
    asking?.cancel()
    for socket in formerSockets { await socket.waitForEnd() }
  }

  private func log(_ level: LogLevel, _ message: String) {
    dependencies.log(level, message, runtime.id)
  }
}

extension LiveChannel.Wish {
  fileprivate var isEnd: Bool {
    if case .ended = self { true } else { false }
  }
}
