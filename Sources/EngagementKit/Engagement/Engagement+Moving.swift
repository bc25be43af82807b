import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  /// The push tokens of this installation, for the server of a vendor to which people move. They belong
  /// to the present user, and to nobody after a sign-out.
  public func pushRegistrations() async throws(EngagementError) -> [PushRegistration] {
    try lifecycle.checkOpen()
    let tokens = try await dependencies.providerSecrets.push()
    return PushEnvironment.allCases.compactMap { tokens[$0] }
  }
}

extension EngagementReader {
  /// The users of whom the cache holds something, by their ids; the anonymous one first.
  public var users: [User] {
    get throws(EngagementError) {
      let environment = query.environment
      return try read { (reader) throws(EngagementError) in
        try reader.users(in: environment).values.sorted { left, right in
          guard let right = right.id else { return false }
          return left.id.map { $0 < right } ?? true
        }
      }
    }
  }
}
