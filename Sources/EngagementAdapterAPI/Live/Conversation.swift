public import EngagementHTTP
public import EngagementModel

/// A vendor's live channel as a pure state machine: what happens goes in, what to do comes out.
///
/// Whoever runs it opens the socket, waits for timers, commits changes and asks for credentials;
/// the conversation decides. It starts with `.started` and is over after `.ended`. After
/// `.connect` or `.close` nothing more of the former socket is heard, its closing neither.
public protocol Conversation: Sendable {
  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction]
}

/// What happens to a live channel.
@nonexhaustive public enum SocketEvent: Hashable, Sendable {
  /// The first event.
  case started
  /// The socket is open.
  case opened
  /// A text message in UTF-8.
  case message([UInt8])
  /// The socket is closed, by whom and why; 1006 when it broke or could never be opened.
  case closed(code: UInt16)
  /// A timer that was asked for has run out.
  case timer(String)
  /// The application shows these feeds now; the ones shown before are in no list.
  case showing([Feed])
  /// The credential asked for is in the context, or nobody has one.
  case credential(isAvailable: Bool)
  /// Events to report as they happen, besides their own way through the outbox.
  case report([EngagementEvent])
  /// The application went to the background or comes to an end.
  case ended
  /// Live channels are switched off or on by the application.
  case allowed(Bool)
}

/// What a live channel wants done.
@nonexhaustive public enum SocketAction: Hashable, Sendable {
  case connect(HTTPRequest)
  case send([UInt8])
  case close(code: UInt16)
  case commit([Change])
  /// Ask for a credential in place of the one in the context; `.credential` follows.
  case renewCredential
  /// Start or restart a timer.
  case timer(String, after: Duration)
  case cancelTimer(String)
  /// Ask for the feeds over HTTP at once, and again in that interval; nil stops asking.
  case poll(every: Duration?)
  /// Something the ledger should know.
  case record(EngagementEvent.Kind, JSONObject)
}

extension SocketAction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What is done, without what is sent: a first message often holds a credential.
  public var description: String {
    switch self {
    case .connect(let request): "connect(\(request))"
    case .send(let bytes): "send(\(bytes.count) bytes)"
    case .close(let code): "close(\(code))"
    case .commit(let changes): "commit(\(changes.count) changes)"
    case .renewCredential: "renewCredential"
    case .timer(let name, let delay): "timer(\(name), \(delay))"
    case .cancelTimer(let name): "cancelTimer(\(name))"
    case .poll(let interval): interval.map { "poll(\($0))" } ?? "poll(never)"
    case .record(let kind, _): "record(\(kind))"
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
