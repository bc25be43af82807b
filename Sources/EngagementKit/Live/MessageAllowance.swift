/// How much a live channel hears without a pause. A vendor that floods its socket must not keep a
/// core busy: each message may cost a transaction.
///
/// The allowance of some seconds can be used at once. A long message counts for more than one.
struct MessageAllowance {
  /// When the messages that were heard are paid for, as uptime.
  private var paid: Duration?

  private static let messagesPerSecond = 100
  private static let saved = Duration.seconds(5)
  /// How many bytes count as one message.
  private static let unit = 16 << 10

  /// Notes a message. Returns until when the next one has to wait; nil if it has not.
  mutating func note(byteCount: Int, at uptime: Duration) -> Duration? {
    let cost = Duration.seconds(1) * (1 + byteCount / Self.unit) / Self.messagesPerSecond
    let end = max(paid ?? uptime - Self.saved, uptime - Self.saved) + cost
    paid = end
    return end > uptime ? end : nil
  }
}
