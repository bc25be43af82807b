extension User {
  /// The neutral JSON of the user: an object with the `id`, or an empty object for the anonymous
  /// user.
  public var json: JSON { ObjectEncoder(["id": id]).json }

  /// Reads the neutral JSON of a user. Throws `invalidArgument` if the id is not a string.
  public init(json: JSON) throws(EngagementError) {
    let fields = try ObjectDecoder(JSONField(value: json, place: "user"))
    let id: UserID? = try fields.read("id")
    self = id.map { User($0) } ?? .anonymous
  }
}
