/// One command: what it is called, what it takes and what it does. Help, completions and the
/// parser all read this.
struct Command: Sendable {
  /// The noun and, where there is one, the verb.
  var name: [String]
  /// One line, without a full stop.
  var summary: String
  /// What else there is to know; paragraphs of lines that are wrapped already.
  var discussion: String = ""
  var arguments: [Argument] = []
  var options: [Option] = []
  /// What one would type, with what it does.
  var examples: [Example]
  /// Whether Ctrl-C ends it in order rather than at once: it waits for a network, or writes.
  var isInterruptible = false
  /// Whether it is what its noun does without a verb.
  var isDefault = false
  var run: Body

  typealias Body = @Sendable (Invocation) async throws -> ExitStatus

  var noun: String { name[0] }
  var verb: String? { name.count > 1 ? name[1] : nil }
  /// As one types it, such as `engage cards dismiss`.
  var title: String { (["engage"] + name).joined(separator: " ") }

  /// An argument by its place.
  struct Argument: Sendable {
    var name: String
    var help: String
    var isOptional = false
    /// Whether it takes all that is left.
    var repeats = false
    /// The values that there are; empty where any is good.
    var choices: [String] = []
    /// What a shell offers.
    var completion: Completion = .none
  }

  struct Example: Sendable {
    var line: String
    var meaning: String

    init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  enum Completion: Sendable {
    case none, files
  }
}

/// An option of a command.
struct Option: Sendable {
  /// Without the dashes.
  var name: String
  var letter: Character?
  /// What its value is called; nil for a switch.
  var value: String?
  var help: String
  /// The values that there are; empty where any is good.
  var choices: [String] = []
  var repeats = false
  var completion: Command.Completion = .none

  init(
    _ name: String, letter: Character? = nil, value: String? = nil, _ help: String,
    choices: [String] = [], repeats: Bool = false, completion: Command.Completion = .none
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.help = help
    self.choices = choices
    self.repeats = repeats
    self.completion = completion
  }

  /// As one types it.
  var title: String { "--\(name)" }

  // MARK: What every command takes

  static let config = Option(
    "config", letter: "c", value: "FILE",
    "the configuration; else $ENGAGE_CONFIG, else engage.json", completion: .files)
  static let json = Option("json", letter: "j", "print one JSON object a line")
  static let log = Option(
    "log", value: "LEVEL", "log to standard error (default warning)",
    choices: ["off", "error", "warning", "info", "verbose"])
  static let help = Option("help", letter: "h", "show this")

  static let shared = [config, json, log, help]
}
