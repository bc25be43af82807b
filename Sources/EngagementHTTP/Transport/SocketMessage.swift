import EngagementModel

/// One complete message of a web socket. Texts are compared by their bytes.
public enum SocketMessage: Sendable {
  case text(String)
  case binary([UInt8])

  /// The length in bytes.
  public var count: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let bytes): bytes.count
    }
  }
}

extension SocketMessage: Hashable {
  public static func == (left: SocketMessage, right: SocketMessage) -> Bool {
    switch (left, right) {
    case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
    case (.binary(let a), .binary(let b)): a == b
    case (.text, _), (.binary, _): false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .text(let text): text.hashBytes(into: &hasher)
    case .binary(let bytes): hasher.combine(bytes)
    }
  }
}

extension SocketMessage: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The kind and the length, such as `text of 12 bytes`.
  public var description: String {
    switch self {
    case .text: "text of \(count) bytes"
    case .binary: "binary of \(count) bytes"
    }
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
