/// How many columns text takes on a terminal.
enum DisplayWidth {
  /// The columns of a line; it is expected to be safe text.
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// The columns of one character, whatever it is composed of.
  static func of(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    // An emoji that is asked for, or a flag of two letters.
    if scalars.contains("\u{fe0f}") || scalars.allSatisfy(isRegional) && scalars.count == 2 {
      return 2
    }
    return scalars.first.map(of) ?? 0
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return isWide(scalar.value) ? 2 : 1
  }

  private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
    (0x1f1e6...0x1f1ff).contains(scalar.value)
  }

  /// Unicode's East Asian Width W and F, in blocks: an unassigned place in one is never printed.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
      0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19,
      0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18cff, 0x1aff0...0x1b2ff,
      0x1f200...0x1f2ff, 0x20000...0x2fffd, 0x30000...0x3fffd:
      true
    default: false
    }
  }

  /// The beginning of a line that takes no more columns, with an ellipsis where something is cut.
  static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 0 else { return "" }
    var (kept, used) = ("", 0)
    for character in text {
      let columns = of(character)
      guard used + columns < width else { break }
      kept.append(character)
      used += columns
    }
    return kept + "…"
  }
}
