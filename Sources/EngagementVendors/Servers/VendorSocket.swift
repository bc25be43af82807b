public import EngagementHTTP

/// What a vendor makes of a request that asks for a web socket.
public enum VendorSocketAnswer: Sendable {
  /// The socket is open.
  case accepted(VendorSocketOpening)
  /// The vendor sends this answer, and there is no socket.
  case refused(VendorAnswer)
}

/// A socket that a vendor opened.
public struct VendorSocketOpening: Sendable {
  /// The subprotocols that the vendor speaks; the client's first choice among them is agreed on.
  public var subprotocols: [String]
  /// What the request changed, in order.
  public var effects: [VendorEffect]
  /// A few words for a reader of the record; no credential.
  public var summary: String

  public init(
    subprotocols: [String] = [], effects: [VendorEffect] = [], summary: String = "socket"
  ) {
    self.subprotocols = subprotocols
    self.effects = effects
    self.summary = summary
  }
}

/// What a vendor made of a text that it heard on a socket. It answers with `takeSocketOutput`.
public struct VendorHearing: Sendable {
  /// What the text changed, in order.
  public var effects: [VendorEffect]
  /// A few words for a reader of the record; no credential.
  public var summary: String

  public init(effects: [VendorEffect] = [], summary: String = "") {
    self.effects = effects
    self.summary = summary
  }
}

/// One thing that a vendor does on one of its sockets.
public struct VendorSocketOutput: Hashable, Sendable {
  /// The number of the socket.
  public var socket: Int
  public var action: Action

  /// What the vendor does.
  public enum Action: Hashable, Sendable {
    case say(String)
    case close(SocketClose)
  }

  public init(_ action: Action, on socket: Int) {
    self.action = action
    self.socket = socket
  }
}

extension VendorRequest {
  /// Whether the request asks for a web socket.
  public var asksForSocket: Bool {
    method == "GET"
      && all("Upgrade").contains { value in
        value.split(separator: ",").contains { part in
          part.lowercased().filter { $0 != " " && $0 != "\t" } == "websocket"
        }
      }
  }
}
