import EngagementJSON
import EngagementModel

/// The body of a successful answer. Both endpoints share its members.
///
/// A member with an invalid value or a wrong type counts as absent. But an `error` or `auth_error`
/// of any type is a failure.
struct BrazeReply {
  /// The vendor's `error`; empty if it is not a text.
  private(set) var error: String?
  /// The vendor refused the signature, and with it the request.
  private(set) var refusedSignature: SignatureFault?
  /// The vendor refused the signature but accepted the request.
  private(set) var toleratedSignature: SignatureFault?
  private(set) var config: JSONFields?
  private(set) var cards: [RawItem]?
  /// Something else stands where the list of cards should be.
  private(set) var hasNoList = false
  private(set) var isFullSync = false
  private(set) var fullSyncAt: Int64?
  private(set) var updatedAt: Int64?
  /// Whether the body says something that Braze says. A proxy's `{}` does not, and is no answer.
  private(set) var isRecognized = false

  /// The reason why a signature was refused.
  struct SignatureFault: Hashable {
    var code: Int64?
  }

  /// Throws only structural faults.
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
    case "message": isRecognized = try cursor.string() != nil || isRecognized
    case "auth_error": try Self.read(&refusedSignature, &cursor)
    case "optional_auth_error":
      try Self.read(&toleratedSignature, &cursor)
      isRecognized = toleratedSignature != nil || isRecognized
    case "config":
      config = try? JSONFields(try cursor.raw())
      isRecognized = config != nil || isRecognized
    case "cards":
      hasNoList = try cursor.kind() != .null
      cards = try cursor.items()
      hasNoList = hasNoList && cards == nil
      isRecognized = cards != nil || isRecognized
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

  /// The next key. Skips a member whose key or unread value is invalid.
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
