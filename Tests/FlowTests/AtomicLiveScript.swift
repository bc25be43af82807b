import AtomicFixtures
import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import Testing

/// Runs a conversation on an engagement the way the kit's live driver will: it opens the socket,
/// waits for timers, commits changes, asks for tokens and asks over HTTP, one thing after another on
/// the test's clock.
struct AtomicLiveScript {
  let scene: AppScene
  private var conversation: any Conversation
  private var shown: [Feed] = []

  /// What was done, a line each, since it was last taken.
  private var done: [String] = []
  /// What was said on the socket, without the ids of the messages.
  private var said: [JSON] = []
  private(set) var messageIDs: [String] = []
  private(set) var addresses: [String] = []
  private var socket = Socket.none
  /// When timers run out, as uptimes.
  private var timers: [String: Duration] = [:]
  private var interval: Duration?
  private var nextPoll: Duration?

  private enum Socket { case none, opening, open }

  /// - Parameters:
  ///   - token: The token that is known from the start; nil for none.
  ///   - application: Who is asked for all others.
  init(
    _ variant: KitVariant = .complete,
    _ transport: ScriptedTransport = ScriptedTransport([:]), poll: Duration = .seconds(15),
    holding token: Secret? = AtomicSamples.token(),
    asking application: AtomicApplication = AtomicApplication(.success(nil))
  ) async throws {
    let adapter = variant.adapter(try AtomicSamples.adapter(poll: poll))
    let scene = try await AppScene("atomic", adapter, transport)
    let first = Locked(token)
    try await scene.signIn("u-1") { _ in
      if let token = first.withLock({ $0.take() }) { return token }
      return try await application.token(for: "u-1")
    }
    if token != nil { try await scene.engagement.renewCredential(of: scene.provider) }
    let context = try await scene.engagement.context(of: scene.provider)
    guard let conversation = adapter.conversation(in: context) else {
      try await scene.end()
      throw AtomicSurprise("There is no conversation.")
    }
    (self.scene, self.conversation) = (scene, conversation)
  }

  /// The cards that the user sees of a feed.
  func cards(in feed: Feed = AtomicSamples.feed) -> [Card] {
    let options = Engagement.CardOptions(filters: feed.filters)
    return feed.container.map { scene.engagement.cards(in: $0, options: options).cards } ?? []
  }

  func ids(in feed: Feed = AtomicSamples.feed) -> [String] { cards(in: feed).map(\.id.value) }

  /// What was done since the last call.
  mutating func takeDone() -> [String] {
    defer { done = [] }
    return done
  }

  /// What was said since the last call.
  mutating func takeSaid() -> [JSON] {
    defer { said = [] }
    return said
  }

  // MARK: Events

  /// Lets something happen and does what the conversation wants.
  mutating func happen(_ event: SocketEvent) async throws {
    switch event {
    case .opened: socket = .open
    case .closed: socket = .none
    case .showing(let feeds): shown = feeds
    default: break
    }
    let context = try await scene.engagement.context(of: scene.provider)
    for action in conversation.respond(to: event, in: context) { try await perform(action) }
  }

  mutating func hear(_ message: String) async throws {
    try await happen(.message(Array(message.utf8)))
  }

