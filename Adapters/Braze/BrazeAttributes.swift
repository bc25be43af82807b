import EngagementJSON
import EngagementModel

/// A person's attributes with the vendor's names, checked as the vendor's clients check them.
struct BrazeAttributes {
  /// The fields for which the vendor has attributes.
  static let fields: Set<PersonUpdate.Field> = [
    .email, .phone, .city, .country, .custom, .notifications,
  ]

  /// The limit for the attributes of one request, in bytes.
  private static let mostBytes = 75 * 1_024

  /// The members of the object of attributes.
  private(set) var members: JSONObject
  /// The application's own lists, which the vendor takes as events.
  private(set) var lists: [(key: String, value: JSON)] = []

  var isEmpty: Bool { members.isEmpty && lists.isEmpty }

  init(_ update: PersonUpdate, without blocklists: BrazeBlocklists) throws(EngagementError) {
    if let field = update.fields.subtracting(Self.fields).first {
      throw EngagementError(.unsupported, "Braze has no attribute for \(field.rawValue).")
    }
    let standard = try Self.standard(in: update)
    guard !standard.isEmpty || !update.custom.isEmpty else {
      throw EngagementError(.invalidArgument, "There is nothing to update.")
    }
    for member in update.custom.members where !BrazeEvent.isName(member.key) {
      throw EngagementError(
        .invalidArgument,
        "Braze takes no attribute with the name \"\(member.key)\": \(BrazeEvent.rulesOfNames)")
    }
    members = blocklists.allowed(standard)
    var custom = JSONObject()
    for member in blocklists.allowed(update.custom).members {
      if member.value.array == nil {
        custom[member.key] = member.value
      } else {
        lists.append((member.key, member.value))
      }
    }
    if !custom.isEmpty { members["custom"] = .object(custom) }
    let size = lists.reduce(JSON.object(members).encoded().count) {
      $0 + $1.value.encoded().count
    }
    guard size <= Self.mostBytes else {
      throw EngagementError(.invalidArgument, "The attributes of a person take at most 75 KB.")
    }
  }

  /// The fields for which the vendor has its own attributes.
  private static func standard(in update: PersonUpdate) throws(EngagementError) -> JSONObject {
    if let email = update.email, !isEmail(email) {
      throw EngagementError(.invalidArgument, "The text is no email address.")
    }
    if let phone = update.phone, !isPhone(phone) {
      throw EngagementError(
        .invalidArgument, "A phone number has digits, spaces and . ( ) + - alone.")
    }
    var members = JSONObject()
    members["email"] = update.email.map(JSON.string)
    members["phone"] = update.phone.map(JSON.string)
    members["home_city"] = update.city.map(JSON.string)
    members["country"] = update.country.map(JSON.string)
    members["push_subscribe"] = update.notifications.map { $0 ? "opted_in" : "unsubscribed" }
    return members
  }

  /// Something, an at sign, something, a dot, something.
  private static func isEmail(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let at = bytes.dropFirst().firstIndex(of: UInt8(ascii: "@")),
      let dot = bytes.dropLast().lastIndex(of: UInt8(ascii: "."))
    else { return false }
    return dot > at + 1
  }

  private static func isPhone(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { "0123456789 .()+-".utf8.contains($0) }
  }
}
