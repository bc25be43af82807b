import EngagementJSON
import EngagementModel

/// What a command says: results for people or, with `--json`, for programs.
struct Console: Sendable {
  let terminal: Terminal
  /// Whether results are JSON, one object a line.
  var isJSON: Bool

  /// The version of every object that is printed.
  static let schema: JSON = 1

  // MARK: Results

  /// Prints a line for people; nothing where results are JSON.
  func line(_ phrase: Phrase = "") throws(OutputError) {
    guard !isJSON else { return }
    try print(phrase.rendered(inColour: terminal.isColoured))
  }

  /// Prints a table for people, without its titles where they stand above; nothing where results
  /// are JSON.
  func table(_ table: Table, titled: Bool = true) throws(OutputError) {
    guard !isJSON else { return }
    let lines = table.lines(width: terminal.width).dropFirst(titled ? 0 : 1)
    try print(lines.map { $0.rendered(inColour: terminal.isColoured) }.joined(separator: "\n"))
  }

  /// Prints an object for programs; nothing where results are for people.
  func object(_ object: JSONObject) throws(OutputError) {
    guard isJSON else { return }
    var members = [JSONObject.Member("schema", Self.schema)]
    members += object.members.filter { $0.key != "schema" }
    try json(JSONObject(uniqueMembers: members))
  }

  /// Prints an object, in every output format, and nothing else.
  func json(_ object: JSONObject) throws(OutputError) {
    try terminal.output(TerminalJSON.line(.object(object)))
  }

  /// Prints text that is no result of a vendor: help, a script of completions.
  func text(_ text: String) throws(OutputError) { try terminal.output(Array(text.utf8)) }

  private func print(_ text: String) throws(OutputError) {
    try terminal.output(Array((text + "\n").utf8))
  }

  // MARK: Everything else

  /// Tells something that is no result.
  func note(_ phrase: Phrase) {
    // Errors that cannot be written have no other place to go.
    let text = phrase.cut(to: Self.longestNote).rendered(inColour: false).withoutLogins
    try? terminal.errors(Array((text + "\n").utf8))
  }

  /// A longer text is somebody's argument, and it is not read to its end.
  private static let longestNote = 2_000

  /// Tells why a command failed: a line, or an object with `--json`.
  func failure(_ error: EngagementError) {
    let error = error.forPeople
    guard isJSON else { return note("engage: \(error)") }
    var object: JSONObject = [
      "schema": Self.schema, "error": .string(error.code.rawValue),
      "message": .string(error.message.withoutLogins),
    ]
    object["provider"] = error.provider.map { .string($0.rawValue) }
    object["operation"] = error.operation.map(JSON.string)
    object["underlying"] = error.underlying.map(JSON.string)
    try? terminal.errors(TerminalJSON.line(.object(object)))
  }

  /// Shows what is under way while the body runs, and takes it away.
  func progress<Value>(
    _ phrase: Phrase, _ body: () async throws -> Value
  ) async rethrows -> Value {
    try await progress { show in
      show(phrase)
      return try await body()
    }
  }

  /// Shows what the body says is under way, and takes it away.
  func progress<Value>(
    _ body: (@escaping (Phrase) -> Void) async throws -> Value
  ) async rethrows -> Value {
    guard terminal.showsProgress, !isJSON else { return try await body { _ in } }
    let erasure = "\r\u{1b}[K"
    defer { try? terminal.errors(Array(erasure.utf8)) }
    var isShown = false
    return try await body { phrase in
      let text = phrase.cut(to: (terminal.width ?? 80) - 1).rendered(inColour: false)
      try? terminal.errors(Array(((isShown ? erasure : "") + text).utf8))
      isShown = true
    }
  }
}

/// JSON that is safe on a terminal too: what could steer it is spelled as an escape.
enum TerminalJSON {
  /// The value and the end of its line.
  static func line(_ value: JSON) -> [UInt8] {
    let bytes = value.encoded()
    // Control characters below space are escaped already.
    guard bytes.contains(where: { $0 >= 0x7f }) else { return bytes + [UInt8(ascii: "\n")] }
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if SafeText.isUnsafe(scalar) {
        for unit in String(scalar).utf16 { text += escape(unit) }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return Array((text + "\n").utf8)
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
