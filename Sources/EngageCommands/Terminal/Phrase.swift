/// A line for people. What is written in the sources stands as it is; every value that is put in
/// is made safe for a terminal first, so no command can forget to.
///
///     "\(card.title, .bold) is delivered"
struct Phrase: Hashable, Sendable {
  private(set) var parts: [Part] = []

  struct Part: Hashable, Sendable {
    var text: String
    var style: Style?
  }

  /// Adds another phrase behind this one.
  static func + (left: Phrase, right: Phrase) -> Phrase {
    var phrase = left
    phrase.parts += right.parts
    return phrase
  }

  /// The text with its colours, or without any.
  func rendered(inColour: Bool) -> String {
    parts.map { part in
      guard inColour, let style = part.style, !part.text.isEmpty else { return part.text }
      return "\u{1b}[\(style.rawValue)m\(part.text)\u{1b}[0m"
    }.joined()
  }

  var width: Int { parts.reduce(0) { $0 + DisplayWidth.of($1.text) } }

  /// The beginning that takes no more columns.
  func cut(to width: Int) -> Phrase {
    guard self.width > width else { return self }
    var (phrase, left) = (Phrase(parts: []), width)
    for part in parts {
      let columns = DisplayWidth.of(part.text)
      // One column is kept for the ellipsis, so a part that just fits is not the last.
      if columns < left {
        phrase.parts.append(part)
        left -= columns
        continue
      }
      let text = DisplayWidth.cut(part.text + " ", to: left)
      phrase.parts.append(Part(text: text, style: part.style))
      break
    }
    return phrase
  }

  /// How a part stands out; the numbers are those of ECMA-48.
  enum Style: Int, Hashable, Sendable {
    case bold = 1
    case faint = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }
}

extension Phrase: ExpressibleByStringInterpolation {
  init(stringLiteral value: String) { parts = [Part(text: value)] }

  init(stringInterpolation: Interpolation) { parts = stringInterpolation.parts }

  /// Text from outside, made safe.
  init(_ text: String, _ style: Style? = nil) {
    parts = [Part(text: SafeText.line(text), style: style)]
  }

  struct Interpolation: StringInterpolationProtocol {
    var parts: [Part] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(Part(text: literal)) }
    }

    mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: Style? = nil)
    {
      parts.append(Part(text: SafeText.line(value.description), style: style))
    }

    mutating func appendInterpolation(_ phrase: Phrase) { parts += phrase.parts }
  }
}
