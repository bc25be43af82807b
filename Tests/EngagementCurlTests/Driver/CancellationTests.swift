import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite struct CancellationTests {
  @Test(
    "cancelling ends a waiting transfer and closes its connection",
    .timeLimit(.minutes(20)))
  func waiting() async throws {
    let (asked, left) = (Signal(), Signal())
    try await withServer { connection in
      try connection.readHead()
      asked.set()
      defer { left.set() }
      _ = try connection.read()
    } _: { server in
      let transport = transport {
        $0.totalTimeout = .seconds(3000)
        $0.lowSpeed = 0
      }
      let task = Task { try await transport.send(HTTPRequest(.get, server.url())) }
      await asked.wait()
      task.cancel()
      await #expect { try await task.value } throws: {
        ($0 as? EngagementError)?.code == .cancelled
      }
      await left.wait()
    }
  }

  @Test("a task cancelled before it starts sends nothing", .timeLimit(.minutes(20)))
  func early() async throws {
    try await withServer { connection in
      try connection.readHead()
    } _: { server in
      let transport = transport()
      for _ in 0..<100 {
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await transport.send(HTTPRequest(.get, server.url()))
        }
        await #expect { try await task.value } throws: {
          ($0 as? EngagementError)?.code == .cancelled
        }
      }
      #expect(server.heads.isEmpty)
    }
  }

  @Test(
    "a thousand transfers cancelled at any point all end, and the transport still works",
    .timeLimit(.minutes(20)))
  func storm() async throws {
    try await withServer { connection in
      while true {
        let head = try connection.readHead()
        if !head.contains("/silent") { try connection.answer("200 OK", "ok") }
      }
    } _: { server in
      let transport = transport {
        $0.totalTimeout = .seconds(3000)
        $0.lowSpeed = 0
      }
      let ends = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<1000 {
          group.addTask { await Self.cancelled(number, transport, server) }
        }
        return await group.reduce(into: [false: 0, true: 0]) { $0[$1, default: 0] += 1 }
      }
      #expect(ends[false] == 0)
      let response = try await transport.send(HTTPRequest(.get, server.url()))
      #expect(response.status == 200)
    }
  }

  /// Cancels a request after some yields. Returns whether it succeeded or was cancelled.
  private static func cancelled(
    _ number: Int, _ transport: CurlTransport, _ server: TestServer
  ) async -> Bool {
    let isSilent = number.isMultiple(of: 2)
    let task = Task {
      try await transport.send(HTTPRequest(.get, server.url(isSilent ? "/silent" : "/")))
    }
    for _ in 0..<(number % 50) { await Task.yield() }
    task.cancel()
    switch await task.result {
    case .success(let response): return !isSilent && response.status == 200
    case .failure(let error): return (error as? EngagementError)?.code == .cancelled
    }
  }
}
