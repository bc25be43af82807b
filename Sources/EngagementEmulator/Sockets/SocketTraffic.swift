import EngagementHTTP
import EngagementModel

/// One web socket seen from the vendor's side, as a pure state machine: received bytes become texts,
/// and what the vendor says becomes bytes, late or damaged if a fault wants it.
struct SocketTraffic: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// Something that happens when its time has come. The order stays.
  private struct Item {
    enum Content {
      case bytes([UInt8])
      case close(SocketClose)
      case end, silence
    }

    var due: Instant
    var content: Content

    var isSilence: Bool { if case .silence = content { true } else { false } }
  }

  /// A peer that does not answer a close, or does not take the last bytes, is given up after this.
  private static let patience = Duration.seconds(5)
  /// A message may be as long as the body of a request.
  private static let limits = WebSocketLimits(
    maximumFrame: RequestHandler.bodyLimit, maximumMessage: RequestHandler.bodyLimit)
  private static let binaryRefusal = (try? SocketClose(.unsupportedData)) ?? .noStatus

  private let fault: EmulatorFaults.Fault?
  private var session = WebSocketSession(role: .server, limits: limits)
  private var items: [Item] = []
  /// A message that waits until the next one is sent.
  private var overtaken: Item?
  private var messageCount = 0
  private var hasFallenSilent = false
  private var isEnding = false
  private var hasInputEnded = false
  private var deadline: Instant?

  /// The bytes that were not sent yet.
  private(set) var output: [UInt8]

  /// Begins with the bytes of the answer that opens the socket.
  init(head: [UInt8], fault: EmulatorFaults.Fault? = nil, at now: Instant) {
    output = head
    self.fault = fault
    checkCount(at: now)
  }

  /// Whether nothing is read, written or answered any more.
  var isSilent: Bool { hasFallenSilent && output.isEmpty }

  /// Whether bytes of the client still matter.
  var isReading: Bool { !hasInputEnded && !isEnding }

  /// When something happens without news; nil for never.
  var due: Instant? {
    hasFallenSilent ? nil : [items.first?.due, overtaken?.due, deadline].compactMap(\.self).min()
  }

  /// Whether the connection is to be ended now.
  func isOver(at now: Instant) -> Bool {
    isEnding && output.isEmpty || deadline.map { $0 <= now } ?? false
  }

  // MARK: What the vendor does

  /// Sends a text. Nothing follows a close.
  mutating func say(_ text: String, at now: Instant) {
    guard !hasFallenSilent, session.isOpen else { return }
    let fault = messageCount >= fault?.messages ?? 0 ? fault : nil
    messageCount += 1
    var item = Item(due: now, content: .bytes(SocketFrames.bytes(of: text, fault: fault)))
    if let fault, fault.kind == .socketDelayed { item.due += fault.pause(100) }
    if let fault, fault.kind == .socketReordered, overtaken == nil {
      item.due += fault.pause(100)
      overtaken = item
    } else {
      items.append(item)
      sendOvertaken(at: now)
    }
    checkCount(at: now)
  }

  /// Begins the closing handshake after everything that was said.
  mutating func close(_ close: SocketClose, at now: Instant) { append(.close(close), at: now) }

  /// Ends the connection without a close frame, after everything that was said. A silent connection
  /// ends too, and one that is about to fall silent.
  mutating func drop(at now: Instant) {
    hasFallenSilent = false
    if let silence = items.firstIndex(where: \.isSilence) { items.removeSubrange(silence...) }
    append(.end, at: now)
  }

  /// Lets the connection be, after everything that was said.
  mutating func fallSilent(at now: Instant) { append(.silence, at: now) }

  /// Says at once that the vendor goes away. Nothing else is to be done.
  mutating func stop() {
    if !hasFallenSilent, let frame = session.close(.goingAway) { send(frame) }
  }

  /// Does what is due.
  mutating func advance(to now: Instant) {
    if let overtaken, overtaken.due <= now { sendOvertaken(at: now) }
    while !hasFallenSilent, !isEnding, let item = items.first, item.due <= now {
      items.removeFirst()
      switch item.content {
      case .bytes(let bytes): output += bytes
      case .close(let close):
        if let frame = session.close(close) { send(frame) }
        limitTime(from: now)
      case .end: end(at: now)
      case .silence:
        hasFallenSilent = true
        items = []
        overtaken = nil
      }
    }
  }

  private mutating func append(_ content: Item.Content, at now: Instant) {
    sendOvertaken(at: now)
    items.append(Item(due: max(now, items.last?.due ?? now), content: content))
  }

  private mutating func sendOvertaken(at now: Instant) {
    guard var item = overtaken else { return }
    overtaken = nil
    item.due = now
    items.append(item)
  }

  /// Ends or silences the socket when as many messages have passed as the fault allows.
  private mutating func checkCount(at now: Instant) {
    guard let fault, messageCount == fault.messages else { return }
    if fault.kind == .socketSilent { fallSilent(at: now) }
    guard fault.kind == .socketDropped else { return }
    if let close = fault.close { self.close(close, at: now) } else { drop(at: now) }
  }

  // MARK: What the client does

  mutating func receive(_ bytes: ArraySlice<UInt8>) { session.feed(bytes) }

  /// No more bytes will come.
  mutating func endInput() {
    hasInputEnded = true
    session.endInput()
  }

  /// The next text that came; nil when more bytes are needed.
  mutating func nextText(at now: Instant) -> String? {
    while let step = session.next() {
      switch step {
      case .deliver(.text(let text)): return text
      case .deliver(.binary): close(Self.binaryRefusal, at: now)
      case .send(let frame): send(frame)
      case .pong: continue
      case .end: end(at: now)
      }
    }
    return nil
  }

  // MARK: The connection

  /// Removes the bytes that were sent.
  mutating func sent(_ count: Int) { output.removeFirst(count) }

  private mutating func send(_ frame: WebSocketFrame) {
    WebSocketEncoder.append(frame, mask: nil, to: &output)
  }

  private mutating func end(at now: Instant) {
    isEnding = true
    limitTime(from: now)
  }

  private mutating func limitTime(from now: Instant) {
    deadline = min(deadline ?? now + Self.patience, now + Self.patience)
  }
}
