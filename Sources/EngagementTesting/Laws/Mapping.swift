import EngagementAdapterAPI
import EngagementJSON
import EngagementModel

extension EngagementAdapter {
  /// The neutral JSON of an item, with `AdapterSubject.provider`, as the store sets it. Throws the
  /// adapter's error.
  func neutral(_ bytes: [UInt8], on surface: Surface) throws(EngagementError) -> JSON {
    let item = RawItem(index: 0, bytes: bytes[...])
    switch surface {
    case .inbox:
      var message = try message(in: item)
      message.id.provider = AdapterSubject.provider
      return message.json
    case .campaigns:
      var campaign = try campaign(in: item)
      campaign.id.provider = AdapterSubject.provider
      return campaign.json
    default:
      var card = try card(in: item)
      card.id.provider = AdapterSubject.provider
      return card.json
    }
  }
}

extension JSON {
  /// The path to a value: keys and places from the outside in.
  typealias Path = [PathElement]

  enum PathElement: Hashable, CustomStringConvertible {
    case key(String)
    case place(Int)

    var description: String {
      switch self {
      case .key(let key): key
      case .place(let place): "\(place)"
      }
    }
  }

  /// Every text in the value, with its path.
  var texts: [(path: Path, text: String)] {
    switch self {
    case .string(let text): [([], text)]
    case .array(let values):
      values.enumerated().flatMap { place, value in
        value.texts.map { ([.place(place)] + $0.path, $0.text) }
      }
    case .object(let object):
      object.members.flatMap { member in
        member.value.texts.map { ([.key(member.key)] + $0.path, $0.text) }
      }
    case .null, .bool, .integer, .number: []
    }
  }

  /// The value with the element at the path replaced.
  func replacing(_ path: Path, by value: JSON) -> JSON {
    guard let first = path.first else { return value }
    let rest = Array(path.dropFirst())
    switch first {
    case .key(let key):
      guard var object else { return self }
      object[key] = object[key]?.replacing(rest, by: value)
      return .object(object)
    case .place(let place):
      guard var values = array, values.indices.contains(place) else { return self }
      values[place] = values[place].replacing(rest, by: value)
      return .array(values)
    }
  }
}

/// Texts that have caused faults in other software.
enum HostileText {
  /// Family emoji, right-to-left with an override, NFC and NFD of one letter, a lone combining
  /// mark, quotes and backslashes, a line break that is one character to Swift.
  static let all = [
    "👩‍👩‍👧‍👦", "\u{202e}שלום", "\u{e9}", "e\u{301}", "\u{301}", "\"\\/</script>", "a\r\nb\u{2028}",
    "\u{7f}",
  ]
  static let nul = "a\u{0}b"
  static let long = String(repeating: "x", count: 1 << 20)
}
