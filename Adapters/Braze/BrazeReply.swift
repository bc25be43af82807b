import EngagementJSON
import EngagementModel

/// The body of a successful answer, read once. Both endpoints share its members.
///
/// A value fault costs its own member, and a wrong type is as good as absent; but an error stays
/// an error whatever it looks like.
struct BrazeReply {
  /// The `error`, in the vendor's word; empty for one without a word.
  private(set) var error: String?
  /// The signature was refused, and with it the request.
  private(set) var refusedSignature: SignatureFault?
  /// The signature was refused and the request was taken all the same.
  private(set) var toleratedSignature: SignatureFault?
  private(set) var config: JSONFields?
  private(set) var cards: [RawItem]?
  private(set) var isFullSync = false
  private(set) var fullSyncAt: Int64?
  private(set) var updatedAt: Int64?

  /// What is wrong with a signature.
  struct SignatureFault: Hashable {
    var code: Int64?
  }

  /// Throws only what fails the whole document.
  init(_ body: [UInt8]) throws(JSONFault) {
    var cursor = JSONCursor(body)
    guard try cursor.enterObject() else { throw JSONFault(.notAnObject, at: 0) }
    while let key = try Self.nextKey(&cursor) {
      do throws(JSONFault) {
        try read(key, &cursor)
      } catch {
        if error.isStructural { throw error }
      }
    }
    try cursor.finish()
  }

  private mutating func read(_ key: JSONKey, _ cursor: inout JSONCursor) throws(JSONFault) {
    switch key {
    case "error":
      guard try cursor.kind() != .null else { return }
      error = ""
      error = try cursor.string() ?? ""
    case "auth_error": try Self.read(&refusedSignature, &cursor)
    case "optional_auth_error": try Self.read(&toleratedSignature, &cursor)
    case "config": config = try? JSONFields(try cursor.raw())
    case "cards": cards = try cursor.items()
    case "full_sync": isFullSync = try Self.flag(&cursor)
    case "last_full_sync_at": fullSyncAt = try cursor.integer()
    case "last_card_updated_at": updatedAt = try cursor.integer()
    default: break
    }
  }

  private static func read(
    _ fault: inout SignatureFault?, _ cursor: inout JSONCursor
  ) throws(JSONFault) {
    guard try cursor.kind() != .null else { return }
    fault = SignatureFault()
    let members = try? JSONFields(try cursor.raw())
    fault?.code = members?.integer("error_code")
  }

  private static func flag(_ cursor: inout JSONCursor) throws(JSONFault) -> Bool {
    let value = try cursor.json()
    return value.bool ?? (value.integer == 1)
  }

  /// The next key; a member whose key or unread value is at fault is passed by.
  private static func nextKey(_ cursor: inout JSONCursor) throws(JSONFault) -> JSONKey? {
    while true {
      do throws(JSONFault) {
        return try cursor.nextKey()
      } catch {
        if error.isStructural { throw error }
      }
    }
  }
}
