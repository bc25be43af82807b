extension String {
  /// A name from outside as a reader may see it: on one line, not long, and without characters that
  /// are invisible, turn the text round or steer a terminal. U+FFFD stands in their place.
  package var readable: String { cleaned(upTo: 60) }

  /// The same for a text that may be long.
  package func cleaned(upTo length: Int = 2_000) -> String {
    var clean = UnicodeScalarView()
    for (index, scalar) in unicodeScalars.enumerated() {
      guard index < length else { return String(clean) + "…" }
      clean.append(scalar.isReadable ? scalar : "\u{fffd}")
    }
    return String(clean)
  }

  /// The text as HTML and SVG have it, between tags or in an attribute.
  package var html: String {
    var html = ""
    for scalar in cleaned().unicodeScalars {
      switch scalar {
      case "<": html += "&lt;"
      case ">": html += "&gt;"
      case "&": html += "&amp;"
      case "\"": html += "&quot;"
      case "'": html += "&#39;"
      case _: html.unicodeScalars.append(scalar)
      }
    }
    return html
  }
}

extension Unicode.Scalar {
  fileprivate var isReadable: Bool {
    // Emoji and some scripts need the two joiners.
    if self == "\u{200c}" || self == "\u{200d}" { return true }
    return !properties.isNoncharacterCodePoint
      && !Self.unreadable.contains(properties.generalCategory)
  }

  private static let unreadable: Set<Unicode.GeneralCategory> = [
    .control, .format, .lineSeparator, .paragraphSeparator, .privateUse,
  ]
}
