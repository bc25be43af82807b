import EngagementHTTP
import EngagementModel
import Testing

/// Remembers how it was closed.
private actor ClosingConnection: SocketConnection {
  var closes: [SocketClose] = []

  func send(_ message: SocketMessage) async throws(EngagementError) {}
  func receive() async throws(EngagementError) -> SocketReceipt { .closed(.normal) }
  func close(_ close: SocketClose) async { closes.append(close) }
}

@Suite("Closing a socket by code and reason")
struct SocketConnectionTests {
  @Test("a valid code and reason close the socket")
  func closing() async throws {
    let connection = ClosingConnection()
    try await connection.close(code: SocketCloseCode(rawValue: 3004), reason: "in background")
    let expected = try SocketClose(SocketCloseCode(rawValue: 3004), "in background")
    #expect(await connection.closes == [expected])
  }

  @Test("a reserved code throws and leaves the socket open")
  func reserved() async {
    let connection = ClosingConnection()
    await #expect(throws: EngagementError.self) { try await connection.close(code: .abnormal) }
    #expect(await connection.closes.isEmpty)
  }

  @Test("messages compare by bytes")
  func messages() {
    #expect(SocketMessage.text("e\u{301}") != .text("é"))
    #expect(SocketMessage.text("é") == .text("é"))
    #expect(SocketMessage.text("a") != .binary([97]))
    #expect(SocketMessage.text("é").hashValue == SocketMessage.text("é").hashValue)
  }
}
