import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("Both sides of a web socket session")
struct WebSocketSessionTests {
  typealias Step = WebSocketSession.Step

  private func steps(_ session: inout WebSocketSession) -> [Step] {
    var steps: [Step] = []
    while let step = session.next() { steps.append(step) }
    return steps
  }

  private func steps(after bytes: [UInt8], _ session: inout WebSocketSession) -> [Step] {
    session.feed(bytes)
    return steps(&session)
  }

  private func end(_ close: SocketClose, isClean: Bool) -> Step {
    .end(.init(close: close, isClean: isClean))
  }

  @Test("messages are delivered, pings are answered and pongs are reported")
  func conversation() throws {
    var session = WebSocketSession(role: .server)
    let ping = RawFrame(opcode: 9, payload: [1, 2]).bytes
    let pong = RawFrame(opcode: 10, payload: [3]).bytes
    let steps = steps(after: RawFrame.text("a") + ping + pong + RawFrame.text("b"), &session)
    #expect(steps.count == 4)
    #expect(steps.first == .deliver(.text("a")))
    guard case .send(let answer) = steps[1] else { return #expect(Bool(false), "no answer") }
    #expect(answer.opcode == .pong && answer.payload == [1, 2])
    #expect(steps[2...] == [.pong([3]), .deliver(.text("b"))])
    #expect(session.isOpen && session.ending == nil)
    #expect(try session.send(.text("c")) == .message(.text("c")))
    #expect(try session.ping([4]) == .ping([4]))
  }

  @Test("a peer's close is echoed once with its code and ends the session")
  func peerCloses() throws {
    var session = WebSocketSession(role: .server)
    let steps = steps(
      after: RawFrame.close(1001, Array("bye".utf8)) + RawFrame.text("late"), &session)
    let close = try SocketClose(.goingAway, "bye")
    #expect(steps == [.send(.close(.goingAway)), end(close, isClean: true)])
    #expect(session.ending?.close == close)
    #expect(session.close(.normal) == nil)
    #expect(throws: EngagementError.self) { try session.send(.text("x")) }
    #expect(throws: EngagementError.self) { try session.ping() }
    #expect(self.steps(after: RawFrame.close(1000), &session).isEmpty)
  }

  @Test("a close without a code is echoed without a code")
  func peerClosesSilently() {
    var session = WebSocketSession(role: .server)
    let steps = steps(after: RawFrame(opcode: 8).bytes, &session)
    #expect(steps == [.send(.close(.noStatus)), end(.noStatus, isClean: true)])
  }

  @Test("replies can be sent until the session reaches the peer's close")
  func answersBeforeClose() throws {
    var session = WebSocketSession(role: .server)
    session.feed(RawFrame.text("question") + RawFrame.close(1000))
    #expect(session.next() == .deliver(.text("question")))
    #expect(try session.send(.text("answer")) == .message(.text("answer")))
    #expect(session.next() == .send(.close(.normal)))
    #expect(throws: EngagementError.self) { try session.send(.text("late")) }
  }

  @Test("a session sends its own close once, and the peer's close ends it cleanly")
  func ownClose() throws {
    var session = WebSocketSession(role: .server)
    let close = try SocketClose(SocketCloseCode(rawValue: 3003), "session ending")
    #expect(session.close(close) == .close(close))
    #expect(session.close(.normal) == nil)
    #expect(!session.isOpen)
    let error = #expect(throws: EngagementError.self) { try session.send(.text("x")) }
    #expect(error?.code == .unavailable)
    // Messages that were on their way arrive; a ping is no longer answered.
    let late = RawFrame.text("late") + RawFrame(opcode: 9).bytes
    #expect(steps(after: late, &session) == [.deliver(.text("late"))])
    let echo = try SocketClose(SocketCloseCode(rawValue: 3003))
    #expect(steps(after: RawFrame.close(3003), &session) == [end(echo, isClean: true)])
  }

  @Test("two crossing closes end the session cleanly")
  func crossingCloses() {
    var session = WebSocketSession(role: .server)
    session.feed(RawFrame.close(1001))
    #expect(session.close(.normal) == .close(.normal))
    #expect(steps(&session) == [end(.goingAway, isClean: true)])
  }

  @Test(
    "a fault sends a close with its code and ends the session uncleanly",
    arguments: [
      (RawFrame(opcode: 3).bytes, SocketCloseCode.protocolError),
      (RawFrame(opcode: 1, payload: [0xff]).bytes, .invalidPayload),
      (RawFrame(opcode: 2, length: (127, [0, 0, 1, 0, 0, 0, 0, 0])).bytes, .messageTooBig),
    ])
  func faults(_ bytes: [UInt8], _ code: SocketCloseCode) {
    var session = WebSocketSession(role: .server)
    let steps = steps(after: RawFrame.text("a") + bytes, &session)
    #expect(steps.count == 3 && steps.first == .deliver(.text("a")))
    guard case .send(let close) = steps[1], close.opcode == .close else {
      return #expect(Bool(false), "no close")
    }
    #expect(close.payload.prefix(2) == [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 255)])
    #expect(close.payload.count <= 125)
    let fault = Decoded([bytes]).fault
    #expect(steps[2] == .end(.init(close: .abnormal, isClean: false, fault: fault)))
    #expect(session.ending?.fault?.code == code)
    #expect(self.steps(after: RawFrame.text("b"), &session).isEmpty)
  }

  @Test("a fault after the session's own close sends nothing")
  func faultAfterClose() {
    var session = WebSocketSession(role: .server)
    _ = session.close(.normal)
    let steps = steps(after: RawFrame(opcode: 3).bytes, &session)
    let fault = Decoded([RawFrame(opcode: 3).bytes]).fault
    #expect(steps == [.end(.init(close: .abnormal, isClean: false, fault: fault))])
  }

  @Test(
    "a broken connection delivers complete messages and then ends uncleanly",
    arguments: [false, true])
  func brokenConnection(_ hasClosed: Bool) {
    var session = WebSocketSession(role: .server)
    if hasClosed { _ = session.close(.normal) }
    session.feed(RawFrame.text("a") + RawFrame.text("b").dropLast())
    session.endInput()
    #expect(steps(&session) == [.deliver(.text("a")), end(.abnormal, isClean: false)])
    #expect(!session.isOpen)
  }

  @Test("a connection that ends after both closes ends cleanly")
  func endAfterClose() {
    var session = WebSocketSession(role: .server)
    session.feed(RawFrame.close(1000))
    session.endInput()
    #expect(steps(&session) == [.send(.close(.normal)), end(.normal, isClean: true)])
  }

  @Test(
    "two sessions exchange messages and close cleanly, whichever closes first",
    arguments: UInt64(1)...8)
  func bothSides(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var pair = Pair()
    var sent: [SocketMessage] = []
    for number in 0..<20 {
      let message = SocketMessage.text("\(number)")
      if pair.send(message, fromClient: true) { sent.append(message) }
      if random.chance(30) { pair.ping(fromClient: random.chance(50)) }
      if random.chance(40) { pair.run() }
    }
    pair.close(fromClient: random.chance(50))
    if random.chance(30) { pair.close(fromClient: true) }
    pair.run()
    #expect(pair.received == sent)
    #expect(pair.client.ending?.isClean == true)
    #expect(pair.server.ending?.isClean == true)
  }
}

/// A client and a server that are joined by two arrays of bytes.
private struct Pair {
  var client = WebSocketSession(role: .client)
  var server = WebSocketSession(role: .server)
  var received: [SocketMessage] = []
  private var toServer: [UInt8] = []
  private var toClient: [UInt8] = []

