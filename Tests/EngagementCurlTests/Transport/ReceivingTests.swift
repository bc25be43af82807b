import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct ReceivingTests {
  private func failure(
    from server: TestServer, limit: Int = 1 << 20, by transport: CurlTransport = transport(),
    into receiver: RecordingReceiver
  ) async throws -> EngagementError {
    do {
      let response = try await transport.receive(
        HTTPRequest(.get, server.url()), limit: limit, into: receiver)
      throw TestFailure("the request succeeded: \(response)")
    } catch let error as EngagementError {
      return error
    }
  }

  @Test("a request goes on beside the first one to its server, which is not answered yet")
  func besideSilence() async throws {
    let (asked, isOver) = (Signal(), ThreadGate())
    try await withServer { connection in
      let head = try connection.readHead()
      if head.hasPrefix("GET /silent") {
        asked.set()
        isOver.pass()
      }
      try connection.answer("200 OK", "ok")
    } _: { server in
      let transport = transport()
      let silent = Task { try await transport.send(HTTPRequest(.get, server.url("/silent"))) }
      await asked.wait()
      let quick = try await transport.send(HTTPRequest(.get, server.url("/quick")))
      isOver.open()
      let late = try await silent.value
      #expect(quick.status == 200 && late.status == 200)
    }
  }

  @Test("C8: a received body arrives in pieces after its head, and the response has none")
  func pieces() async throws {
    let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: \(body.count)\r\n\r\n")
      try $0.write(body)
    } _: { server in
      let receiver = RecordingReceiver()
      let response = try await transport().receive(
        HTTPRequest(.get, server.url()), limit: body.count, into: receiver)
      #expect(response.status == 200 && response.body.isEmpty)
      #expect(response.headers.first("X-A") == "1")
      let seen = receiver.seen
      #expect(seen.heads == [response])
      #expect(seen.body == body)
      #expect(seen.pieces > 1 && seen.largestPiece <= 64 << 10)
    }
  }

  @Test(
    "C8: every status begins for its receiver, and a redirect is not followed",
    arguments: [200, 204, 301, 302, 307, 308, 401, 404, 500])
  func statuses(status: Int) async throws {
    try await withServer {
      while true {
        try $0.readHead()
        try $0.write(
          "HTTP/1.1 \(status) Some\r\nLocation: /other\r\n"
            + (status == 204 ? "\r\n" : "Content-Length: 0\r\n\r\n"))
      }
    } _: { server in
      let receiver = RecordingReceiver()
      let response = try await transport().receive(
        HTTPRequest(.get, server.url()), limit: 10, into: receiver)
      #expect(response.status == status)
      #expect(receiver.seen.heads == [response])
      #expect(receiver.seen.pieces == 0)
      #expect(server.heads.count == 1)
    }
  }

  @Test(
    "C8: receiving ends at the limit of the call, with a declared length or without",
    arguments: ["Content-Length: 100001\r\n", "Connection: close\r\n"])
  func limit(header: String) async throws {
    try await withServer {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\n\(header)\r\n")
      try $0.write([UInt8](repeating: 7, count: 100_001))
    } _: { server in
      let receiver = RecordingReceiver()
      let error = try await failure(from: server, limit: 100_000, into: receiver)
      #expect(error.code == .malformedResponse)
      #expect(receiver.seen.byteCount <= 100_000)
    }
  }

  @Test("C8: decoding for a receiver stops at the limit of the call")
  func bomb() async throws {
    let piece = GzippedZeros(64 << 20)
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(piece.bytes.count)\r\n\r\n")
      try $0.write(piece.bytes)
    } _: { server in
      let receiver = RecordingReceiver()
      let error = try await failure(from: server, limit: 3 << 20, into: receiver)
      #expect(error.code == .malformedResponse)
      #expect(receiver.seen.byteCount <= 3 << 20)
    }
  }

  @Test("C8: the limit of the call replaces the limit of the transport")
  func ownLimit() async throws {
    try await withServer {
      try $0.readHead()
      try $0.answer("200 OK", String(repeating: "x", count: 5000))
    } _: { server in
      let receiver = RecordingReceiver()
      _ = try await transport { $0.maximumBodyBytes = 10 }.receive(
        HTTPRequest(.get, server.url()), limit: 5000, into: receiver)
      #expect(receiver.seen.byteCount == 5000)
    }
  }

  @Test(
    "C8: an error of the receiver ends the transfer at once and is thrown unchanged",
    .timeLimit(.minutes(20)), arguments: [true, false])
  func refusal(atHead: Bool) async throws {
    let own = EngagementError(.storage, "No room.", retryAfter: .seconds(3), underlying: "here")
    let left = Signal()
    try await withServer { connection in
      try connection.readHead()
      defer { left.set() }
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\nfirst")
      // Ends when the client has closed the connection.
      _ = try connection.read()
    } _: { server in
      let receiver = RecordingReceiver(
        onBegin: { (_) throws(EngagementError) in if atHead { throw own } },
        onTake: { (_) throws(EngagementError) in throw own })
      let error = try await failure(from: server, limit: 1 << 30, into: receiver)
      #expect(error == own)
      await left.wait()
      #expect(receiver.seen.heads.count == 1)
      #expect(receiver.seen.pieces == (atHead ? 0 : 1))
    }
  }

  @Test(
    "C8: cancelling in the middle of a body ends the transfer at once",
    .timeLimit(.minutes(20)))
  func cancelled() async throws {
    let (began, left) = (Signal(), Signal())
    try await withServer { connection in
      try connection.readHead()
      defer { left.set() }
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nfirst")
      _ = try connection.read()
    } _: { server in
      let receiver = RecordingReceiver(onTake: { (_) throws(EngagementError) in began.set() })
      let transport = transport {
        $0.totalTimeout = .seconds(3000)
        $0.lowSpeed = 0
      }
      let task = Task { try await failure(from: server, by: transport, into: receiver) }
      await began.wait()
      task.cancel()
      let error = try await task.value
      #expect(error.code == .cancelled)
      await left.wait()
      #expect(receiver.seen.body == Array("first".utf8))
    }
  }

  @Test(
    "C8: a body that is cut for its receiver is unavailable",
    arguments: ["Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n64\r\nhalf"])
  func cut(rest: String) async throws {
    try await withServer {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\n\(rest)")
    } _: { server in
      let receiver = RecordingReceiver()
      let error = try await failure(from: server, into: receiver)
      #expect(error.code == .unavailable)
      #expect(receiver.seen.body == Array("half".utf8))
    }
  }

  @Test("C8: the policy is asked before anything is received")
  func policy() async throws {
    try await withServer {
      try $0.readHead()
      try $0.answer()
    } _: { server in
      let transport = transport { $0.policy = RequestPolicy([.init("127.0.0.1", .deny)]) }
      let receiver = RecordingReceiver()
      let error = try await failure(from: server, by: transport, into: receiver)
      #expect(error.code == .permissionDenied)
      #expect(server.connections == 0 && receiver.seen.heads.isEmpty)
    }
  }
}