  /// Begins, and gets as far as the server lets it in.
  mutating func begin(showing feeds: [Feed] = [AtomicSamples.feed]) async throws {
    try await happen(.showing(feeds))
    try await happen(.started)
    try await happen(.opened)
    try await hear(#"{"messageType":"auth-success"}"#)
  }

  /// Moves the clock, and lets what is due happen at its time and in its order.
  mutating func advance(by duration: Duration) async throws {
    let clock = scene.clock
    let end = clock.uptime + duration
    while let due = nextDue(before: end) {
      clock.advance(by: max(.zero, due.time - clock.uptime))
      if let name = due.timer {
        timers[name] = nil
        try await happen(.timer(name))
      } else {
        await poll()
      }
    }
    clock.advance(by: end - clock.uptime)
  }

  /// As if the device slept: the clock moves and nothing happens until it is over.
  mutating func sleep(for duration: Duration) async throws {
    scene.clock.advance(by: duration)
    try await advance(by: .zero)
  }

  private func nextDue(before end: Duration) -> (time: Duration, timer: String?)? {
    let timer = timers.min { ($0.value, $0.key) < ($1.value, $1.key) }
    let due = [timer.map { (time: $0.value, timer: Optional($0.key)) }, nextPoll.map { ($0, nil) }]
    return due.compactMap(\.self).filter { $0.time <= end }.min { $0.time < $1.time }
  }

  // MARK: Actions

  private mutating func perform(_ action: SocketAction) async throws {
    switch action {
    case .connect(let request):
      socket = .opening
      addresses.append(request.url)
      done.append("connect")
    case .send(let bytes): send(bytes)
    case .close(let code):
      #expect(socket != .none, "A socket that is not there was closed.")
      socket = .none
      done.append("close \(code)")
    case .commit(let changes):
      done.append("commit")
      try await scene.engagement.commit(changes, from: scene.provider)
    case .renewCredential: try await renew()
    case .timer(let name, let delay): arm(name, delay)
    case .cancelTimer(let name):
      timers[name] = nil
      done.append("cancel \(name)")
    case .poll(let interval): await poll(every: interval)
    case .record(let kind, let properties):
      done.append("record \(kind) \(text(.object(properties)))")
    }
  }

  private mutating func send(_ bytes: [UInt8]) {
    #expect(socket == .open, "Something was said on a socket that is not open.")
    guard var message = try? JSON(parsing: bytes).object else {
      Issue.record("What was said is no object.")
      return
    }
    done.append("say \(message["messageType"]?.string ?? "")")
    messageIDs.append(message["messageId"]?.string ?? "")
    message["messageId"] = nil
    said.append(.object(message))
  }

  private mutating func renew() async throws {
    done.append("ask")
    var isAvailable = true
    do throws(EngagementError) {
      try await scene.engagement.renewCredential(of: scene.provider)
    } catch {
      isAvailable = false
    }
    try await happen(.credential(isAvailable: isAvailable))
  }

  private mutating func arm(_ name: String, _ delay: Duration) {
    timers[name] = scene.clock.uptime + delay
    done.append("timer \(name) \(DelayText.text(delay))")
  }

  private mutating func poll(every interval: Duration?) async {
    self.interval = interval
    done.append("poll \(interval.map(DelayText.text) ?? "never")")
    if interval == nil { nextPoll = nil } else { await poll() }
  }

  private mutating func poll() async {
    guard let interval else { return }
    nextPoll = scene.clock.uptime + interval
    for feed in shown {
      _ = await scene.execute(.cards(in: feed.container, matching: feed.filters))
    }
  }

  private func text(_ json: JSON) -> String { String(decoding: json.encoded(), as: UTF8.self) }
}

/// Durations as tests write them.
private enum DelayText {
  static func text(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    return rest == 0 ? "\(seconds)s" : "\(seconds * 1000 + rest / 1_000_000_000_000_000)ms"
  }
}

// MARK: A variant without one action

/// A conversation one of whose actions is never done.
private struct SilencedConversation: Conversation {
  var inner: any Conversation
  let isSilenced: @Sendable (SocketAction) -> Bool

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    inner.respond(to: event, in: context).filter { !isSilenced($0) }
  }
}

extension KitVariant {
  /// A variant at which conversations cannot have that done.
  static func withoutAction(
    _ isSilenced: @escaping @Sendable (SocketAction) -> Bool
  ) -> KitVariant {
    .without { adapter in
      adapter.conversation = { SilencedConversation(inner: $0, isSilenced: isSilenced) }
    }
  }
}
