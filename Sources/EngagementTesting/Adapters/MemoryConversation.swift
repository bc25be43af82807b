import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// The invented vendor's live channel.
///
/// The first message carries the credential. Then the server sends the changes of a container:
/// `{"container": <name>, "put": [<card>]}`, `"gone": [<id>]` or, for the whole list,
/// `"full": [<card>]`. Each message has a number, `"at"`. After a gap in the numbers the client
/// requests everything over HTTP; the next full list begins a new count. A side that has sent
/// nothing for 20 s sends `{"ping": true}`. The socket is dead after 40 s without a message from
/// the server.
struct MemoryConversation: Conversation {
  static let heartbeat = Duration.seconds(20)
  private static let beat = "heartbeat"
  private static let retry = "retry"
  private static let address = "wss://memory.example/v1/live"

  /// The last number of each container. After a gap, later changes of that container are unusable.
  private var numbers: [ContainerID: Int64] = [:]
  private var shown: [Feed] = []
  private var isOpen = false
  private var isAllowed = true
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
    case .allowed(let isAllowed): return allow(isAllowed)
    case .timer: return []
    }
  }

  // MARK: The socket

  private func connect() -> [SocketAction] {
    isAllowed ? [.connect(HTTPRequest(.get, Self.address))] : []
  }

  /// Without a socket everything is requested over HTTP.
  private mutating func allow(_ isAllowed: Bool) -> [SocketAction] {
    self.isAllowed = isAllowed
    return isAllowed ? connect() : end().dropLast() + [.poll(every: .seconds(60))]
  }

  private mutating func open(_ context: AdapterContext) -> [SocketAction] {
    guard isAllowed else { return [.close(code: 1000)] }
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

  /// Requests everything over HTTP until the channel is back.
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

  // MARK: Messages from the server

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
      // A repeated message is ignored; a gap causes a request for the list.
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
