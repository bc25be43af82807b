import EngagementJSON
import EngagementModel

/// Writes a person's attributes with the vendor's names.
enum BrazeAttributes {
  /// The fields for which the vendor has attributes.
  static let fields: Set<PersonUpdate.Field> = [.email, .phone, .city, .country, .custom]

  /// The limit for the attributes of one request, in bytes.
  private static let mostBytes = 75 * 1_024

  static func members(
    of update: PersonUpdate, without blocklists: BrazeBlocklists
  ) throws(EngagementError) -> JSONObject {
    if let field = update.fields.subtracting(fields).first {
      throw EngagementError(.unsupported, "Braze has no attribute for \(field.rawValue).")
    }
    let standard = standard(in: update)
    guard !standard.isEmpty || !update.custom.isEmpty else {
      throw EngagementError(.invalidArgument, "There is nothing to update.")
    }
    var members = blocklists.allowed(standard)
    let custom = blocklists.allowed(update.custom)
    if !custom.isEmpty { members["custom"] = .object(custom) }
    guard JSON.object(members).encoded().count <= mostBytes else {
      throw EngagementError(.invalidArgument, "The attributes of a person take at most 75 KB.")
    }
    return members
  }

  /// The fields for which the vendor has its own attributes.
  private static func standard(in update: PersonUpdate) -> JSONObject {
    var members = JSONObject()
    members["email"] = update.email.map(JSON.string)
    members["phone"] = update.phone.map(JSON.string)
    members["home_city"] = update.city.map(JSON.string)
    members["country"] = update.country.map(JSON.string)
    return members
  }
}
