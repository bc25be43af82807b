public import EngagementModel

/// Settings as they came from outside; errors name the setting.
public struct SettingFields {
  /// All of them.
  public let object: JSONObject
  private let prefix: String

  /// Throws `invalidArgument` for what is no object and for a setting that is not allowed.
  public init(_ json: JSON, allowed: [String], prefix: String = "") throws(EngagementError) {
    guard let object = json.object else {
      throw EngagementError(
        .invalidArgument, prefix.isEmpty ? "Settings are an object" : "\(prefix) is no object")
    }
    for member in object.members where !allowed.contains(member.key) {
      throw EngagementError(
        .invalidArgument,
        "There is no setting \"\(prefix)\(member.key)\"\(NearestName.hint(for: member.key, among: allowed))"
      )
    }
    self.object = object
    self.prefix = prefix
  }

  /// True or false; nil where it is absent.
  public func bool(_ key: String) throws(EngagementError) -> Bool? {
    try value(key, "neither true nor false", \.bool)
  }

  /// A text; nil where it is absent.
  public func text(_ key: String) throws(EngagementError) -> String? {
    try value(key, "no text", \.string)
  }

  /// A whole number from 0; nil where it is absent.
  public func count(_ key: String) throws(EngagementError) -> Int64? {
    try value(key, "no whole number from 0") { json in
      json.integer.flatMap { (0...Int64(Int32.max)).contains($0) ? $0 : nil }
    }
  }

  /// A list of texts; nil where it is absent.
  public func texts(_ key: String) throws(EngagementError) -> [String]? {
    try value(key, "no list of texts") { json in
      let texts = json.array?.compactMap(\.string)
      return texts?.count == json.array?.count ? texts : nil
    }
  }

  /// The error for a setting with a value that is not usable.
  public func wrong(_ key: String, _ what: String) -> EngagementError {
    EngagementError(.invalidArgument, "The setting \(prefix)\(key) is \(what)")
  }

  private func value<Value>(
    _ key: String, _ what: String, _ read: (JSON) -> Value?
  ) throws(EngagementError) -> Value? {
    guard let json = object[key] else { return nil }
    guard let value = read(json) else { throw wrong(key, what) }
    return value
  }
}
