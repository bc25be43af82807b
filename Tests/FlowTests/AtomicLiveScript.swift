import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import FoundationEssentials
import Testing

/// Runs a conversation the way a host does: it opens the socket, waits for timers, commits
/// changes, asks for tokens and asks over HTTP, one thing after another on the test's clock.
struct AtomicLiveScript {
  let memory: MemoryHost
  private let runners: OperationRunners
  private let clock: TestClock
  private var conversation: any Conversation
  private var shown: [Feed] = []

  /// What was done, a line each, since it was last taken.
  private var done: [String] = []
  /// What was said on the socket, without the ids of the messages.
  private var said: [JSON] = []
  private(set) var messageIDs: [String] = []
  private(set) var addresses: [String] = []
  private var socket = Socket.none
  private var timers: [String: Date] = [:]
  private var interval: Duration?
  private var nextPoll: Date?

  private enum Socket { case none, opening, open }

  /// Nil where the adapter has no conversation.
  init?(_ memory: MemoryHost, _ runners: OperationRunners, clock: TestClock) {
    guard let conversation = memory.adapter.conversation(in: memory.context()) else { return nil }
    self.memory = memory
    self.runners = runners
    self.clock = clock
    self.conversation = conversation
  }

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

  /// Sends something over HTTP.
  func perform(_ operation: EngagementAdapterAPI.Operation) async -> OperationRunner.Outcome {
    await runners.perform(operation)
  }

  /// Sends what is pending over HTTP.
  func drain() async -> [OperationRunner.Outcome] { await runners.drain() }

  // MARK: Events

  /// Lets something happen and does what the conversation wants.
  mutating func happen(_ event: SocketEvent) async {
    switch event {
    case .opened: socket = .open
    case .closed: socket = .none
    case .showing(let feeds): shown = feeds
    default: break
    }
    for action in conversation.respond(to: event, in: memory.context()) { await perform(action) }
  }

  mutating func hear(_ message: String) async { await happen(.message(Array(message.utf8))) }

  /// Begins, and gets as far as the server lets it in.
  mutating func begin(showing feeds: [Feed] = [AtomicFixtures.feed]) async {
    await happen(.showing(feeds))
    await happen(.started)
    await happen(.opened)
    await hear(#"{"messageType":"auth-success"}"#)
  }

  /// Moves the clock, and lets what is due happen at its time and in its order.
  mutating func advance(by duration: Duration) async {
    let (seconds, rest) = duration.components
    let end = clock.now.addingTimeInterval(Double(seconds) + Double(rest) / 1e18)
    while let due = nextDue(before: end) {
      clock.set(to: max(due.time, clock.now))
      if let name = due.timer {
        timers[name] = nil
        await happen(.timer(name))
      } else {
        await poll()
      }
    }
    clock.set(to: end)
  }

  /// As if the device slept: the clock moves and nothing happens until it is over.
  mutating func sleep(for duration: Duration) async {
    clock.advance(by: duration)
    await advance(by: .zero)
  }

  private func nextDue(before end: Date) -> (time: Date, timer: String?)? {
    let timer = timers.min { ($0.value, $0.key) < ($1.value, $1.key) }
    let due = [timer.map { (time: $0.value, timer: Optional($0.key)) }, nextPoll.map { ($0, nil) }]
    return due.compactMap(\.self).filter { $0.time <= end }.min { $0.time < $1.time }
  }

  // MARK: Actions

  private mutating func perform(_ action: SocketAction) async {
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
      memory.commit(changes)
    case .renewCredential: await renew()
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

  private mutating func renew() async {
    done.append("ask")
    var isAvailable = true
    do throws(EngagementError) {
      try await memory.renewCredential(
        replacing: memory.context().credential, for: memory.attempt())
    } catch {
      isAvailable = false
    }
    await happen(.credential(isAvailable: isAvailable))
  }

  private mutating func arm(_ name: String, _ delay: Duration) {
    let (seconds, rest) = delay.components
    timers[name] = clock.now.addingTimeInterval(Double(seconds) + Double(rest) / 1e18)
    done.append("timer \(name) \(DelayText.text(delay))")
  }

  private mutating func poll(every interval: Duration?) async {
    self.interval = interval
    done.append("poll \(interval.map(DelayText.text) ?? "never")")
    if interval == nil { nextPoll = nil } else { await poll() }
  }

  private mutating func poll() async {
    guard let interval else { return }
    nextPoll = clock.now.addingTimeInterval(Double(interval.components.seconds))
    for feed in shown {
      _ = await runners.perform(.cards(in: feed.container, matching: feed.filters))
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
