import EngagementModel

extension User {
  /// The bytes that stand for the user: those of the id, none for the anonymous one.
  var stored: [UInt8] { id.map { Array($0.text.utf8) } ?? [] }

  init(stored bytes: [UInt8]) {
    self = bytes.isEmpty ? .anonymous : User(UserID(String(decoding: bytes, as: UTF8.self)))
  }

  /// Throws `invalidArgument` for an id that would be taken for the anonymous user.
  func requireName() throws(EngagementError) {
    guard let id, id.text.isEmpty else { return }
    throw EngagementError(.invalidArgument, "The id of a user is empty.")
  }
}
