public import EngagementModel

/// The method of a request, such as `GET`. Methods are case-sensitive and never changed to upper
/// case.
public struct HTTPMethod: ByteComparable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let get: HTTPMethod = "GET"
  public static let head: HTTPMethod = "HEAD"
  public static let post: HTTPMethod = "POST"
  public static let put: HTTPMethod = "PUT"
  public static let patch: HTTPMethod = "PATCH"
  public static let delete: HTTPMethod = "DELETE"
  public static let options: HTTPMethod = "OPTIONS"

  /// Whether the method only reads. Such a request may be repeated and may follow a redirect.
  public var isSafe: Bool { self == .get || self == .head }
}
