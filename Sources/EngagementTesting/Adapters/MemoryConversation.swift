import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// The made-up vendor's live channel.
///
/// The first message shows the credential. Then the server says what changes in a container:
/// `{"container": <name>, "put": [<card>]}`, `"gone": [<id>]` or, for all that there is,
/// `"full": [<card>]`. Each has a number, `"at"`: one that is not the next one means that something
/// was missed, and everything is asked for over HTTP; the next full list begins a new count.
/// Whichever side has said nothing for 20 s sends `{"ping": true}`; two such times without a word
/// from the server and the socket is dead.
struct MemoryConversation: Conversation {
  static let heartbeat = Duration.seconds(20)
  private static let beat = "heartbeat"
  private static let retry = "retry"
  private static let address = "wss://memory.example/v1/live"

  /// Messages that were missed so far in a container make what follows unusable there.
  private var numbers: [ContainerID: Int64] = [:]
  private var shown: [Feed] = []
  private var isOpen = false
  private var silentBeats = 0

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    switch event {
    case .started: return connect()
    case .opened: return open(context)
    case .message(let bytes): return heard(bytes)
    case .closed: return lost(closing: false)
    case .timer(Self.beat): return beat()
    case .timer(Self.retry): return connect()
    case .showing(let feeds):
      shown = feeds
      return []
    case .credential(let isAvailable): return isAvailable ? connect() : []
    case .ended: return end()
    case .allowed(let isAllowed): return isAllowed ? connect() : end()
    case .timer, .report: return []
    }
  }

  // MARK: The socket

  private func connect() -> [SocketAction] { [.connect(HTTPRequest(.get, Self.address))] }

  private mutating func open(_ context: AdapterContext) -> [SocketAction] {
    guard let credential = context.credential else {
      return [.close(code: 1000), .renewCredential]
    }
    isOpen = true
    numbers = [:]
    silentBeats = 0
    let hello: JSON = ["credential": .string(credential.revealed)]
    return [.send(hello.encoded()), .timer(Self.beat, after: Self.heartbeat)]
  }

  private mutating func beat() -> [SocketAction] {
    guard isOpen else { return [] }
    silentBeats += 1
    guard silentBeats < 2 else { return lost(closing: true) }
    let ping: JSON = ["ping": true]
    return [.send(ping.encoded()), .timer(Self.beat, after: Self.heartbeat)]
  }

  /// Everything is asked for over HTTP until the channel is back.
  private mutating func lost(closing: Bool) -> [SocketAction] {
    isOpen = false
    let close: [SocketAction] = closing ? [.close(code: 1001)] : []
    return close + [.cancelTimer(Self.beat), .poll(every: .seconds(60))]
      + [.timer(Self.retry, after: .seconds(5))]
  }

  private mutating func end() -> [SocketAction] {
    let close: [SocketAction] = isOpen ? [.close(code: 1000)] : []
    isOpen = false
    return close + [.cancelTimer(Self.beat), .cancelTimer(Self.retry), .poll(every: nil)]
  }

  // MARK: What the server says

  private mutating func heard(_ bytes: [UInt8]) -> [SocketAction] {
    guard isOpen else { return [] }
    silentBeats = 0
    guard let message = try? JSONFields(bytes[...]),
      let container = message.string("container").map(ContainerID.init(_:)),
      let number = message.integer("at")
    else { return [] }
    let feed = Feed(.cards, in: container)
    if let raw = message.raw("full"), let items = Self.items(raw) {
      numbers[container] = number
      return [.poll(every: nil), .commit([.items(feed, .replace(.nothing), items)])]
    }
    guard let last = numbers[container], number == last + 1 else {
      // What came twice is known; a gap is closed by asking.
      if let last = numbers[container], number <= last { return [] }
      numbers[container] = nil
      return [.poll(every: .seconds(60))]
    }
    numbers[container] = number
    var changes: [Change] = []
    if let ids = message.strings("gone") { changes.append(.removed(feed, ids: ids)) }
    if let raw = message.raw("put"), let items = Self.items(raw) {
      changes.append(.items(feed, .put, items))
    }
    return changes.isEmpty ? [] : [.commit(changes)]
  }

  private static func items(_ bytes: ArraySlice<UInt8>) -> [RawItem]? {
    var cursor = JSONCursor(bytes)
    return try? cursor.items()
  }
}
