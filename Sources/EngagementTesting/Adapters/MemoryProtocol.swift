import EngagementHTTP
import EngagementModel

/// The made-up vendor's protocol, as its documentation would have it: what the adapter and the
/// server in memory both know, and nothing else that they share.
///
/// - Requests go to `https://memory.example/v1`, bodies are JSON, times are milliseconds since
///   1970-01-01T00:00:00Z.
/// - A device is registered without a credential, `POST /devices`, and gets an id and a token.
/// - Every other request says which device asks (`X-Device`, `X-Device-Token`) and, where somebody
///   is signed in, who (`X-User`) with the application's credential (`Authorization`), whose form
///   is `memory.<user>.<serial>`.
/// - 401 refuses the credential; 410 says that the device is not known any more.
/// - A request that cannot be served right now may be answered by 200 and `{"error": <word>}`.
enum MemoryProtocol {
  static let vendor: Vendor = "memory"
  static let host: HostPattern = "memory.example"
  static let endpoint = "https://memory.example/v1"

  static let device = "X-Device"
  static let deviceToken = "X-Device-Token"
  static let user = "X-User"
  static let credential = "Authorization"
  static let scheme = "Bearer "

  /// The name under which a push carries what this vendor put in it.
  static let push = "memory"
  /// The error inside a 200 that passes by itself; any other word is a refusal.
  static let overloaded = "overloaded"

  static func credential(for user: UserID, serial: Int) -> Secret {
    Secret("memory.\(user).\(serial)")
  }
}
