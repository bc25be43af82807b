import EngagementModel

/// Collects the values of call-backs in order.
final class Pile<Element: Sendable>: Sendable {
  private let elements = Locked<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// A single event for which a task waits.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func set() { continuation.yield() }
  func wait() async { for await _ in stream { return } }
}
