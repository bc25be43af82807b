/// The pages that `--help` shows.
enum Help {
  /// The page of what was named; of the whole tool where nothing was.
  static func page(of named: [Command], among all: [Command]) -> String {
    if named.count == 1 { return page(of: named[0]) }
    return named.isEmpty ? overview(of: all) : page(ofFamily: named)
  }

  // MARK: The whole tool

  private static func overview(of commands: [Command]) -> String {
    var rows: [(String, String)] = []
    for command in commands {
      rows.append((command.name.joined(separator: " "), command.summary))
    }
    return """
      engage: several customer-engagement vendors behind one interface.

      USAGE
        engage COMMAND [VERB] [OPTIONS]

      COMMANDS
      \(table(rows))

      OPTIONS
      \(options(Option.shared))
        -V, --version      show the version

      EXAMPLES
        engage demo         see everything work on this machine, with no account
        engage init         write a starter engage.json
        engage emulate      run the vendors' servers on this machine
        engage sync         refresh and send pending actions

      EXIT STATUS
        0 done, 1 failed, also in part, 64 usage error, 130 stopped by Ctrl-C, SIGTERM or SIGHUP,
        141 output closed early; 0 too where a command runs until Ctrl-C

      Run "engage COMMAND --help" for more.

      """
  }

  private static func page(ofFamily family: [Command]) -> String {
    let rows = family.map { (synopsis(of: $0), $0.summary + ($0.isDefault ? " (default)" : "")) }
    let examples = family.compactMap(\.examples.first)
    return """
      engage \(family[0].noun): \(family.map { $0.verb ?? "" }.joined(separator: ", ")).

      USAGE
        engage \(family[0].noun) VERB [OPTIONS]

      VERBS
      \(table(rows))

      EXAMPLES
      \(table(examples.map { ($0.line, $0.meaning) }))

      Run "engage \(family[0].noun) VERB --help" for more.

      """
  }

  // MARK: One command

  private static func page(of command: Command) -> String {
    var text = "\(command.title): \(command.summary).\n\nUSAGE\n  engage \(synopsis(of: command))"
    if !command.options.isEmpty { text += " [OPTIONS]" }
    text += "\n"
    if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
    if !command.arguments.isEmpty {
      text += "\nARGUMENTS\n\(table(command.arguments.map { ($0.name, $0.sentence) }))\n"
    }
    text += "\nOPTIONS\n\(options(command.options + Option.shared))\n"
    text += "\nEXAMPLES\n\(table(command.examples.map { ($0.line, $0.meaning) }))\n"
    return text
  }

  private static func synopsis(of command: Command) -> String {
    let arguments = command.arguments.map { argument in
      let name = argument.name + (argument.repeats ? " …" : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    return (command.name + arguments).joined(separator: " ")
  }

  private static func options(_ options: [Option]) -> String {
    let hasLetters = options.contains { $0.letter != nil }
    return table(
      options.map { option in
        let letter = option.letter.map { "-\($0), " } ?? (hasLetters ? "    " : "")
        return (letter + option.title + (option.value.map { " \($0)" } ?? ""), option.sentence)
      })
  }

  /// Two columns; what does not fit beside stands below.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(40, rows.map { $0.0.count }.max() ?? 0)
    return rows.map { left, right in
      let lines = wrapped(right, to: 86 - width)
      let indent = "\n" + String(repeating: " ", count: width + 4)
      let space = String(repeating: " ", count: max(0, width - left.count))
      let body = lines.joined(separator: indent)
      return left.count > width ? "  \(left)\(indent)\(body)" : "  \(left)\(space)  \(body)"
    }.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Option {
  fileprivate var sentence: String {
    choices.isEmpty ? help : "\(help): \(choices.joined(separator: ", "))"
  }
}

extension Command.Argument {
  fileprivate var sentence: String {
    choices.isEmpty ? help : "\(help): \(choices.joined(separator: ", "))"
  }
}
