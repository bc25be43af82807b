import EngageCommands
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementHTTP
import EngagementKit
import EngagementModel
import Foundation
import Testing

/// `sync --watch` beside a live channel that has trouble.
@Suite(.timeLimit(.minutes(20))) struct AtomicWatchTests {
  /// What was written to standard error so far.
  private final class Errors: Sendable {
    private let text = Locked("")

    func note(_ text: String) { self.text.withLock { $0 = text } }

    func wait(for part: String) async {
      while !text.withLock({ $0.contains(part) }) { try? await Task.sleep(for: .milliseconds(5)) }
    }
  }

  /// Watches while the body runs, and presses Ctrl-C then.
  private func watch(
    _ scene: AtomicScene, every seconds: Int = 86_400,
    _ body: @escaping @Sendable (Errors) async -> Void
  ) async -> CommandLineFixture.Ending {
    let errors = Errors()
    return await scene.stage.engage(
      "sync", "--watch", "--every", "\(seconds)", by: CurlTransport(),
      in: .init(
        clock: FastClock(), patience: .seconds(3_600), hearsErrors: { errors.note($0) },
        interruption: { await body(errors) }))
  }

  private static let lost =
    "atomic: the live channel is lost; it is polled every 15 s until it is back.\n"
  private static let back = "atomic: the live channel is back; polling has ended.\n"

  /// Waits until the first refresh was answered and the vendor keeps the client up to date.
  private func subscribed(_ scene: AtomicScene, after number: Int = 0) async {
    while await !scene.emulator.requests().contains(where: {
      $0.path == "/demo/feed/BqWL1sT" && $0.status == 200
    }) { try? await Task.sleep(for: .milliseconds(5)) }
    while await !scene.emulator.requests(after: number).contains(where: {
      $0.summary.contains("subscribe to 1 of 1")
    }) { try? await Task.sleep(for: .milliseconds(5)) }
  }

  @Test("A3: sync --watch says when the live channel is lost and when it is back")
  func lost() async throws {
    let scene = try await AtomicScene()
    let ending = await watch(scene) { errors in
      await subscribed(scene)
      for socket in await scene.emulator.sockets() { try? await scene.emulator.drop(socket.number) }
      await errors.wait(for: Self.lost)
      await errors.wait(for: Self.back)
    }
    await scene.emulator.stop()
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(ending.errors == Self.lost + Self.back)
  }

  @Test("A3: sync --watch says that there is no live channel where none can be opened")
  func none() async throws {
    let scene = try await AtomicScene()
    try await scene.emulator.configure("atomic", ["socket": false])
    let told = "atomic: there is no live channel; it is polled every 15 s until it is back.\n"
    let ending = await watch(scene) { await $0.wait(for: told) }
    await scene.emulator.stop()
    #expect(ending.errors == told)
  }

  @Test("A3 A4: sync --watch calls no token refused that a user who comes back gives again")
  func back() async throws {
    let scene = try await AtomicScene()
    let ending = await watch(scene, every: 1) { errors in
      await subscribed(scene)
      for socket in await scene.emulator.sockets() { try? await scene.emulator.drop(socket.number) }
      await errors.wait(for: Self.lost)
      let number = await scene.emulator.requests().last?.number ?? 0
      await scene.engage("signout", "--purge")
      await scene.engage("signin", "u-1")
      await subscribed(scene, after: number)
      // What was wrong would be told with the next refresh.
      let last = await scene.emulator.requests().last?.number ?? 0
      while await scene.emulator.requests(after: last).count(where: { !$0.isMessage }) < 3 {
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    await scene.emulator.stop()
    #expect(ending.status == .done, "\(ending.errors)")
    #expect(!ending.errors.contains("refuses"), "\(ending.errors)")
  }

  @Test("A1 A3: sync --watch says what to do about a refused token, and reads a renewed file")
  func renewed() async throws {
    let scene = try await AtomicScene()
    try scene.stage.write(AtomicScene.token(), to: "token.jwt")
    try AtomicScene.configure(
      scene.stage, endpoint: scene.emulator.endpoint(of: "atomic"), token: ["file": "token.jwt"])
    let advice =
      "atomic refuses the call, most likely for the token of providers.atomic.token. Write a new one "
      + "into token.jwt; it is read again. Or the key or the ids of providers.atomic are wrong.\n"
    let ending = await watch(scene) { errors in
      await subscribed(scene)
      try? await scene.emulator.expireCredentials(of: "atomic")
      await errors.wait(for: "it is read again.")
      try? scene.stage.write(AtomicScene.token(endingAt: 4_102_444_799), to: "token.jwt")
      await errors.wait(for: Self.back)
    }
    await scene.emulator.stop()
    // A refresh that was under way may say the same first.
    #expect(ending.errors.hasSuffix(Self.lost + advice + Self.back), "\(ending.errors)")
  }

  @Test("A4 G14: after an erasure beside it, sync --watch says in plain words who is missing")
  func erased() async throws {
    let scene = try await AtomicScene()
    let told =
      #"engage: atomic: cards: No user is signed in; run "engage signin USER". [signedOut]"#
      + "\n"
    let ending = await watch(scene, every: 60) { errors in
      await subscribed(scene)
      let erasure = await scene.stage.engage("person", "erase", "u-1", "--yes")
      #expect(erasure.status == .done, "\(erasure.errors)")
      await errors.wait(for: told)
    }
    await scene.emulator.stop()
    #expect(ending.status == .done)
    #expect(ending.errors == told)
  }

  @Test("A3: a vendor that floods the socket keeps no core busy, and Ctrl-C ends the watch at once")
  func flooded() async throws {
    let scene = try await AtomicScene()
    let transport = FloodedTransport()
    let end = Locked<ContinuousClock.Instant?>(nil)
    let ending = await scene.stage.engage(
      "sync", "--watch", by: transport,
      in: .init(interruption: {
        while transport.count < 500 { try? await Task.sleep(for: .milliseconds(5)) }
        try? await Task.sleep(for: .seconds(2))
        end.withLock { $0 = .now }
      }))
    let pressed = end.withLock(\.self)
    let wait = try #require(pressed).duration(to: .now)
    await scene.emulator.stop()
    #expect(ending.status == .done, "\(ending.errors)")
    // The first hundreds come at once, and then a hundred a second.
    #expect(transport.count < 2_000, "\(transport.count)")
    #expect(wait < .seconds(3), "\(wait)")
  }
}

/// A clock thirty times as fast as the machine's.
private struct FastClock: EngagementClock {
  private let system = Engagement.SystemClock()
  private static let factor = 30

  var now: Date { Date(timeIntervalSince1970: 1_790_845_200) }
  var uptime: Duration { system.uptime * Self.factor }
  func sleep(until uptime: Duration) async { await system.sleep(until: uptime / Self.factor) }
}

/// A transport whose sockets hear a message whenever they listen.
private final class FloodedTransport: HTTPTransport, SocketTransport {
  private let network = CurlTransport()
  private let received = Locked(0)

  /// How many messages were heard.
  var count: Int { received.withLock(\.self) }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await network.send(request)
  }

  func connect(_ request: HTTPRequest) async throws(EngagementError) -> any SocketConnection {
    Flood(received: received)
  }

  private struct Flood: SocketConnection {
    let received: Locked<Int>

    func send(_ message: SocketMessage) {}

    func receive() async throws(EngagementError) -> SocketReceipt {
      guard !Task.isCancelled else { throw EngagementError(.cancelled, "The task was cancelled.") }
      received.withLock { $0 += 1 }
      return .message(.text("{}"))
    }

    func close(_ close: SocketClose) {}
  }
}
