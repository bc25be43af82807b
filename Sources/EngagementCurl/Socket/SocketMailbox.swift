import EngagementHTTP
import EngagementModel

/// The received messages of a socket that wait to be read. The driver adds messages, and one task takes
/// them.
final class SocketMailbox: Sendable {
  /// How much may wait before the driver stops reading.
  private static let most = (messages: 1_024, bytes: 4 << 20)

  private struct Contents {
    var messages: [SocketMessage] = []
    /// How many of the messages were taken.
    var takenCount = 0
    var byteCount = 0
    var isPaused = false
    var end: SocketClose?
    var receivers = Waiters<SocketReceipt>()
    var watchers = Waiters<Void>()

    var count: Int { messages.count - takenCount }

    /// Takes the oldest message, or the end where no message is left.
    mutating func next() -> SocketReceipt? {
      guard count > 0 else { return end.map(SocketReceipt.closed) }
      let message = messages[takenCount]
      takenCount += 1
      byteCount -= message.count
      if takenCount == messages.count || takenCount == SocketMailbox.most.messages {
        messages.removeFirst(takenCount)
        takenCount = 0
      }
      return .message(message)
    }
  }

  private let contents = Locked(Contents())

  /// Whether the driver has to stop reading until `resumesReading` is true.
  var pausesReading: Bool {
    contents.withLock { contents in
      contents.isPaused =
        contents.count >= Self.most.messages || contents.byteCount >= Self.most.bytes
      return contents.isPaused
    }
  }

  /// Whether the driver has stopped and can go on; true once for each stop.
  func resumesReading() -> Bool {
    contents.withLock { contents in
      guard contents.isPaused, contents.count <= Self.most.messages / 2,
        contents.byteCount <= Self.most.bytes / 2
      else { return false }
      contents.isPaused = false
      return true
    }
  }

  func deliver(_ message: SocketMessage) {
    let woken = contents.withLock { contents -> (WokenTasks<SocketReceipt>, SocketReceipt)? in
      contents.messages.append(message)
      contents.byteCount += message.count
      guard contents.receivers.count > 0, let next = contents.next() else { return nil }
      return (contents.receivers.removeAll(), next)
    }
    if let (tasks, receipt) = woken { tasks.resume(with: receipt) }
  }

  /// Ends the socket; only the first end counts.
  func end(_ close: SocketClose) {
    let (receivers, watchers) = contents.withLock { contents in
      contents.end = contents.end ?? close
      return (contents.receivers.removeAll(), contents.watchers.removeAll())
    }
    receivers.resume(with: .closed(close))
    watchers.resume()
  }

  /// Waits for a message or the end; nil when the task was cancelled first.
  func next() async -> SocketReceipt? {
    await contents.wait(in: \.receivers) { $0.next() }
  }

  /// Waits for the end, also in a task that is cancelled.
  func waitForEnd() async {
    _ = await contents.waitThroughCancellation(in: \.watchers) { $0.end.map { _ in () } }
  }
}
