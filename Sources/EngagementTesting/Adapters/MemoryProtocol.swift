import EngagementHTTP
import EngagementModel

/// The invented vendor's protocol. The adapter and the in-memory server share these definitions and
/// nothing else.
///
/// - Requests go to `/v1` of the host, `memory.example` where none is named; bodies are JSON, times are milliseconds since
///   1970-01-01T00:00:00Z.
/// - `POST /devices` registers a device without a credential and returns an id and a token.
/// - Every other request names the device (`X-Device`, `X-Device-Token`). For a signed-in user it
///   also names the user (`X-User`) and carries the application's credential (`Authorization`), in
///   the form `memory.<user>.<serial>`.
/// - 401 refuses the credential; 410 means that the server no longer knows the device.
/// - `POST /events` also tells of campaigns: the ids of announced ones that are due, how many were
///   shown today, and how often each was shown. Its answer brings those that are due.
/// - A server that cannot serve a request now may answer with 200 and `{"error": <word>}`.
enum MemoryProtocol {
  static let vendor: Vendor = "memory"

  static let device = "X-Device"
  static let deviceToken = "X-Device-Token"
  static let user = "X-User"
  static let credential = "Authorization"
  static let scheme = "Bearer "

  /// The member of a push that holds this vendor's data.
  static let push = "memory"
  /// The temporary error inside a 200; any other word is a refusal.
  static let overloaded = "overloaded"

  static func credential(for user: UserID, serial: Int) -> Secret {
    Secret("memory.\(user).\(serial)")
  }
}
