import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite struct ConnectionTests {
  private static func answerAll(_ connection: ServerConnection) throws {
    while true {
      try connection.readHead()
      try connection.answer("200 OK", "ok")
    }
  }

  @Test("sequential requests share one connection")
  func reuse() async throws {
    try await withServer(nil, Self.answerAll) { server in
      let transport = transport()
      for number in 0..<50 {
        let response = try await transport.send(HTTPRequest(.get, server.url("/\(number)")))
        #expect(response.status == 200)
      }
      #expect(server.connections == 1)
      #expect(server.heads.count == 50)
    }
  }

  @Test("hundreds of concurrent requests each get their own response")
  func many() async throws {
    try await withServer { connection in
      while true {
        let target = try connection.readHead().split(separator: " ")[1]
        try connection.answer("200 OK", String(target))
      }
    } _: { server in
      let transport = transport()
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<400 {
          group.addTask {
            let response = try await transport.send(HTTPRequest(.get, server.url("/\(number)")))
            return response.body == Array("/\(number)".utf8)
          }
        }
        while let isOwn = try await group.next() { #expect(isOwn) }
      }
      #expect(server.heads.count == 400)
    }
  }

  /// Runs a task's jobs at once on the thread that enqueues them.
  private final class AtOnce: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  @Test(
    "a task resumed on the transport's thread may send the next request",
    .timeLimit(.minutes(20)))
  func fromTheAnswer() async throws {
    try await withServer(nil, Self.answerAll) { server in
      let transport = transport()
      let task = Task(executorPreference: AtOnce()) {
        for _ in 0..<50 { _ = try await transport.send(HTTPRequest(.get, server.url())) }
      }
      try await task.value
      #expect(server.heads.count == 50)
    }
  }

  /// Answers the first request and closes the connection after reading a second one.
  private static func dieOnSecond(_ connection: ServerConnection) throws {
    let head = try connection.readHead()
    try connection.answer("200 OK", "ok")
    if head.contains("/first") { try connection.readHead() }
  }

  @Test("a GET is sent again when its kept connection is dead")
  func deadConnection() async throws {
    try await withServer(nil, Self.dieOnSecond) { server in
      let transport = transport()
      _ = try await transport.send(HTTPRequest(.get, server.url("/first")))
      let response = try await transport.send(HTTPRequest(.get, server.url("/again")))
      #expect(response.status == 200)
      #expect(server.heads.count == 3 && server.connections == 2)
    }
  }

  @Test("G3: the transport never resends a POST by itself", arguments: [nil, [1]])
  func noSecondEffect(body: [UInt8]?) async throws {
    try await withServer(nil, Self.dieOnSecond) { server in
      let transport = transport()
      _ = try await transport.send(HTTPRequest(.get, server.url("/first")))
      let error = try await failure(
        of: HTTPRequest(.post, server.url("/effect"), body: body), by: transport)
      #expect(error.code == .unavailable)
      #expect(server.heads.filter { $0.hasPrefix("POST") }.count == 1)
      // The transport still works.
      let response = try await transport.send(HTTPRequest(.get, server.url()))
      #expect(response.status == 200)
    }
  }

  @Test("a server that disappears during an upload fails the request and not the process")
  func goneDuringUpload() async throws {
    let identity = try TLSIdentity("localhost", isAuthority: true, hosts: "DNS:localhost")
    try await identity.withFile { file in
      try await withServer(identity) {
        try $0.readHead()
        $0.reset()
      } _: { server in
        let transport = transport(trusting: file)
        let url = server.url(scheme: "https", host: "localhost")
        for _ in 0..<5 {
          let request = HTTPRequest(.post, url, body: [UInt8](repeating: 7, count: 5_000_000))
          let error = try await failure(of: request, by: transport)
          #expect(error.code == .unavailable)
        }
      }
    }
  }

  @Test("two transports share no connection")
  func separate() async throws {
    try await withServer(nil, Self.answerAll) { server in
      _ = try await transport().send(HTTPRequest(.get, server.url()))
      _ = try await transport().send(HTTPRequest(.get, server.url()))
      #expect(server.connections == 2)
    }
  }

  @Test("transports can be created and released with or without a request")
  func lifetimes() async throws {
    try await withServer(nil, Self.answerAll) { server in
      for number in 0..<40 {
        let transport = transport()
        if number % 2 == 0 { _ = try await transport.send(HTTPRequest(.get, server.url())) }
      }
      #expect(server.heads.count == 20)
    }
  }
}
