/// Makes text from outside harmless for a terminal: nothing in it moves the cursor, changes a
/// colour, sets a title, turns the line round or hides.
enum SafeText {
  /// The text on one line. Escape sequences go with all their parameters, control characters and
  /// invisible ones go, line ends and tabs become spaces.
  static func line(_ text: String) -> String {
    guard !text.utf8.allSatisfy(isPlain) else { return text }
    var safe = String.UnicodeScalarView()
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.first {
      if let length = EscapeSequence.length(at: scalars) {
        scalars = scalars.dropFirst(length)
        continue
      }
      scalars = scalars.dropFirst()
      switch kind(of: scalar) {
      case .visible: safe.append(scalar)
      case .space: safe.append(" ")
      case .joiner: if joins(safe.last, scalars.first) { safe.append(scalar) }
      case .invisible: break
      }
    }
    return String(safe)
  }

  /// Whether the byte is printable ASCII, which most text is.
  private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

  private enum Kind {
    case visible, space, joiner, invisible
  }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    switch scalar.properties.generalCategory {
    case .control: scalar == "\n" || scalar == "\t" ? .space : .invisible
    case .lineSeparator, .paragraphSeparator: .space
    case .format: scalar == zeroWidthJoiner ? .joiner : .invisible
    default: .visible
    }
  }

  private static let zeroWidthJoiner: Unicode.Scalar = "\u{200d}"

  /// Whether a joiner stands inside an emoji: nowhere else can it be told from hidden text.
  private static func joins(_ left: Unicode.Scalar?, _ right: Unicode.Scalar?) -> Bool {
    guard let left, let right else { return false }
    let isEmoji = left.properties.isEmoji || left == "\u{fe0f}"
    return isEmoji && left.value > 0x7f && right.properties.isEmoji && right.value > 0x7f
  }

  /// Whether a terminal may take the character for more than a character: what JSON for a terminal
  /// spells out.
  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

/// The sequences of ECMA-48 that a terminal acts on.
enum EscapeSequence {
  /// How many scalars the sequence at the start takes; nil where none starts there.
  static func length(at scalars: ArraySlice<Unicode.Scalar>) -> Int? {
    guard let first = scalars.first else { return nil }
    if let kind = kind(introducedBy: first) { return 1 + length(of: kind, in: scalars.dropFirst()) }
    guard first == "\u{1b}" else { return nil }
    guard let second = scalars.dropFirst().first else { return 1 }
    if let kind = kind(escapedBy: second) { return 2 + length(of: kind, in: scalars.dropFirst(2)) }
    // Two or three characters: what selects a character set has an intermediate one.
    let intermediates = scalars.dropFirst().prefix { (0x20...0x2f).contains($0.value) }.count
    let final = scalars.dropFirst(1 + intermediates).first
    return 1 + intermediates + (final.map { (0x30...0x7e).contains($0.value) } == true ? 1 : 0)
  }

  private enum Kind {
    /// Parameters and a final byte.
    case control
    /// Anything up to a terminator.
    case string
  }

  private static func kind(introducedBy scalar: Unicode.Scalar) -> Kind? {
    switch scalar {
    case "\u{9b}": .control
    case "\u{9d}", "\u{90}", "\u{98}", "\u{9e}", "\u{9f}": .string
    default: nil
    }
  }

  private static func kind(escapedBy scalar: Unicode.Scalar) -> Kind? {
    switch scalar {
    case "[": .control
    case "]", "P", "X", "^", "_": .string
    default: nil
    }
  }

  private static func length(of kind: Kind, in scalars: ArraySlice<Unicode.Scalar>) -> Int {
    switch kind {
    case .control:
      let parameters = scalars.prefix { (0x20...0x3f).contains($0.value) }.count
      let final = scalars.dropFirst(parameters).first
      return parameters + (final.map { (0x40...0x7e).contains($0.value) } == true ? 1 : 0)
    case .string: return stringLength(scalars)
    }
  }

  /// Nothing where there is no terminator: what follows is then text like any other.
  private static func stringLength(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
    var last: Unicode.Scalar?
    for (count, scalar) in scalars.enumerated() {
      if scalar == "\u{07}" || scalar == "\u{9c}" { return count + 1 }
      if scalar == "\\", last == "\u{1b}" { return count + 1 }
      last = scalar
    }
    return 0
  }
}

extension String {
  /// The text without users and passwords of addresses. An address may stand where none is expected, and then
  /// a message quotes it.
  var withoutLogins: String {
    replacing(/([A-Za-z][A-Za-z0-9+.\-]*:\/\/)[^\s"]*@/) { "\($0.1)…@" }
  }
}
