package import EngagementModel

/// The permanent rows of one user in one environment. A user who signs in again finds them.
package struct Partition: Hashable, Sendable, Identifiable {
  package let id: Int64
  package let environment: String
  package let user: User

  package init(id: Int64, environment: String, user: User) {
    self.id = id
    self.environment = environment
    self.user = user
  }
}

extension User {
  /// The bytes that stand for the user: those of the id, none for the anonymous one.
  var stored: [UInt8] { id.map { Array($0.rawValue.utf8) } ?? [] }

  init(stored bytes: [UInt8]) {
    self = bytes.isEmpty ? .anonymous : User(UserID(String(decoding: bytes, as: UTF8.self)))
  }

  /// Throws `invalidArgument` for an id that would be taken for the anonymous user.
  func requireName() throws(EngagementError) {
    guard let id, id.rawValue.isEmpty else { return }
    throw EngagementError(.invalidArgument, "The id of a user is empty.")
  }
}
