/// How long to wait after a failure: full jitter under a ceiling that doubles, and never less than
/// the vendor asked for.
enum Backoff {
  static let shortest = Duration.seconds(1)
  static let longest = Duration.seconds(300)
  /// What a vendor asks for is believed up to here.
  static let longestAsked = Duration.seconds(6 * 3600)

  /// The wait after so many failures in a row, 1 or more.
  ///
  /// - Parameters:
  ///   - asked: How long the vendor asked to be left alone.
  ///   - random: 64 random bits.
  static func delay(after failures: Int, asked: Duration? = nil, random: UInt64) -> Duration {
    let doublings = min(max(failures, 1), 9)
    let ceiling = min(longest, .seconds(1 << doublings))
    let jittered = shortest + spread(ceiling - shortest, random)
    guard let asked else { return jittered }
    return max(jittered, clamped(asked))
  }

  /// What the vendor asked for, within reason.
  static func clamped(_ asked: Duration) -> Duration { min(max(asked, shortest), longestAsked) }

  /// A part of the duration: all of it for all bits set, nothing for none.
  private static func spread(_ duration: Duration, _ random: UInt64) -> Duration {
    let nanoseconds = UInt64(duration / .nanoseconds(1))
    return .nanoseconds(Int64(random.multipliedFullWidth(by: nanoseconds + 1).high))
  }
}
