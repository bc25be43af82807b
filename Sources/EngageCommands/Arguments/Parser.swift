/// What the command line asks for.
enum Request {
  /// A command, and whether results are JSON.
  case run(ParsedCommand)
  /// The help of what was named; the whole tool's where nothing was.
  case help([Command])
  case version
}

/// A command with what was typed for it.
struct ParsedCommand: Sendable {
  var command: Command
  var values: [String: [String]] = [:]
  var arguments: [String] = []
}

/// Reads a command line: a noun, perhaps a verb, then options and arguments in any order.
///
/// `--name value`, `--name=value`, `-n value` and `-nvalue` are the same, switches of one letter
/// may be joined, and after `--` everything is an argument.
struct Parser {
  private let commands: [Command]
  private var rest: ArraySlice<String>
  private var values: [String: [String]] = [:]
  private var arguments: [String] = []
  /// How what is read now is called in errors.
  private var title = "engage"
  private var wantsHelp = false

  init(_ commands: [Command], _ line: [String]) {
    self.commands = commands
    rest = line[...]
  }

  static func parse(_ line: [String], among commands: [Command]) throws(UsageError) -> Request {
    // Swift has put U+FFFD in the place of bytes that are no UTF-8, and two names would be one.
    if let bad = line.first(where: { $0.unicodeScalars.contains("\u{fffd}") }) {
      throw UsageError("\"\(bad)\" is not UTF-8.", of: "engage")
    }
    var parser = Parser(commands, line)
    return try parser.parse()
  }

  private mutating func parse() throws(UsageError) -> Request {
    guard let noun = try leadingWord() else {
      if values["version"] != nil { return .version }
      return .help([])
    }
    if noun == "help" { return try help() }
    let family = commands.filter { $0.noun == noun }
    guard !family.isEmpty else {
      throw .unknown(
        noun, "command", among: noun == "version" ? ["--version"] : nouns, of: "engage")
    }
    title += " \(noun)"
    return try parse(family)
  }

  private mutating func parse(_ family: [Command]) throws(UsageError) -> Request {
    guard family.contains(where: { $0.verb != nil }) else { return try parse(family[0]) }
    if let verb = try leadingWord() {
      guard let command = family.first(where: { $0.verb == verb }) else {
        throw .unknown(
          verb, "verb of \(family[0].noun)", among: family.compactMap(\.verb), of: title)
      }
      title += " \(verb)"
      return try parse(command)
    }
    if wantsHelp { return .help(family) }
    guard let first = family.first(where: { $0.isDefault }) else {
      let verbs = family.compactMap(\.verb).joined(separator: ", ")
      throw UsageError("\(title) needs a verb: \(verbs).", of: title)
    }
    return try parse(first)
  }

