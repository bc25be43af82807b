/// Which side of a web socket this is.
public enum WebSocketRole: Hashable, Sendable {
  /// Sends masked frames and takes unmasked ones.
  case client
  /// Sends unmasked frames and takes masked ones.
  case server
}

/// How much a peer may send at once. More is refused with 1009 when a header announces it, before
/// any of it is kept.
public struct WebSocketLimits: Hashable, Sendable {
  /// The payload of one data frame, in bytes.
  public let maximumFrame: Int
  /// The payload of one message over all its frames, in bytes.
  public let maximumMessage: Int

  /// One megabyte each unless told otherwise; nothing below zero.
  public init(maximumFrame: Int = 1 << 20, maximumMessage: Int = 1 << 20) {
    self.maximumFrame = max(0, maximumFrame)
    self.maximumMessage = max(0, maximumMessage)
  }
}
