import EngagementModel

/// The vendor's limits for names, keys and values.
///
/// | | UTF-16 units | without | then |
/// |---|---|---|---|
/// | name of an event | 1024 | `. : $ ' " \` | empty or the vendor's own: the event is rejected |
/// | key | 120 | `: $ ' " \` | empty: the member is left out |
/// | text | 1024 | `' " \` | empty: the member is left out |
/// | list | 100 elements | nulls | empty: the member is left out |
///
/// Like the vendor's own clients, this trims white space, removes such characters and cuts longer
/// texts, so that an apostrophe in a product's name does not lose the purchase. Those clients only
/// warn about depth (3), lists and objects at one level (5 each) and members (100), and send them.
enum CleverTapLimits {
  static let eventName = CleverTapTextRule(length: 1_024, without: ".:$'\"\\")
  static let key = CleverTapTextRule(length: 120, without: ":$'\"\\")
  static let text = CleverTapTextRule(length: 1_024, without: "'\"\\")
  static let elements = 100
  /// The most items of a purchase, and the most events of a batch besides its header.
  static let chargedItems = 50
  static let batch = 49

  /// The vendor's reserved names, in normalised form.
  private static let ownEvents: Set<String> = [
    "stayed", "notificationclicked", "notificationviewed", "utmvisited", "notificationsent",
    "applaunched", "appuninstalled", "geoclusterentered", "geoclusterexited", "wzrk_fetch",
    "wzrk_d", "sccampaignoptout",
  ]

  /// Properties of a person that have a single value.
  private static let single: Set<String> = [
    "name", "email", "education", "married", "dob", "gender", "phone", "age", "fbid", "gpid",
    "birthday",
  ]

  static func isOwnEvent(_ name: String) -> Bool { ownEvents.contains(normalized(name)) }

  static func holdsOneValue(_ key: String) -> Bool { single.contains(normalized(key)) }

  /// The normalised form in which the vendor compares names: without spaces, in lower case.
  static func normalized(_ name: String) -> String {
    String(name.lowercased().unicodeScalars.filter { $0 != " " })
  }

  /// The members in a form that the vendor accepts.
  static func cleaned(_ object: JSONObject) -> JSONObject {
    let cleaned = object.members.compactMap { member -> JSONObject.Member? in
      let key = key.cleaned(member.key)
      guard !key.isEmpty, let value = Self.cleaned(member.value) else { return nil }
      return JSONObject.Member(key, value)
    }
    return JSONObject(firstOfEach: cleaned)
  }

  /// The value in a form that the vendor accepts; nil if nothing remains.
  ///
  /// `.some` and `.none` are explicit: next to a `JSON`, a bare `nil` means the value null.
  static func cleaned(_ value: JSON) -> JSON? {
    switch value {
    case .null: return nil
    case .bool, .integer: return value
    case .number(let number): return number.isFinite ? .some(value) : .none
    case .string(let string):
      let text = text.cleaned(string)
      return text.isEmpty ? .none : .some(.string(text))
    case .array(let elements):
      let kept = elements.compactMap(cleaned).prefix(Self.elements)
      return kept.isEmpty ? .none : .some(.array(Array(kept)))
    case .object(let object):
      let kept: JSONObject = cleaned(object)
      return kept.isEmpty ? .none : .some(.object(kept))
    }
  }
}

extension JSONObject {
  /// Takes members that may have equal keys. The first one stays.
  init(firstOfEach members: [Member]) {
    var seen: Set<[UInt8]> = []
    self.init(uniqueMembers: members.filter { seen.insert(Array($0.key.utf8)).inserted })
  }
}

/// The forbidden characters and the length of a text.
struct CleverTapTextRule: Sendable {
  private let length: Int
  private let forbidden: Set<Unicode.Scalar>

  init(length: Int, without forbidden: String) {
    self.length = length
    self.forbidden = Set(forbidden.unicodeScalars)
  }

  /// The text trimmed, without forbidden characters, and cut to the length. A surrogate pair is
  /// never split.
  func cleaned(_ text: String) -> String {
    let kept = trimmed(text.unicodeScalars).filter { !forbidden.contains($0) }
    var cut: [Unicode.Scalar] = []
    var units = 0
    for scalar in kept {
      units += UTF16.width(scalar)
      guard units <= length else { break }
      cut.append(scalar)
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: trimmed(cut))
    return String(view)
  }

  private func trimmed(_ scalars: some BidirectionalCollection<Unicode.Scalar>) -> [Unicode.Scalar]
  {
    let front = scalars.drop(while: \.properties.isWhitespace)
    return Array(front.reversed().drop(while: \.properties.isWhitespace).reversed())
  }
}
