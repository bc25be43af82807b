import EngagementModel

/// What the vendor takes in names, keys and values.
///
/// | | UTF-16 units | without | then |
/// |---|---|---|---|
/// | name of an event | 1024 | `. : $ ' " \` | empty or the vendor's own: the event is rejected |
/// | key | 120 | `: $ ' " \` | empty: the member is left out |
/// | text | 1024 | `' " \` | empty: the member is left out |
/// | list | 100 elements | nulls | empty: the member is left out |
///
/// The vendor's own clients trim white space, take such characters out and cut what is longer, and
/// so does this: an apostrophe in a product's name must not cost the purchase. They only warn about
/// depth (3), about lists and objects at one level (5 each) and about members (100), and send them.
enum CleverTapLimits {
  static let eventName = CleverTapTextRule(length: 1_024, without: ".:$'\"\\")
  static let key = CleverTapTextRule(length: 120, without: ":$'\"\\")
  static let text = CleverTapTextRule(length: 1_024, without: "'\"\\")
  static let elements = 100
  /// The most items of one purchase and of one batch beside its header.
  static let chargedItems = 50
  static let batch = 49

  /// Names that only the vendor gives, in the form in which names are compared.
  private static let ownEvents: Set<String> = [
    "stayed", "notificationclicked", "notificationviewed", "utmvisited", "notificationsent",
    "applaunched", "appuninstalled", "geoclusterentered", "geoclusterexited", "wzrk_fetch",
    "wzrk_d", "sccampaignoptout",
  ]

  /// Properties of a person that hold one value.
  private static let single: Set<String> = [
    "name", "email", "education", "married", "dob", "gender", "phone", "age", "fbid", "gpid",
    "birthday",
  ]

  static func isOwnEvent(_ name: String) -> Bool { ownEvents.contains(normalized(name)) }

  static func holdsOneValue(_ key: String) -> Bool { single.contains(normalized(key)) }

  /// How the vendor compares names: without spaces, in lower case.
  static func normalized(_ name: String) -> String {
    String(name.lowercased().unicodeScalars.filter { $0 != " " })
  }

  /// The members as the vendor takes them.
  static func cleaned(_ object: JSONObject) -> JSONObject {
    let cleaned = object.members.compactMap { member -> JSONObject.Member? in
      let key = key.cleaned(member.key)
      guard !key.isEmpty, let value = Self.cleaned(member.value) else { return nil }
      return JSONObject.Member(key, value)
    }
    return JSONObject(firstOfEach: cleaned)
  }

  /// The value as the vendor takes it; nil where nothing is left of it.
  ///
  /// The optional's own names are spelled out: beside a `JSON`, a bare `nil` is the value null.
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
  /// Takes members of which some may have one key: the first of them stays.
  init(firstOfEach members: [Member]) {
    var seen: Set<[UInt8]> = []
    self.init(uniqueMembers: members.filter { seen.insert(Array($0.key.utf8)).inserted })
  }
}

/// What a text may not hold and how long it may be.
struct CleverTapTextRule: Sendable {
  private let length: Int
  private let forbidden: Set<Unicode.Scalar>

  init(length: Int, without forbidden: String) {
    self.length = length
    self.forbidden = Set(forbidden.unicodeScalars)
  }

  /// The text without white space around it, without what it may not hold, and not too long. No
  /// character outside the basic plane is cut in two.
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