  private var nouns: [String] {
    commands.map(\.noun).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private mutating func help() throws(UsageError) -> Request {
    guard let noun = try leadingWord() else { return .help([]) }
    let family = commands.filter { $0.noun == noun }
    guard !family.isEmpty else { throw .unknown(noun, "command", among: nouns, of: "engage") }
    guard let verb = try leadingWord() else { return .help(family) }
    let named = family.filter { $0.verb == verb }
    guard !named.isEmpty else {
      throw .unknown(verb, "verb of \(noun)", among: family.compactMap(\.verb), of: title)
    }
    return .help(named)
  }

  // MARK: Before the command is known

  /// The next word; the options that every command takes may stand before it, and others say that
  /// no word comes.
  private mutating func leadingWord() throws(UsageError) -> String? {
    while let token = rest.first {
      if !token.hasPrefix("-") || token == "-" {
        rest = rest.dropFirst()
        return token
      }
      let known = title == "engage" ? Option.shared + [Self.version] : Option.shared
      if title != "engage", Self.option(of: token, among: known) == nil { return nil }
      rest = rest.dropFirst()
      try read(token, among: known)
    }
    return nil
  }

  private static let version = Option("version", letter: "V", "show the version")

  // MARK: Once it is

  private mutating func parse(_ command: Command) throws(UsageError) -> Request {
    let options = command.options + Option.shared
    while let token = rest.popFirst() {
      if token == "--" {
        arguments += rest
        rest = []
      } else if token.hasPrefix("-"), token != "-" {
        try read(token, among: options)
      } else {
        arguments.append(token)
      }
    }
    if wantsHelp { return .help([command]) }
    try checkArguments(of: command)
    return .run(ParsedCommand(command: command, values: values, arguments: arguments))
  }

  private func checkArguments(of command: Command) throws(UsageError) {
    let required = command.arguments.filter { !$0.isOptional }
    if arguments.count < required.count {
      throw UsageError("\(title) needs \(required[arguments.count].name).", of: title)
    }
    if arguments.count > command.arguments.count, command.arguments.last?.repeats != true {
      let surplus = arguments[command.arguments.count]
      let hint =
        command.options.contains { $0.title == "--container" }
        ? "; a container is named with --container" : ""
      throw UsageError("\(title) does not know what to do with \"\(surplus)\"\(hint).", of: title)
    }
    for (index, value) in arguments.enumerated() {
      let argument = command.arguments[min(index, command.arguments.count - 1)]
      if value.isEmpty { throw UsageError("\(argument.name) is empty.", of: title) }
      if argument.isName, value.unicodeScalars.contains(where: \.isControl) {
        throw UsageError("\(argument.name) has a control character.", of: title)
      }
    }
    for (argument, value) in zip(command.arguments, arguments)
    where !argument.choices.isEmpty && !argument.choices.contains(value) {
      throw .value(value, of: argument.name, among: argument.choices, in: title)
    }
  }

  // MARK: Options

  private static func option(of token: String, among options: [Option]) -> Option? {
    if token.hasPrefix("--") {
      let name = token.dropFirst(2).prefix { $0 != "=" }
      return options.first { $0.name == name }
    }
    return token.dropFirst().first.flatMap { letter in options.first { $0.letter == letter } }
  }

  private mutating func read(_ token: String, among options: [Option]) throws(UsageError) {
    guard let option = Self.option(of: token, among: options) else {
      throw unknown(token, among: options)
    }
    if token.hasPrefix("--") {
      let value = token.firstIndex(of: "=").map { String(token[token.index(after: $0)...]) }
      return try note(option, value)
    }
    let tail = String(token.dropFirst(2))
    if tail.isEmpty { return try note(option, nil) }
    if option.value != nil {
      return try note(option, tail.hasPrefix("=") ? String(tail.dropFirst()) : tail)
    }
    try note(option, nil)
    try read("-\(tail)", among: options)
  }

  private func unknown(_ token: String, among options: [Option]) -> UsageError {
    let name = String(token.prefix { $0 != "=" })
    let titles = options.map(\.title)
    let letters = options.compactMap(\.letter).map { "-\($0)" }
    return .unknown(
      name, "option of \(title)", among: name.hasPrefix("--") ? titles : letters + titles,
      of: title)
  }

  private mutating func note(_ option: Option, _ given: String?) throws(UsageError) {
    if option.name == Option.help.name {
      wantsHelp = true
      return
    }
    if values[option.name] != nil, !option.repeats {
      throw UsageError("\(option.title) is there twice.", of: title)
    }
    guard let placeholder = option.value else {
      if let given {
        throw UsageError("\(option.title) is a switch and takes no \"\(given)\".", of: title)
      }
      values[option.name] = [""]
      return
    }
    guard let value = given ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(option.title) needs a value: \(option.title) \(placeholder).", of: title)
    }
    if !option.choices.isEmpty, !option.choices.contains(value) {
      throw .value(value, of: option.title, among: option.choices, in: title)
    }
    values[option.name, default: []].append(value)
  }
}

extension Command.Argument {
  /// Whether it is the id or the name of something, and neither a file nor a value.
  fileprivate var isName: Bool { completion != .files && !name.contains("=") }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
