public import EngagementPlatform

/// The `Retry-After` header (RFC 9110 §10.2.3).
public enum RetryAfter {
  /// The shortest and the longest wait that a server can request.
  public static let range: ClosedRange<Duration> = .seconds(1) ... .seconds(6 * 3600)

  /// The requested wait, clamped to `range`. Nil if the value is neither a number of seconds nor
  /// one of the three forms of an HTTP date.
  ///
  /// A date is rounded up to whole seconds. A past date gives the shortest wait.
  public static func delay(_ value: String, now: Date) -> Duration? {
    let bytes = Array(value.utf8.trimmed)
    if !bytes.isEmpty, bytes.allSatisfy(\.isDigit) { return clamped(seconds: number(bytes)) }
    guard let date = HTTPDate.parse(bytes, now: now) else { return nil }
    return clamped(seconds: (date.timeIntervalSince1970 - now.timeIntervalSince1970).rounded(.up))
  }

  private static func number(_ digits: [UInt8]) -> Double {
    digits.reduce(0) { $0 * 10 + Double($1 - 0x30) }
  }

  private static func clamped(seconds: Double) -> Duration {
    let least = 1.0
    let most = 6.0 * 3600
    // A NaN fails both comparisons; the longest wait is then the safe one.
    return .seconds(seconds < least ? least : seconds < most ? seconds : most)
  }
}

extension HTTPResponse {
  /// The wait that the first readable `Retry-After` header requests.
  public func retryAfter(now: Date) -> Duration? {
    headers.all("Retry-After").lazy.compactMap { RetryAfter.delay($0, now: now) }.first
  }
}
