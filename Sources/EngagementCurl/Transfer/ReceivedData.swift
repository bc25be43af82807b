import EngagementHTTP

/// The data received for one request: the unchanged lines of the head and the decoded body.
struct ReceivedData: Sendable {
  /// The most bytes of heads, including interim ones: far more than servers send, and still
  /// harmless.
  static let headLimit = 64 << 10

  var status = 0
  var body: [UInt8] = []
  private var head: [UInt8] = []
  private var headBytes = 0
  /// Whether the last head that began has ended, as far as the server has sent it.
  private(set) var isHeadComplete = true

  /// Takes one line of a head. Returns false if the heads are too long.
  mutating func take(headLine line: some Collection<UInt8>) -> Bool {
    headBytes += line.count
    guard headBytes <= Self.headLimit else { return false }
    if isHeadComplete {
      // The line is a new head or a trailer. RFC 9110 §6.5.1 forbids merging unknown trailers.
      guard line.starts(with: "HTTP/".utf8) else { return true }
      head = []
      isHeadComplete = false
    } else if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") {
      isHeadComplete = true
    } else {
      head.append(contentsOf: line)
    }
    return true
  }

  /// The response, without fields that `HTTPHeaders` refuses.
  var response: HTTPResponse {
    var headers = HTTPHeaders()
    for line in head.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[(colon + 1)...]
      try? headers.append(
        String(decoding: line[..<colon], as: UTF8.self),
        String(decoding: value.last == UInt8(ascii: "\r") ? value.dropLast() : value, as: UTF8.self)
      )
    }
    return HTTPResponse(status, headers: headers, body: body)
  }
}
