import EngagementHTTP
import EngagementModel

/// What waits to be written, and who waits for room.
struct SocketOutput {
  /// How much may wait before a sender has to.
  private static let most = 1 << 20

  /// What is being written. It does not move until it is: OpenSSL would refuse to go on.
  private var current: [UInt8] = []
  private var written = 0
  private var next: [UInt8] = []
  private var senders: [SocketChannel.Sending] = []
  private var isBroken = false
  private(set) var isBlocked = false

  private var count: Int { current.count - written + next.count }
  var isFull: Bool { count >= Self.most }
  /// Whether everything was written that can be.
  var isDone: Bool { count == 0 }

  mutating func append(_ bytes: [UInt8]) { if !isBroken { next += bytes } }

  mutating func append(_ frame: WebSocketFrame) {
    guard !isBroken else { return }
    WebSocketEncoder.append(
      frame, mask: WebSocketMask(random: .random(in: .min ... .max)), to: &next)
  }

  mutating func wait(_ sender: SocketChannel.Sending) {
    isFull ? senders.append(sender) : sender.resume(returning: .success(()))
  }

  mutating func flush(_ write: ([UInt8].SubSequence) -> EasyHandle.Sent) {
    isBlocked = false
    while !isDone, !isBlocked {
      if written == current.count {
        current.removeAll(keepingCapacity: true)
        swap(&current, &next)
        written = 0
      }
      switch write(current[written...]) {
      case .bytes(let count): written += count
      case .blocked: isBlocked = true
      case .broken: breakOff()
      }
    }
    guard !isFull else { return }
    for sender in senders { sender.resume(returning: .success(())) }
    senders = []
  }

  /// What the peer sent before may still be read.
  private mutating func breakOff() {
    isBroken = true
    (current, next, written) = ([], [], 0)
  }

  mutating func end(_ error: EngagementError) {
    for sender in senders { sender.resume(returning: .failure(error)) }
    senders = []
  }
}
