import EngagementJSON
import EngagementModel

/// An answer as the client received it.
struct RawAnswer {
  var status: Int
  var headers: [(name: String, value: String)] = []
  /// The bytes after the head.
  var body: [UInt8]

  /// Reads the head and uses the rest as the body; nil without a complete head.
  init?(parsing bytes: [UInt8]) {
    let mark = Array("\r\n\r\n".utf8)
    guard bytes.starts(with: Array("HTTP/1.1 ".utf8)),
      let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) })
    else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    guard let status = Int(lines[0].dropFirst(9).prefix(3)) else { return nil }
    self.status = status
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers.append((parts[0].lowercased(), parts[1].trimmingPrefix(" ").description))
    }
    body = Array(bytes[(end + 4)...])
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name == name.lowercased() }?.value
  }

  /// The length of the body: 0 for statuses without one, nil if unknown.
  var length: Int? {
    status == 204 || status == 304 ? 0 : header("Content-Length").flatMap { Int($0) }
  }
  var text: String { String(decoding: body, as: UTF8.self) }
  var json: JSON? { try? JSON(parsing: body) }

  func cut(to length: Int) -> RawAnswer {
    var answer = self
    answer.body = Array(body.prefix(length))
    return answer
  }
}
