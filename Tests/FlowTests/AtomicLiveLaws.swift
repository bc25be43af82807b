import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementJSON
import EngagementModel
import EngagementTesting
import FoundationEssentials
import TestSupport

/// A conversation with what it may and must do looked at after every event.
struct AtomicLiveLaws {
  private(set) var broken: [String] = []
  /// What was done, by name.
  private(set) var seen: Set<String> = []
  private var conversation: any Conversation
  private var context: AdapterContext
  private var socket = Socket.none
  private var timers: Set<String> = []
  private var isAsked = false
  private var hasStarted = false
  private var isAllowed = true
  private var isOver = false

  fileprivate enum Socket { case none, opening, open, known }

  static let messages = [
    #"{"messageType":"auth-success"}"#, #"{"messageType":"token-expiry"}"#,
    #"{"messageType":"custom-pong"}"#,
    #"{"messageType":"events-processed","data":{"eventIds":["e"]}}"#,
    #"{"messageType":"error","data":{"errorType":"invalid-token"}}"#,
    #"{"messageType":"error","data":{"errorType":"invalid-filter","subscriptionId":"s1"}}"#,
    #"{"messageType":"error","data":{"errorType":"invalid-message"}}"#,
    #"{"messageType":"update-cards","data":{"updates":[{"type":"replace-feed","data":{"#
      + #""subscriptionId":"s1","cardInstances":{"instances":[{"instance":{"id":"a"}}],"#
      + #""totalCards":1}}},{"type":"remove-card","data":{"subscriptionId":"s1","cardInstanceId":"a"}}]}}"#,
    #"{"messageType":"news"}"#, "no JSON",
  ]

  init(_ adapter: any EngagementAdapter) {
    context = AdapterContext(
      user: "u-1", device: .test, credential: AtomicSamples.token(), now: TestClock().now,
      key: OperationKey(1, 2))
    conversation = adapter.conversation(in: context) ?? NoConversation()
  }

  private struct NoConversation: Conversation {
    mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
      []
    }
  }

  // MARK: Events

  /// As far as being let in.
  mutating func begin() {
    happen(.showing([AtomicSamples.feed]))
    happen(.started)
    happen(.opened)
    happen(.message(Array(Self.messages[0].utf8)))
  }

  /// Something that can happen now.
  mutating func happen(_ random: inout SeededGenerator) {
    context.now.addTimeInterval(Double(random.below(40)))
    let event: SocketEvent
    switch random.below(16) {
    case 0: event = .started
    case 1 where socket == .opening, 2 where socket == .opening: event = .opened
    case 3 where socket != .none:
      event = .closed(code: [1000, 1006, 1011, 1011, 1013][random.below(5)])
    case 4...6: event = timers.sorted().first.map(SocketEvent.timer) ?? .timer("other")
    case 7: event = .showing(random.below(2) == 0 ? [] : [AtomicSamples.feed, .cards, .inbox])
    case 8: event = .showing([AtomicSamples.feed])
    case 9: event = random.below(4) == 0 ? .allowed(!isAllowed) : .allowed(isAllowed)
    case 10 where random.below(8) == 0: event = .ended(.background)
    case 11:
      let tokens = [
        nil, AtomicSamples.token("u-2"), AtomicSamples.token(ending: .seconds(90_000)),
      ]
      context.credential = tokens[random.below(3)]
      return
    default:
      guard isAsked || socket.isOpen else { return }
      event =
        isAsked
        ? .credential(isAvailable: random.below(3) > 0)
        : .message(Array(Self.messages[random.below(Self.messages.count)].utf8))
    }
    happen(event)
  }

  mutating func happen(_ event: SocketEvent) {
    switch event {
    case .started: hasStarted = true
    case .opened: socket = .open
    case .closed: (socket, isAsked) = (.none, false)
    case .timer(let name): timers.remove(name)
    case .credential: isAsked = false
    case .allowed(let allowed): isAllowed = allowed
    default: break
    }
    let actions = conversation.respond(to: event, in: context)
    if isOver, !actions.isEmpty { broken.append("It goes on after its end.") }
    for action in actions { check(action) }
    if case .ended = event { isOver = true }
    checkLife()
  }

  // MARK: Laws

  private mutating func check(_ action: SocketAction) {
    if let name = Self.name(of: action) { seen.insert(name) }
    switch action {
    case .connect:
      if socket != .none { broken.append("A second socket is opened.") }
      (socket, isAsked) = (.opening, false)
    case .close:
      if socket == .none { broken.append("No socket is closed.") }
      (socket, isAsked) = (.none, false)
    case .send(let bytes): checkMessage(bytes)
    case .renewCredential: isAsked = true
    case .timer(let name, let delay):
      timers.insert(name)
      if delay <= .zero { broken.append("A timer runs out at once.") }
    case .cancelTimer(let name): timers.remove(name)
    case .commit(let changes):
      if socket != .known || changes.isEmpty {
        broken.append("Changes come without an open socket.")
      }
    case .poll, .record: break
    }
  }

  static func name(of action: SocketAction) -> String? {
    switch action {
    case .connect: "connect"
    case .send(let bytes): (try? JSON(parsing: bytes))?["messageType"]?.string
    case .close(let code): "close \(code)"
    case .commit: "commit"
    case .renewCredential: "renew"
    case .timer: "timer"
    case .cancelTimer: nil
    case .poll(let interval): interval == nil ? "poll never" : "poll"
    case .record: "record"
    }
  }

  private mutating func checkMessage(_ bytes: [UInt8]) {
    guard socket.isOpen, let message = try? JSON(parsing: bytes),
      let type = message["messageType"]?.string
    else { return broken.append("Something is sent without an open socket.") }
    if type == "auth" {
      socket = .known
      let token = message["authToken"]?.string.map(Secret.init(_:))
      if token != context.credential { broken.append("An old token is sent.") }
      if token == AtomicSamples.token("u-2") { broken.append("Another's token is sent.") }
    } else if socket != .known {
      broken.append("Something is said before the token.")
    }
  }

  /// A conversation that has begun and is wanted always has something that will wake it.
  private mutating func checkLife() {
    guard hasStarted, isAllowed, !isOver, socket != .opening else { return }
    if timers.isEmpty, !isAsked { broken.append("Nothing will happen any more.") }
  }
}

extension AtomicLiveLaws.Socket {
  fileprivate var isOpen: Bool { self == .open || self == .known }
}
