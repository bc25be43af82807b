public import EngagementModel

/// Writes the head of an HTTP/1.1 request, for transports that implement HTTP themselves, such as a
/// web socket over a plain connection.
public enum HTTPHead {
  /// The request line and the headers, `Host` first, of a request without a body.
  ///
  /// Throws as `HTTPRequest.target()` does, and `invalidArgument` if the request has a body.
  public static func bytes(of request: HTTPRequest) throws(EngagementError) -> [UInt8] {
    guard request.body == nil else {
      throw EngagementError(.invalidArgument, "A head alone can't announce a body.")
    }
    let url = try request.target()
    var text = "\(request.method.rawValue) \(url.target) HTTP/1.1\r\n"
    text += "Host: \(url.origin.authority)\r\n"
    for field in request.headers.fields { text += "\(field.name): \(field.value.revealed)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}

/// Reads the head of a response as its bytes arrive.
public struct HTTPHeadReader: Sendable {
  /// The longest head that is read, in bytes.
  public static let limit = 16 << 10

  private enum State { case reading, done, failed }

  private var state = State.reading
  private var head: [UInt8] = []
  /// The bytes that were fed after the head: the start of the next data.
  public private(set) var rest: [UInt8] = []

  public init() {}

  /// Takes bytes. Returns the response without a body once its head is complete, nil before. Later
  /// bytes are only appended to `rest`.
  ///
  /// Throws `malformedResponse`, also on every later call, if the head is not HTTP/1, is over the
  /// limit, or is ambiguous: a folded line, a bare line end, white space before a colon.
  public mutating func feed(_ bytes: ArraySlice<UInt8>) throws(EngagementError) -> HTTPResponse? {
    switch state {
    case .failed: throw Self.malformed
    case .done:
      rest += bytes
      return nil
    case .reading: break
    }
    do {
      return try read(bytes)
    } catch {
      state = .failed
      head = []
      throw error
    }
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>) throws(EngagementError) -> HTTPResponse? {
    for index in bytes.indices {
      head.append(bytes[index])
      if head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        rest = Array(bytes[(index + 1)...])
        state = .done
        return try Self.response(head.dropLast(4))
      }
      guard head.count < Self.limit else { throw Self.malformed }
    }
    return nil
  }

  private static func response(_ head: ArraySlice<UInt8>) throws(EngagementError) -> HTTPResponse {
    var lines = Self.lines(of: head)
    guard let status = status(lines.removeFirst()) else { throw malformed }
    var response = HTTPResponse(status)
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw malformed }
      let name = String(ascii: line[..<colon])
      let value = String(ascii: line[(colon + 1)...])
      do { try response.headers.append(name, value) } catch { throw malformed }
    }
    return response
  }

  /// The lines between CR LF. A bare CR or LF stays in its line and makes the line invalid.
  private static func lines(of head: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = head.startIndex
    for index in head.indices.dropFirst()
    where head[index] == UInt8(ascii: "\n") && head[index - 1] == UInt8(ascii: "\r") {
      lines.append(head[start..<(index - 1)])
      start = index + 1
    }
    return lines + [head[start...]]
  }

  /// The status in a line such as `HTTP/1.1 101 Switching Protocols`.
  private static func status(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: "HTTP/1.1 ".utf8) || line.starts(with: "HTTP/1.0 ".utf8) else {
      return nil
    }
    let digits = line.dropFirst(9).prefix(3)
    let after = line.dropFirst(12)
    guard digits.count == 3, digits.allSatisfy(\.isDigit), digits.first != UInt8(ascii: "0"),
      after.isEmpty || after.first == UInt8(ascii: " "), after.allSatisfy({ $0 >= 0x20 })
    else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static let malformed = EngagementError(
    .malformedResponse, "The answer has no readable HTTP head.")
}
