import EngagementHTTP
import EngagementModel
import Testing

@testable import EngagementEmulator

/// The state machine of one socket, without a connection.
@Suite struct SocketTrafficTests {
  private let start = ContinuousClock.now

  private func traffic(_ fault: JSON? = nil) throws -> SocketTraffic {
    let faults = try fault.map { try EmulatorFaults(json: ["faults": [$0]]) }
    var traffic = SocketTraffic(head: [], fault: faults?.faults.first, at: start)
    traffic.advance(to: start)
    return traffic
  }

  private func masked(_ frame: WebSocketFrame) -> ArraySlice<UInt8> {
    var bytes: [UInt8] = []
    WebSocketEncoder.append(frame, mask: WebSocketMask(1, 2, 3, 4), to: &bytes)
    return bytes[...]
  }

  @Test("an idle socket waits without limit, also after a text in either direction")
  func idle() throws {
    var traffic = try traffic()
    #expect(traffic.due == nil)
    traffic.receive(masked(.message(.text("x"))))
    #expect(traffic.nextText(at: start) == "x" && traffic.nextText(at: start) == nil)
    traffic.say("y", at: start)
    traffic.advance(to: start)
    traffic.sent(traffic.output.count)
    #expect(traffic.due == nil && !traffic.isOver(at: start))
  }

  @Test("a delayed text is due after its delay, and a close follows it")
  func delayed() throws {
    var traffic = try traffic(["fault": "socketDelayed", "milliseconds": 100])
    traffic.say("x", at: start)
    traffic.close(.goingAway, at: start)
    let due = start + .milliseconds(100)
    #expect(traffic.due == due)
    traffic.advance(to: due - .milliseconds(1))
    #expect(traffic.output.isEmpty)
    traffic.advance(to: due)
    #expect(traffic.output == [0x81, 1, 0x78, 0x88, 2, 0x03, 0xe9])
  }

  @Test("a held-back text goes alone when its time is up")
  func heldBack() throws {
    var traffic = try traffic(["fault": "socketReordered", "milliseconds": 100])
    traffic.say("x", at: start)
    traffic.advance(to: start)
    #expect(traffic.output.isEmpty && traffic.due == start + .milliseconds(100))
    traffic.advance(to: start + .milliseconds(100))
    #expect(traffic.output == [0x81, 1, 0x78] && traffic.due == nil)
  }

  @Test("a client that does not answer a close, or takes no bytes, is given up after five seconds")
  func patience() throws {
    var traffic = try traffic()
    traffic.close(.normal, at: start)
    traffic.advance(to: start)
    #expect(!traffic.output.isEmpty && traffic.due == start + .seconds(5))
    #expect(!traffic.isOver(at: start + .milliseconds(4_999)))
    #expect(traffic.isOver(at: start + .seconds(5)))
    traffic.receive(masked(.close(.normal)))
    #expect(traffic.nextText(at: start) == nil && !traffic.isOver(at: start))
    traffic.sent(traffic.output.count)
    #expect(traffic.isOver(at: start))
  }

  @Test("a silent socket still sends what was said before, then waits without limit")
  func silent() throws {
    var traffic = try traffic()
    traffic.say("x", at: start)
    traffic.fallSilent(at: start)
    traffic.say("y", at: start)
    traffic.advance(to: start)
    #expect(!traffic.isSilent && traffic.output == [0x81, 1, 0x78])
    traffic.sent(3)
    #expect(traffic.isSilent && traffic.due == nil)
    traffic.say("z", at: start)
    traffic.advance(to: start)
    #expect(traffic.output.isEmpty)
  }

  @Test("a socket that is silent, or falls silent after a delayed text, can be dropped")
  func droppedSilence() throws {
    var silent = try traffic()
    silent.fallSilent(at: start)
    silent.advance(to: start)
    silent.drop(at: start)
    silent.advance(to: start)
    #expect(silent.isOver(at: start))
    var delayed = try traffic(["fault": "socketDelayed", "milliseconds": 100])
    delayed.say("x", at: start)
    delayed.fallSilent(at: start)
    delayed.say("y", at: start)
    delayed.drop(at: start)
    delayed.advance(to: start + .milliseconds(200))
    #expect(delayed.output == [0x81, 1, 0x78])
    delayed.sent(3)
    #expect(delayed.isOver(at: start + .milliseconds(200)))
  }

  @Test("the end of the client's bytes ends the socket, without a close frame")
  func inputEnds() throws {
    var traffic = try traffic()
    traffic.endInput()
    #expect(traffic.nextText(at: start) == nil && !traffic.isReading)
    #expect(traffic.output.isEmpty && traffic.isOver(at: start))
  }
}
