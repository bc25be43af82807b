public import EngagementModel

extension HTTPURL {
  /// This URL with segments appended to its path and items appended to its query, all
  /// percent-encoded.
  ///
  /// A slash at the end of the path is not doubled. Throws `invalidArgument` for a segment that is
  /// empty, `.` or `..`: servers and libraries resolve these, and an id must not select another
  /// endpoint.
  public func appending(
    path segments: [String] = [], query items: [(name: String, value: String)] = []
  ) throws(EngagementError) -> HTTPURL {
    var path = path
    for segment in segments {
      let encoded = PercentEncoding.segment(segment)
      guard !["", ".", ".."].contains(encoded) else { throw URLFault.invalidPathSegment.error }
      path += path.utf8.last == UInt8(ascii: "/") ? encoded : "/\(encoded)"
    }
    let added = items.isEmpty ? nil : PercentEncoding.query(items)
    let query = [query, added].compactMap(\.self).filter { !$0.isEmpty }
    return HTTPURL(
      origin: origin, path: path,
      query: query.isEmpty ? self.query : query.joined(separator: "&"))
  }

  /// Resolves a reference against this URL, such as the value of a `Location` header (RFC 3986
  /// §5.2).
  ///
  /// The result must follow the rules of every `HTTPURL`; otherwise throws `invalidArgument`.
  public func resolving(_ reference: String) throws(EngagementError) -> HTTPURL {
    let bytes = Array(reference.utf8)[...]
    if Self.schemeLength(of: bytes) != nil { return try HTTPURL(reference).withoutDotSegments }
    if bytes.starts(with: "//".utf8) {
      return try HTTPURL("\(scheme.rawValue):\(reference)").withoutDotSegments
    }
    switch bytes.first {
    case UInt8(ascii: "/"): return try HTTPURL("\(origin)\(reference)").withoutDotSegments
    case UInt8(ascii: "?"): return try HTTPURL("\(origin)\(path)\(reference)")
    case nil, UInt8(ascii: "#"): return try HTTPURL("\(text)\(reference)")
    default: return try HTTPURL("\(origin)\(folder)\(reference)").withoutDotSegments
    }
  }

  /// The path up to its last slash, included.
  private var folder: String {
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.utf8.startIndex
    return String(path[...end])
  }

  /// Resolves the `.` and `..` segments of the path, never above the root (RFC 3986 §5.2.4).
  private var withoutDotSegments: HTTPURL {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return HTTPURL(origin: origin, path: "/" + kept.joined(separator: "/"), query: query)
  }
}
