import EngagementCurl
import EngagementHTTP
import EngagementKit
import EngagementModel
import FoundationEssentials
import Glibc

/// An application that shows a container on which nothing happens. Prints a line when it is at rest,
/// and ends with its input.
///
/// - Parameter isLive: Whether it has a live channel. If not, it asks for nothing either.
func idle(in folder: String, from port: String, isLive: Bool) async throws {
  try renew(folder)
  let engagement = try await Application.open(
    in: folder, at: "http://127.0.0.1:\(port)", over: CurlTransport(), Engagement.SystemClock(),
    pollInterval: .zero)
  engagement.setLiveUpdates(enabled: isLive)
  let running = Task { try await engagement.run() }
  let showing = Task {
    for await feed in engagement.cardUpdates(in: Application.home)
    where !feed.cards.isEmpty || !isLive { tell() }
  }
  await waitForEndOfInput()
  showing.cancel()
  running.cancel()
  try await running.value
  try await engagement.close()
}

/// A program that has run a task, and does nothing until its input ends.
func nothing() async {
  await Task.detached {}.value
  tell()
  await waitForEndOfInput()
}

/// A socket of the transport alone, with a ping every thirty seconds, which a thread times. Ends with its
/// input.
func socket(from port: String) async throws {
  let connection = try await CurlTransport().connect(
    HTTPRequest(.get, "ws://127.0.0.1:\(port)/env-1/socket?api-key=key"))
  let receiving = Task { while case .message? = try? await connection.receive() {} }
  let (turns, turn) = AsyncStream.makeStream(of: Void.self)
  Thread.detach {
    var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 30_000) == 0 { turn.yield() }
    turn.finish()
  }
  tell()
  for await _ in turns {
    try await connection.send(.text(#"{"messageType":"custom-ping","messageId":"1"}"#))
  }
  await connection.close(.normal)
  await receiving.value
}

private func tell() {
  print("{}")
  fflush(nil)
}

/// Waits on a thread outside the pool.
private func waitForEndOfInput() async {
  await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    Thread.detach {
      while getchar() != EOF {}
      continuation.resume()
    }
  }
}

/// A thread of the system.
private enum Thread {
  static func detach(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body))
    let status = pthread_create(&thread, nil, run, work.toOpaque())
    guard status == 0 else { exit(71) }
    pthread_detach(thread)
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    work in
    if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
    return nil
  }
}
