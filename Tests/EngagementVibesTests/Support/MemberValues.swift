import EngagementModel

/// The values that a test gives one member: sound ones, other types, unknown values.
struct MemberValues {
  var sound: JSON
  /// Other types that mean the same as `sound`.
  var coercible: [JSON] = []
  var wrong: [JSON]
  var unknown: [JSON]

  static let numbers: [JSON] = [7, .number(-0.5)]
  static let texts: [JSON] = ["x", ""]
  static let others: [JSON] = [.null, [], [:], ["a"]]

  /// A text that may not be empty.
  static let text = MemberValues(sound: "sound", wrong: others + numbers + [true], unknown: [""])
  /// A text that is taken whatever it says.
  static let anyText = MemberValues(sound: "sound", wrong: others + numbers + [true], unknown: [""])
  static let address = MemberValues(
    sound: "https://example.com/a", wrong: others + numbers + [true],
    unknown: ["", "javascript:x", " data:,x"])
  static let time = MemberValues(
    sound: "2026-10-01T08:00:00.250+02:00", wrong: others + numbers + [true, 1_790_845_200],
    unknown: ["", "soon", "2026-02-30T00:00:00Z", "Jun 16, 2020 6:26:52 PM"])
  static let object = MemberValues(
    sound: ["k": "v"], wrong: [.null, [], "x", true] + numbers, unknown: [[:]])
  static let looseObject = MemberValues(
    sound: ["k": "v"], coercible: [#"{"k":"v"}"#, #"{"k"=>"v"}"#],
    wrong: [.null, [], "x", "{", true] + numbers, unknown: [[:], "{}"])
}

extension JSON {
  /// With the member at the path set, or taken away; objects on the way are made.
  func setting(_ path: [String], to value: JSON?) -> JSON {
    guard let name = path.first else { return value ?? .null }
    var object = self.object ?? [:]
    if path.count == 1 {
      object[name] = value
    } else if value != nil || object[name] != nil {
      object[name] = (object[name] ?? [:]).setting(Array(path.dropFirst()), to: value)
    }
    return .object(object)
  }
}
