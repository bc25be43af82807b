import EngagementFormats
import EngagementJSON
import EngagementModel

/// The text of a file of secrets: its schema, the owners with what is theirs, and a digest over
/// the owners, since a token with a flipped bit would look like any other.
///
/// Every later schema is an object with `schema` and `digest` too. There the digest is over the object
/// without its digest, so that a damaged file is not taken for one of a newer version.
extension SecretTable {
  static let schema: Int64 = 1

  /// The table as it is kept; the same table gives the same bytes.
  var bytes: [UInt8] {
    let owners = JSON.array(self.owners.sorted { $0.key.precedes($1.key) }.map(Self.json))
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("schema", Self.schema)
    writer.member("digest", Self.digest(of: owners))
    writer.member("owners", owners)
    writer.endObject()
    return writer.bytes
  }

  /// Reads what was kept. Only this schema has a digest over the owners alone: what has one is read,
  /// even where a bit of its number was flipped.
  ///
  /// Throws `newerSchema` for what a newer version wrote, and `unreadable` for anything that is
  /// not what was written, an empty file too.
  init(bytes: [UInt8]) throws(EngagementError) {
    guard let document = Self.document(in: bytes), let schema = document["schema"]?.integer else {
      throw .damagedSecrets
    }
    guard let owners = document["owners"], document["digest"]?.string == Self.digest(of: owners)
    else {
      guard schema > Self.schema, Self.isWhole(document) else { throw .damagedSecrets }
      throw EngagementError(
        .newerSchema, "The file of secrets was written by a newer version of the library")
    }
    do throws(EngagementError) {
      for field in try JSONField(value: owners, place: "owners").elements() { try read(field) }
    } catch {
      throw .damagedSecrets
    }
  }

  private static func document(in bytes: [UInt8]) -> JSON? {
    do throws(JSONFault) {
      return try JSON(parsing: bytes)
    } catch {
      return nil
    }
  }

  private static func digest(of json: JSON) -> String {
    SHA256.digest(of: json.encoded()).description
  }

  /// Whether a document of a later schema is as it was written.
  private static func isWhole(_ document: JSON) -> Bool {
    guard var members = document.object else { return false }
    members["digest"] = nil
    return document["digest"]?.string == digest(of: .object(members))
  }

  private static func json(_ owner: SecretOwner, _ secrets: [SecretName: Secret]) -> JSON {
    let members = secrets.sorted { $0.key < $1.key }.map {
      JSONObject.Member($0.key.rawValue, .string($0.value.revealed))
    }
    return ObjectEncoder([
      "environment": owner.environment, "provider": owner.provider,
      "owner": owner.kind, "user": owner.user?.id,
      "secrets": JSONObject(uniqueMembers: members),
    ]).json
  }

  private mutating func read(_ field: JSONField) throws(EngagementError) {
    let fields = try ObjectDecoder(field)
    let kind: SecretOwner.Kind = try fields.require("owner")
    let user: User? =
      switch kind {
      case .installation: nil
      case .anonymous: .anonymous
      case .user: User(try fields.require("user"))
      }
    let owner = SecretOwner(
      environment: try fields.require("environment"), provider: try fields.read("provider"),
      user: user)
    let secrets: JSONObject = try fields.require("secrets")
    for member in secrets.members {
      owners[owner, default: [:]][SecretName(member.key)] = Secret(
        try String(JSONField(value: member.value, place: "secret")))
    }
  }
}

extension SecretOwner {
  fileprivate enum Kind: String, CaseIterable, FieldValue { case installation, anonymous, user }

  fileprivate var kind: Kind {
    guard let user else { return .installation }
    return user.isAnonymous ? .anonymous : .user
  }

  /// An order for the file, so that a table has one text.
  fileprivate func precedes(_ other: SecretOwner) -> Bool {
    rank.lexicographicallyPrecedes(other.rank) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private var rank: [String] {
    [environment, provider.map { "+\($0)" } ?? "", kind.rawValue, user?.id?.rawValue ?? ""]
  }
}

extension EngagementError {
  fileprivate static let damagedSecrets = EngagementError(
    .unreadable,
    "The file of secrets is not what was written; put it aside and register or sign in again")
}
