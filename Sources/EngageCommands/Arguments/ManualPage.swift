/// The manual page, in the language of `man`.
enum ManualPage {
  static func text(of commands: [Command], version: String) -> String {
    var text = """
      .TH ENGAGE 1 "" "engage \(version)" "User Commands"
      .SH NAME
      engage \\- several customer\\-engagement vendors behind one interface
      .SH SYNOPSIS
      .B engage
      COMMAND [VERB] [OPTIONS]
      .SH COMMANDS

      """
    for command in commands { text += section(of: command) }
    text += ".SH OPTIONS OF EVERY COMMAND\n" + options(Option.shared)
    text += """
      .SH EXIT STATUS
      0 done, 1 failed, also in part, 64 usage error, 130 stopped by Ctrl\\-C, SIGTERM or SIGHUP, 141 output \
      closed early; 0 too where a command runs until Ctrl\\-C.
      .SH FILES
      .I engage.json
      in this folder or the nearest one above it: providers, cache, routes and containers.
      .SH ENVIRONMENT
      .B ENGAGE_CONFIG
      names another configuration file.

      """
    return text
  }

  private static func section(of command: Command) -> String {
    let arguments = command.arguments.map { argument in
      let name = argument.name + (argument.repeats ? " ..." : "")
      return argument.isOptional ? "[\(name)]" : name
    }
    var text = ".SS \(escaped((command.name + arguments).joined(separator: " ")))\n"
    text += "\(escaped(command.summary)).\n"
    for paragraph in command.discussion.split(separator: "\n\n") {
      text += ".PP\n\(escaped(String(paragraph)))\n"
    }
    text += options(command.options)
    for example in command.examples {
      text += ".PP\n\\fB\(escaped(example.line))\\fR\n.br\n\(escaped(example.meaning))\n"
    }
    return text
  }

  private static func options(_ options: [Option]) -> String {
    options.map { option in
      let letter = option.letter.map { "-\($0), " } ?? ""
      let value = option.value.map { " \($0)" } ?? ""
      let choices = option.choices.isEmpty ? "" : ": \(option.choices.joined(separator: ", "))"
      return ".TP\n\\fB\(escaped(letter + option.title))\\fR\(escaped(value))\n"
        + "\(escaped(option.help + choices))\n"
    }.joined()
  }

  /// The text with what `man` would understand as an instruction made plain.
  private static func escaped(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let plain = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&\(plain)" : String(plain)
    }.joined(separator: "\n")
  }
}
