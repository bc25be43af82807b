public import EngagementModel

/// The reason code of a web socket's end, RFC 6455 §7.4.
public struct SocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let normal = SocketCloseCode(rawValue: 1000)
  public static let goingAway = SocketCloseCode(rawValue: 1001)
  public static let protocolError = SocketCloseCode(rawValue: 1002)
  public static let unsupportedData = SocketCloseCode(rawValue: 1003)
  /// The peer's close frame had no code. Never sent in a frame.
  public static let noStatus = SocketCloseCode(rawValue: 1005)
  /// The connection ended without a close frame. Never sent in a frame.
  public static let abnormal = SocketCloseCode(rawValue: 1006)
  public static let invalidPayload = SocketCloseCode(rawValue: 1007)
  public static let policyViolation = SocketCloseCode(rawValue: 1008)
  public static let messageTooBig = SocketCloseCode(rawValue: 1009)
  public static let internalError = SocketCloseCode(rawValue: 1011)
  public static let serviceRestart = SocketCloseCode(rawValue: 1012)
  public static let tryAgainLater = SocketCloseCode(rawValue: 1013)

  /// Whether a close frame may contain the code: it is registered and not reserved, or in the
  /// ranges for libraries and applications.
  public var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  public var description: String { String(rawValue) }
}

/// The end of a web socket, stated by one side in a close frame or concluded by this side.
public struct SocketClose: Sendable {
  public let code: SocketCloseCode
  /// At most 123 bytes; for developers, never for users.
  public let reason: String

  /// A close frame to send. Throws `invalidArgument` if no frame may contain the code or the reason
  /// has more than 123 bytes.
  public init(_ code: SocketCloseCode, _ reason: String = "") throws(EngagementError) {
    guard code.isSendable else {
      throw EngagementError(.invalidArgument, "Close code \(code) is reserved.")
    }
    guard reason.utf8.count <= 123 else {
      throw EngagementError(.invalidArgument, "The reason to close has more than 123 bytes.")
    }
    self.init(checked: code, reason)
  }

  init(checked code: SocketCloseCode, _ reason: String = "") {
    self.code = code
    self.reason = reason
  }

  public static let normal = SocketClose(checked: .normal)
  public static let goingAway = SocketClose(checked: .goingAway)
  /// A close frame without a code.
  public static let noStatus = SocketClose(checked: .noStatus)
  /// The connection ended without a close frame.
  public static let abnormal = SocketClose(checked: .abnormal)
}

extension SocketClose: Hashable {
  public static func == (left: SocketClose, right: SocketClose) -> Bool {
    left.code == right.code && left.reason.hasSameBytes(as: right.reason)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    reason.hashBytes(into: &hasher)
  }
}

extension SocketClose: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Only the code, because the reason is the peer's text.
  public var description: String { "closed with \(code)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
