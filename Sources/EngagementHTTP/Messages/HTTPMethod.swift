public import EngagementModel

/// The method of a request, such as `GET`. Methods are case-sensitive, so nothing is upper-cased.
public struct HTTPMethod: ByteComparable {
  public let text: String
  public init(_ text: String) { self.text = text }

  public static let get: HTTPMethod = "GET"
  public static let head: HTTPMethod = "HEAD"
  public static let post: HTTPMethod = "POST"
  public static let put: HTTPMethod = "PUT"
  public static let patch: HTTPMethod = "PATCH"
  public static let delete: HTTPMethod = "DELETE"
  public static let options: HTTPMethod = "OPTIONS"

  /// Whether it only reads; such a request may be sent again and may follow a redirect.
  public var isSafe: Bool { self == .get || self == .head }
}
