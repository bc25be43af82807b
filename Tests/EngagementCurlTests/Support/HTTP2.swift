import TestServers

/// The part of an HTTP/2 server that answers `GET` requests.
struct HTTP2 {
  let connection: ServerConnection
  /// The streams with a complete request.
  private(set) var asked: [UInt32] = []

  init(_ connection: ServerConnection) throws {
    self.connection = connection
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    guard try connection.read(exactly: preface.utf8.count) == Array(preface.utf8) else {
      throw TestFailure("no HTTP/2")
    }
    try write(kind: 4, flags: 0, stream: 0, [])
  }

  /// Reads one frame, and answers settings and pings at once.
  mutating func readFrame() throws {
    let head = try connection.read(exactly: 9)
    let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let payload = count == 0 ? [] : try connection.read(exactly: count)
    switch head[3] {
    // A request without a body ends with a flag of its headers.
    case 1 where head[4] & 1 != 0: asked.append(stream)
    case 4 where head[4] & 1 == 0: try write(kind: 4, flags: 1, stream: 0, [])
    case 6 where head[4] & 1 == 0: try write(kind: 6, flags: 1, stream: 0, payload)
    default: break
    }
  }

  /// Answers the oldest request with 200, a header and a body.
  mutating func answerNext(_ body: String) throws {
    let stream = asked.removeFirst()
    // `:status: 200` from the table, then a literal header without indexing.
    let headers = [0x88, 0, 3] + Array("x-a".utf8) + [1] + Array("1".utf8)
    try write(kind: 1, flags: 4, stream: stream, headers)
    try write(kind: 0, flags: 1, stream: stream, Array(body.utf8))
  }

  private func write(kind: UInt8, flags: UInt8, stream: UInt32, _ payload: [UInt8]) throws {
    let count = payload.count
    let head: [UInt8] = [
      UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags,
    ]
    let place = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) }
    try connection.write(head + place + payload)
  }
}
