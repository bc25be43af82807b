import EngagementHTTP
import EngagementModel
import Testing

@Suite("Decoding web socket frames")
struct WebSocketDecoderTests {
  @Test("the examples of RFC 6455 §5.7 decode to their messages")
  func examples() {
    let hello = Array("Hello".utf8)
    #expect(Decoded([[0x81, 0x05] + hello], as: .client).events == [.message(.text("Hello"))])
    let masked: [UInt8] = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    #expect(Decoded([masked], as: .server).events == [.message(.text("Hello"))])
    let fragments: [[UInt8]] = [[0x01, 0x03, 0x48, 0x65, 0x6c], [0x80, 0x02, 0x6c, 0x6f]]
    #expect(Decoded(fragments, as: .client).events == [.message(.text("Hello"))])
    #expect(Decoded([[0x89, 0x05] + hello], as: .client).events == [.ping(hello)])
    let pong: [UInt8] = [0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58]
    #expect(Decoded([pong], as: .server).events == [.pong(hello)])
    let short = [UInt8](repeating: 7, count: 256)
    #expect(
      Decoded([[0x82, 0x7e, 0x01, 0x00] + short], as: .client).events == [.message(.binary(short))])
    let long = [UInt8](repeating: 7, count: 65536)
    #expect(
      Decoded([[0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + long], as: .client).events
        == [.message(.binary(long))])
  }

  struct Violation: CustomTestStringConvertible {
    var testDescription: String
    /// What is sent before it and is right.
    var before: [UInt8]
    var frame: RawFrame
    var code: SocketCloseCode

    init(
      _ name: String, after before: [UInt8] = [], _ frame: RawFrame,
      _ code: SocketCloseCode = .protocolError
    ) {
      testDescription = name
      self.before = before
      self.frame = frame
      self.code = code
    }
  }

  private static let headers: [Violation] = [
    .init("a frame without a mask", RawFrame(opcode: 1, payload: [120], mask: nil)),
    .init("reserved bit 1", RawFrame(opcode: 1, reserved: 4)),
    .init("reserved bit 2", RawFrame(opcode: 1, reserved: 2)),
    .init("reserved bit 3", RawFrame(opcode: 1, reserved: 1)),
    .init("a reserved bit of a ping", RawFrame(opcode: 9, reserved: 4)),
    .init("opcode 3", RawFrame(opcode: 3)),
    .init("opcode 7", RawFrame(opcode: 7)),
    .init("opcode 11", RawFrame(opcode: 11)),
    .init("opcode 15", RawFrame(opcode: 15)),
    .init("a fragmented ping", RawFrame(opcode: 9, isFinal: false)),
    .init("a fragmented pong", RawFrame(opcode: 10, isFinal: false)),
    .init("a fragmented close", RawFrame(opcode: 8, isFinal: false)),
    .init("a ping of 126 bytes", RawFrame(opcode: 9, payload: bytes(126))),
    .init("a ping with a long length", RawFrame(opcode: 9, length: (127, bytes(8)))),
    .init("a close of 126 bytes", RawFrame(opcode: 8, payload: bytes(126))),
    .init("a continuation of nothing", RawFrame(opcode: 0, payload: [120])),
    .init("a continuation after a whole message", after: RawFrame.text("a"), RawFrame(opcode: 0)),
    .init("a text inside a text", after: RawFrame.text("a", isFinal: false), RawFrame(opcode: 1)),
    .init("a binary inside a text", after: RawFrame.text("a", isFinal: false), RawFrame(opcode: 2)),
    .init("16 bits of length for 125", RawFrame(opcode: 2, length: (126, [0, 125]))),
    .init("16 bits of length for 0", RawFrame(opcode: 2, length: (126, [0, 0]))),
    .init(
      "64 bits of length for 65535",
      RawFrame(opcode: 2, length: (127, [0, 0, 0, 0, 0, 0, 255, 255]))),
    .init("a length of 2^63", RawFrame(opcode: 2, length: (127, [128, 0, 0, 0, 0, 0, 0, 0]))),
    .init("a length of 2^64 - 1", RawFrame(opcode: 2, length: (127, bytes(8, 255)))),
    .init(
      "a length of 2^63 - 1", RawFrame(opcode: 2, length: (127, [127] + bytes(7, 255))),
      .messageTooBig),
    .init(
      "a length of 2^40", RawFrame(opcode: 2, length: (127, [0, 0, 1, 0, 0, 0, 0, 0])),
      .messageTooBig),
    .init(
      "a length of 17 megabytes", RawFrame(opcode: 2, length: (127, [0, 0, 0, 0, 1, 16, 0, 0])),
      .messageTooBig),
    .init(
      "a frame over the limit by one",
      RawFrame(opcode: 2, length: (127, [0, 0, 0, 0, 0, 16, 0, 1])), .messageTooBig),
    .init(
      "a fragment that brings its message over the limit by one",
      after: RawFrame.text("a", isFinal: false),
      RawFrame(opcode: 0, length: (127, [0, 0, 0, 0, 0, 16, 0, 0])), .messageTooBig),
  ]

  private static let payloads: [Violation] = [
    .init("no UTF-8", text([0xff, 0xfe]), .invalidPayload),
    .init("an overlong form", text([0xc0, 0xaf]), .invalidPayload),
    .init("an overlong form of three bytes", text([0xe0, 0x9f, 0xbf]), .invalidPayload),
    .init("an overlong form of four bytes", text([0xf0, 0x8f, 0xbf, 0xbf]), .invalidPayload),
    .init("a surrogate", text([0xed, 0xa0, 0x80]), .invalidPayload),
    .init("beyond U+10FFFF", text([0xf4, 0x90, 0x80, 0x80]), .invalidPayload),
    .init("a first byte F5", text([0xf5]), .invalidPayload),
    .init("a continuation byte alone", text([0x80]), .invalidPayload),
    .init("a scalar that is cut off", text([0xe2, 0x82]), .invalidPayload),
    .init(
      "a wrong second fragment before the last", after: RawFrame.text("ok", isFinal: false),
      RawFrame(opcode: 0, payload: [0xc0, 0xaf], isFinal: false), .invalidPayload),
    .init(
      "a scalar that is cut off over fragments",
      after: RawFrame(opcode: 1, payload: [0xe2], isFinal: false).bytes,
      RawFrame(opcode: 0, payload: [0x82]), .invalidPayload),
    .init("a close of one byte", RawFrame(opcode: 8, payload: [3])),
    .init(
      "a reason that is no UTF-8", RawFrame(opcode: 8, payload: [3, 232, 255]), .invalidPayload),
    .init(
      "a reason that is cut off", RawFrame(opcode: 8, payload: [3, 232, 0xe2, 0x82]),
      .invalidPayload),
  ]

  private static func bytes(_ count: Int, _ byte: UInt8 = 0) -> [UInt8] {
    [UInt8](repeating: byte, count: count)
  }

  private static func text(_ payload: [UInt8]) -> RawFrame {
    RawFrame(opcode: 1, payload: payload)
  }

  @Test(
    "a frame that breaks a rule is refused with the right close code", arguments: headers + payloads
  )
  func violations(_ violation: Violation) {
    let bytes = violation.before + violation.frame.bytes
    let decoded = Decoded([bytes])
    #expect(decoded.fault?.code == violation.code)
    #expect(decoded.events == Decoded([violation.before]).events)
    #expect(Decoded(bytes.map { [$0] }) == decoded)
  }

  @Test("an invalid header is refused before its mask and payload arrive", arguments: headers)
  func early(_ violation: Violation) {
    #expect(Decoded([violation.before + violation.frame.header]).fault?.code == violation.code)
    #expect(Decoded([violation.before]).fault == nil)
  }

  @Test("A3: a message of empty frames without an end is refused, and one of a thousand is not")
  func emptyFrames() {
    let rest = Array(repeating: [0x00, 0x00] as [UInt8], count: 999)
    let start: [[UInt8]] = [[0x01, 0x00]] + rest
    let decoded = Decoded(start + [[0x80, 0x01, 0x61]] + start + [[0x80, 0x00]], as: .client)
    #expect(decoded.events == [.message(.text("a")), .message(.text(""))])
    #expect(Decoded(start + [[0x00, 0x00]], as: .client).fault?.code == .messageTooBig)
  }

  @Test("invalid UTF-8 is refused at its first byte, before the frame ends")
  func failingFast() {
    var decoder = WebSocketDecoder(role: .server)
    let frame = RawFrame(opcode: 1, payload: [0x61, 0xc3, 0x28, 0x61, 0x61]).bytes
    decoder.feed(frame[..<8])
    #expect(throws: Never.self) { try decoder.next() }
    decoder.feed(frame[8..<9])
    let fault = #expect(throws: WebSocketFault.self) { try decoder.next() }
    #expect(fault?.code == .invalidPayload)
  }

  @Test("a client refuses a masked frame from a server")
  func maskedForClient() {
    #expect(Decoded([RawFrame.text("a")], as: .client).fault?.code == .protocolError)
  }

  @Test(
    "valid close codes are accepted",
    arguments: [
      1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
      4999,
    ] as [UInt16])
  func closeCodes(_ code: UInt16) throws {
    let reason = Array("bye é".utf8)
    let close = try SocketClose(SocketCloseCode(rawValue: code), "bye é")
    #expect(Decoded([RawFrame.close(code, reason)]) == Decoded(closing: close))
  }

  @Test(
    "reserved close codes are refused",
    arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16])
  func reservedCloseCodes(_ code: UInt16) {
    let decoded = Decoded([RawFrame.close(code)])
    #expect(decoded.fault?.code == .protocolError)
    #expect(decoded.events.isEmpty)
  }

  @Test("an empty close has no status, and bytes after a close are ignored")
  func afterClose() {
    let bytes = RawFrame(opcode: 8).bytes + RawFrame.text("late") + RawFrame(opcode: 3).bytes
    #expect(Decoded([bytes]) == Decoded(closing: .noStatus))
    #expect(Decoded(bytes.map { [$0] }) == Decoded(closing: .noStatus))
  }

  @Test("a text split between frames and interrupted by a ping is joined")
  func interruptedText() {
    let euro = Array("h€".utf8)
    let bytes =
      RawFrame(opcode: 1, payload: Array(euro[..<2]), isFinal: false).bytes
      + RawFrame(opcode: 9, payload: Array("pp".utf8)).bytes
      + RawFrame(opcode: 0, payload: Array(euro[2...])).bytes + RawFrame.close(1000)
    let expected: [WebSocketEvent] = [
      .ping(Array("pp".utf8)), .message(.text("h€")), .close(.normal),
    ]
    #expect(Decoded([bytes]).events == expected)
    #expect(Decoded(bytes.map { [$0] }).events == expected)
  }

  @Test("a close inside a message discards the message")
  func closeInsideMessage() {
    #expect(
      Decoded([RawFrame.text("a", isFinal: false) + RawFrame.close(1001)])
        == Decoded(closing: .goingAway))
  }

  @Test("empty messages and empty fragments are accepted")
  func emptiness() {
    #expect(Decoded([RawFrame.text("")]).events == [.message(.text(""))])
    #expect(Decoded([RawFrame(opcode: 2).bytes]).events == [.message(.binary([]))])
    let empty = RawFrame(opcode: 0, isFinal: false).bytes
    let bytes = RawFrame.text("", isFinal: false) + empty + empty + RawFrame(opcode: 0).bytes
    #expect(
      Decoded([bytes + RawFrame.text("b")]).events == [.message(.text("")), .message(.text("b"))])
  }

  @Test("texts keep every scalar, including NUL, a byte order mark and both forms of é")
  func scalars() {
    let text = "\u{feff}a\0b e\u{301} é \u{10ffff} \u{d7ff}\u{e000} 👩‍👩‍👧"
    guard case .message(.text(let read)) = Decoded([RawFrame.text(text)]).events.first else {
      return #expect(Bool(false), "no text")
    }
    #expect(read.utf8.elementsEqual(text.utf8))
  }

  @Test("the message limit counts all frames, and the frame limit counts each frame")
  func limits() {
    let limits = WebSocketLimits(maximumFrame: 4, maximumMessage: 6)
    func frame(_ opcode: UInt8, _ count: Int, _ isFinal: Bool) -> [UInt8] {
      RawFrame(opcode: opcode, payload: .init(repeating: 1, count: count), isFinal: isFinal).bytes
    }
    let six: [WebSocketEvent] = [.message(.binary(.init(repeating: 1, count: 6)))]
    #expect(Decoded([frame(2, 4, false) + frame(0, 2, true)], limits: limits).events == six)
    #expect(
      Decoded([frame(2, 4, false) + frame(0, 3, true)], limits: limits).fault?.code
        == .messageTooBig)
    #expect(Decoded([frame(2, 5, true)], limits: limits).fault?.code == .messageTooBig)
    // A message that was delivered leaves all the room to the next.
    #expect(Decoded([frame(2, 4, true) + frame(2, 4, true)], limits: limits).fault == nil)
    // Control frames are not data.
    #expect(Decoded([frame(9, 125, true)], limits: limits).events.count == 1)
    let none = WebSocketLimits(maximumFrame: -1, maximumMessage: -5)
    #expect(Decoded([frame(2, 0, true)], limits: none).events.count == 1)
    #expect(Decoded([frame(2, 1, true)], limits: none).fault?.code == .messageTooBig)
  }

  @Test("a fault is final, and later bytes are not read")
  func faultsAreFinal() {
    var decoder = WebSocketDecoder(role: .server)
    decoder.feed(RawFrame(opcode: 3).bytes)
    let first = #expect(throws: WebSocketFault.self) { try decoder.next() }
    decoder.feed(RawFrame.text("a"))
    let second = #expect(throws: WebSocketFault.self) { try decoder.next() }
    #expect(first == second)
    #expect(first?.error.code == .malformedResponse)
  }
}

extension Decoded {
  init(closing close: SocketClose) { events = [.close(close)] }
}
