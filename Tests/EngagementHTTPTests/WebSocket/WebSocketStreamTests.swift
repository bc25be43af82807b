import EngagementHTTP
import TestSupport
import Testing

/// Random streams of frames together with what they mean.
private struct Stream {
  var bytes: [UInt8] = []
  var events: [WebSocketEvent] = []
  private let role: WebSocketRole

  /// A stream that `role` receives.
  init(for role: WebSocketRole, using random: inout SeededGenerator) {
    self.role = role
    for _ in 0..<Int.random(in: 1...8, using: &random) {
      if random.chance(25) { addControl(using: &random) } else { addMessage(using: &random) }
    }
    if random.chance(30) {
      append(8, [0x03, 0xe8], using: &random)
      events.append(.close(.normal))
    }
  }

  private mutating func append(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, using random: inout SeededGenerator
  ) {
    let mask = role == .server ? random.bytes(4) : nil
    bytes += RawFrame(opcode: opcode, payload: payload, isFinal: isFinal, mask: mask).bytes
  }

  private mutating func addControl(using random: inout SeededGenerator) {
    let payload = random.bytes(random.pick([0, 1, 7, 125]))
    let isPing = random.chance(50)
    append(isPing ? 9 : 10, payload, using: &random)
    events.append(isPing ? .ping(payload) : .pong(payload))
  }

  private mutating func addMessage(using random: inout SeededGenerator) {
    let length = random.pick([0, 1, 3, 4, 5, 124, 125, 126, 127, 128, 300, 1_000])
    let isText = random.chance(50)
    let payload = isText ? random.text(length) : random.bytes(length)
    var pieces = random.chance(40) ? random.cut(payload) : [payload]
    if pieces.isEmpty { pieces = [[]] }
    for (index, piece) in pieces.enumerated() {
      if index > 0, random.chance(20) { addControl(using: &random) }
      let opcode: UInt8 = index > 0 ? 0 : isText ? 1 : 2
      append(opcode, piece, isFinal: index == pieces.count - 1, using: &random)
    }
    events.append(
      .message(isText ? .text(String(decoding: payload, as: UTF8.self)) : .binary(payload)))
  }
}

extension SeededGenerator {
  /// About that many bytes of UTF-8 with scalars of every length.
  fileprivate mutating func text(_ length: Int) -> [UInt8] {
    let scalars = [
      "a", "\0", "é", "\u{7ff}", "€", "\u{ffff}", "\u{d7ff}", "🎉", "\u{10ffff}", "\u{301}",
    ]
    var bytes: [UInt8] = []
    while bytes.count < length { bytes += pick(scalars).utf8 }
    return bytes
  }
}

@Suite("Streams of web socket frames")
struct WebSocketStreamTests {
  @Test(
    "a valid stream decodes the same in any pieces", arguments: [WebSocketRole.client, .server],
    UInt64(1)...UInt64(Effort.share(of: 12)))
  func validStreams(_ role: WebSocketRole, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let stream = Stream(for: role, using: &random)
      let whole = Decoded([stream.bytes], as: role)
      #expect(whole.fault == nil)
      #expect(whole.events == stream.events)
      #expect(Decoded(stream.bytes.map { [$0] }, as: role) == whole)
      #expect(Decoded(random.cut(stream.bytes), as: role) == whole)
    }
  }

  @Test(
    "a corrupted stream decodes the same in any pieces",
    arguments: [WebSocketRole.client, .server], UInt64(1)...UInt64(Effort.share(of: 12)))
  func spoiledStreams(_ role: WebSocketRole, _ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limits = WebSocketLimits(maximumFrame: 600, maximumMessage: 900)
    var faults = 0
    for _ in 0..<60 {
      var bytes = Stream(for: role, using: &random).bytes
      random.spoil(&bytes)
      let whole = Decoded([bytes], as: role, limits: limits)
      if whole.fault != nil { faults += 1 }
      #expect(Decoded(bytes.map { [$0] }, as: role, limits: limits) == whole)
      #expect(Decoded(random.cut(bytes), as: role, limits: limits) == whole)
    }
    #expect(faults > 5)
  }

  @Test("random bytes decode the same in any pieces", arguments: UInt64(1)...8)
  func noise(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let bytes = random.bytes(Int.random(in: 0...40, using: &random))
      let role = random.pick([WebSocketRole.client, .server])
      let whole = Decoded([bytes], as: role)
      #expect(Decoded(bytes.map { [$0] }, as: role) == whole)
    }
  }

  @Test("UTF-8 is validated as the standard library validates it", arguments: UInt64(1)...8)
  func utf8(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes: [UInt8] = [
      0x00, 0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
      0xec,
      0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ]
    for _ in 0..<2_000 {
      let payload = (0..<Int.random(in: 1...5, using: &random)).map { _ in random.pick(bytes) }
      let decoded = Decoded([RawFrame(opcode: 1, payload: payload).bytes])
      let text = String(validating: payload, as: UTF8.self)
      #expect(decoded.events == (text.map { [.message(.text($0))] } ?? []))
      #expect(decoded.fault?.code == (text == nil ? .invalidPayload : nil))
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func spoil(_ bytes: inout [UInt8]) {
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let place = Int.random(in: bytes.indices, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
      case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
      case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &self), at: place)
      default: if bytes.count > 1 { bytes.remove(at: place) }
      }
    }
  }
}
