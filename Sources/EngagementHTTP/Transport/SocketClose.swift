public import EngagementModel

/// Why a web socket ends, RFC 6455 §7.4.
public struct SocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let normal = SocketCloseCode(rawValue: 1000)
  public static let goingAway = SocketCloseCode(rawValue: 1001)
  public static let protocolError = SocketCloseCode(rawValue: 1002)
  public static let unsupportedData = SocketCloseCode(rawValue: 1003)
  /// The peer's close frame had no code. Never sent.
  public static let noStatus = SocketCloseCode(rawValue: 1005)
  /// The connection ended without a close frame. Never sent.
  public static let abnormal = SocketCloseCode(rawValue: 1006)
  public static let invalidPayload = SocketCloseCode(rawValue: 1007)
  public static let policyViolation = SocketCloseCode(rawValue: 1008)
  public static let messageTooBig = SocketCloseCode(rawValue: 1009)
  public static let internalError = SocketCloseCode(rawValue: 1011)
  public static let serviceRestart = SocketCloseCode(rawValue: 1012)
  public static let tryAgainLater = SocketCloseCode(rawValue: 1013)

  /// Whether a close frame may carry it: registered and not reserved, or of the ranges for
  /// libraries and applications.
  public var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  public var description: String { String(rawValue) }
}

/// The end of a web socket, as one side states it or as this side has to conclude it.
public struct SocketClose: Sendable {
  public let code: SocketCloseCode
  /// At most 123 bytes; for a developer, never for a user.
  public let reason: String

  /// A close to send. Throws `invalidArgument` for a code that no frame may carry and for a
  /// reason of more than 123 bytes.
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
  /// No close frame at all.
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
  /// The code; the reason is the peer's text.
  public var description: String { "closed with \(code)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
