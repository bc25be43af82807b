/// A side of a web socket.
public enum WebSocketRole: Hashable, Sendable {
  /// The client sends masked frames and receives unmasked ones.
  case client
  /// The server sends unmasked frames and receives masked ones.
  case server
}

/// How much a peer may send at once. The decoder refuses a larger frame with 1009 when it reads the
/// header, before it stores any of the payload.
public struct WebSocketLimits: Hashable, Sendable {
  /// The greatest payload of one data frame, in bytes.
  public let maximumFrame: Int
  /// The greatest payload of one message over all its frames, in bytes.
  public let maximumMessage: Int

  /// One megabyte each by default; a negative limit becomes zero.
  public init(maximumFrame: Int = 1 << 20, maximumMessage: Int = 1 << 20) {
    self.maximumFrame = max(0, maximumFrame)
    self.maximumMessage = max(0, maximumMessage)
  }
}
