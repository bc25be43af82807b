public import EngagementHTTP
public import EngagementModel

/// A vendor's live channel as a pure state machine: it takes events and returns actions.
///
/// The caller opens the socket, runs timers, commits changes and asks for credentials. The
/// conversation starts with `.started` and is over after `.ended`. After `.connect` or `.close`,
/// the caller reports no more events of the earlier socket, not even its closing.
public protocol Conversation: Sendable {
  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction]
}

/// An event of a live channel.
@nonexhaustive public enum SocketEvent: Hashable, Sendable {
  /// The conversation begins. Only `showing` and `allowed` come before.
  case started
  /// The socket is open.
  case opened
  /// A text message in UTF-8.
  case message([UInt8])
  /// The socket is closed. The code is 1006 if it broke or could not be opened.
  case closed(code: UInt16)
  /// A timer has expired.
  case timer(String)
  /// The application now shows exactly these feeds.
  case showing([Feed])
  /// The context has the requested credential, or the application has none.
  case credential(isAvailable: Bool)
  /// The channel is no longer wanted. The last event.
  case ended(ChannelEnd)
  /// The application switched live channels on or off.
  case allowed(Bool)
}

/// Why a live channel is no longer wanted.
@nonexhaustive public enum ChannelEnd: Hashable, Sendable {
  /// The application went to the background or is about to exit.
  case background
  /// The user has left or withdrawn the consent.
  case userLeft
  /// The application shows nothing of the vendor any more.
  case notShown
}

/// An action of a live channel for its caller.
@nonexhaustive public enum SocketAction: Hashable, Sendable {
  case connect(HTTPRequest)
  case send([UInt8])
  case close(code: UInt16)
  case commit([Change])
  /// Ask the application to replace the credential in the context. `.credential` follows.
  case renewCredential
  /// Start or restart a timer.
  case timer(String, after: Duration)
  case cancelTimer(String)
  /// Request the feeds over HTTP at once, and again at that interval; nil stops the polling.
  case poll(every: Duration?)
  /// Record an event in the ledger, and report it if the vendor takes its kind.
  case record(EngagementEvent.Kind, JSONObject)
}

extension SocketAction: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The action without the sent bytes, because a first message often contains a credential.
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
