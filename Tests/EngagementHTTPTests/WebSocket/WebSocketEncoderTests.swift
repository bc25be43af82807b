import EngagementHTTP
import EngagementModel
import TestSupport
import Testing

@Suite("Encoding web socket frames")
struct WebSocketEncoderTests {
  private func encode(_ frame: WebSocketFrame, mask: WebSocketMask? = nil) -> [UInt8] {
    var bytes: [UInt8] = [0xee]
    WebSocketEncoder.append(frame, mask: mask, to: &bytes)
    #expect(bytes[0] == 0xee)
    return Array(bytes.dropFirst())
  }

  @Test("the examples of RFC 6455 §5.7 encode to their bytes")
  func examples() throws {
    let hello = Array("Hello".utf8)
    let mask = WebSocketMask(0x37, 0xfa, 0x21, 0x3d)
    #expect(encode(.message(.text("Hello"))) == [0x81, 0x05] + hello)
    #expect(
      encode(.message(.text("Hello")), mask: mask)
        == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
    #expect(encode(try .ping(hello)) == [0x89, 0x05] + hello)
    let short = [UInt8](repeating: 7, count: 256)
    #expect(encode(.message(.binary(short))) == [0x82, 0x7e, 0x01, 0x00] + short)
    let long = [UInt8](repeating: 7, count: 65536)
    #expect(encode(.message(.binary(long))) == [0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + long)
  }

  @Test("a mask made from a number equals one made from its bytes")
  func masks() {
    #expect(WebSocketMask(random: 0x3d21_fa37) == WebSocketMask(0x37, 0xfa, 0x21, 0x3d))
  }

  @Test(
    "lengths use their shortest form, masked or not",
    arguments: [0, 1, 125, 126, 127, 128, 65535, 65536, 65537])
  func lengths(_ count: Int) {
    let payload = [UInt8](repeating: 0xa5, count: count)
    let byHand = RawFrame(opcode: 2, payload: payload)
    #expect(
      encode(.message(.binary(payload)), mask: WebSocketMask(0x37, 0xfa, 0x21, 0x3d))
        == byHand.bytes)
    let unmasked = RawFrame(opcode: 2, payload: payload, mask: nil)
    #expect(encode(.message(.binary(payload))) == unmasked.bytes)
  }

  @Test("a close frame carries a code and a reason, or nothing")
  func closes() throws {
    #expect(encode(.close(.normal)) == [0x88, 0x02, 0x03, 0xe8])
    let close = try SocketClose(SocketCloseCode(rawValue: 3000), "é")
    #expect(encode(.close(close)) == [0x88, 0x04, 0x0b, 0xb8, 0xc3, 0xa9])
    #expect(encode(.close(.noStatus)) == [0x88, 0x00])
    #expect(encode(.close(.abnormal)) == [0x88, 0x00])
  }

  @Test("creating an oversized control frame throws")
  func longControls() throws {
    #expect(try WebSocketFrame.ping([UInt8](repeating: 0, count: 125)).payload.count == 125)
    let error = #expect(throws: EngagementError.self) {
      try WebSocketFrame.ping([UInt8](repeating: 0, count: 126))
    }
    #expect(error?.code == .invalidArgument)
    #expect(try SocketClose(.normal, String(repeating: "x", count: 123)).reason.utf8.count == 123)
    #expect(throws: EngagementError.self) {
      try SocketClose(.normal, String(repeating: "é", count: 62))
    }
  }

  @Test(
    "creating a close with a reserved code throws",
    arguments: [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] as [UInt16])
  func reservedCodes(_ code: UInt16) {
    let error = #expect(throws: EngagementError.self) {
      try SocketClose(SocketCloseCode(rawValue: code))
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test("encoded frames decode to the same events on either side", arguments: UInt64(1)...8)
  func roundTrip(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let bytes = random.bytes(random.pick([0, 1, 5, 125, 126, 300, 70_000]))
      let text = String(decoding: random.bytes(20), as: UTF8.self)
      let control = random.bytes(random.pick([0, 125]))
      let close = try SocketClose(.goingAway, String(text.prefix(3)))
      let frames: [WebSocketFrame] = [
        .message(.binary(bytes)), .message(.text(text)), try .ping(control), .close(close),
      ]
      let events: [WebSocketEvent] = [
        .message(.binary(bytes)), .message(.text(text)), .ping(control), .close(close),
      ]
      let mask =
        random.chance(50)
        ? WebSocketMask(random: UInt32.random(in: .min ... .max, using: &random)) : nil
      let stream = frames.flatMap { encode($0, mask: mask) }
      #expect(Decoded([stream], as: mask == nil ? .client : .server).events == events)
    }
  }

  @Test("messages, frames and closes print no content")
  func descriptions() throws {
    let close = try SocketClose(.normal, "canary")
    let values: [Any] = [
      SocketMessage.text("canary"), SocketMessage.binary(Array("canary".utf8)), close,
      WebSocketFrame.message(.text("canary")), WebSocketEvent.message(.text("canary")),
      SocketReceipt.closed(close), SocketReceipt.message(.text("canary")),
    ]
    for value in values {
      var text = "\(value) " + String(reflecting: value)
      dump(value, to: &text)
      #expect(!text.contains("canary"))
      #expect(!text.contains("\(UInt8(ascii: "y"))"))
    }
    #expect(SocketMessage.text("é").description == "text of 2 bytes")
    #expect(WebSocketFrame.message(.binary([1])).description == "binary of 1 bytes")
  }
}
