import EngagementHTTP
import FuzzDriver

let frames: [[UInt8]] = [
  [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58],
  [0x01, 0x82, 0, 0, 0, 0, 0xc3, 0xa9, 0x89, 0x81, 1, 2, 3, 4, 5, 0x80, 0x80, 9, 9, 9, 9],
  [0x82, 0xfe, 0x00, 0x7e, 0, 0, 0, 0] + [UInt8](repeating: 1, count: 126),
  [0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0], [0x8a, 0x80, 0, 0, 0, 0],
  [0x88, 0x85, 0, 0, 0, 0, 0x03, 0xe8, 0x62, 0x79, 0x65],
  [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f], [0x01, 0x00, 0x00, 0x00, 0x80, 0x00],
  [0x82, 0x7e, 0x00, 0x7e] + [UInt8](repeating: 1, count: 126), [0x88, 0x02, 0x0f, 0xa0],
]

// The first byte chooses the reading side and the pieces of the rest.
FuzzDriver.run(seeds: frames.flatMap { [[0] + $0, [7] + $0] }) { bytes in
  guard let choice = bytes.first else { return }
  let role: WebSocketRole = choice & 1 == 0 ? .server : .client
  let stream = bytes.dropFirst()
  let whole = Reading([stream], as: role)
  let size = max(1, Int(choice >> 1))
  let pieces = stride(from: stream.startIndex, to: stream.endIndex, by: size).map { start in
    stream[start..<min(start + size, stream.endIndex)]
  }
  precondition(Reading(pieces, as: role) == whole, "the result depends on the pieces")
  precondition(
    Reading(stream.map { [$0][...] }, as: role) == whole, "the result depends on single bytes")
  whole.checkEncoding(from: role)
  checkSession(stream, as: role)
}