  mutating func send(_ message: SocketMessage, fromClient: Bool) -> Bool {
    guard let frame = try? fromClient ? client.send(message) : server.send(message) else {
      return false
    }
    put(frame, fromClient: fromClient)
    return true
  }

  mutating func ping(fromClient: Bool) {
    guard let frame = try? fromClient ? client.ping([7]) : server.ping([7]) else { return }
    put(frame, fromClient: fromClient)
  }

  mutating func close(fromClient: Bool) {
    let frame = fromClient ? client.close(.normal) : server.close(.normal)
    if let frame { put(frame, fromClient: fromClient) }
  }

  mutating func run() {
    while !toServer.isEmpty || !toClient.isEmpty {
      server.feed(toServer)
      toServer = []
      while let step = server.next() {
        if case .send(let frame) = step { put(frame, fromClient: false) }
        if case .deliver(let message) = step { received.append(message) }
      }
      client.feed(toClient)
      toClient = []
      while let step = client.next() {
        if case .send(let frame) = step { put(frame, fromClient: true) }
      }
    }
  }

  private mutating func put(_ frame: WebSocketFrame, fromClient: Bool) {
    if fromClient {
      WebSocketEncoder.append(frame, mask: WebSocketMask(1, 2, 3, 4), to: &toServer)
    } else {
      WebSocketEncoder.append(frame, mask: nil, to: &toClient)
    }
  }
}
