/// Completions for fish: a line for each word.
struct FishCompletions {
  private let families: [CommandFamily]

  init(_ families: [CommandFamily]) { self.families = families }

  var text: String {
    var lines = [
      "# fish completions of engage; write to ~/.config/fish/completions/engage.fish",
      "complete -c engage -f",
    ]
    for family in families {
      lines.append(
        "complete -c engage -n __fish_use_subcommand -a \(family.noun) -d '\(quoted(family.summary))'"
      )
    }
    for family in families { lines += self.lines(of: family) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func lines(of family: CommandFamily) -> [String] {
    let inNoun = "__fish_seen_subcommand_from \(family.noun)"
    guard !family.isSingle else { return lines(of: family.commands[0], where: inNoun) }
    let verbs = family.verbs.joined(separator: " ")
    let inNounAlone = "\(inNoun); and not __fish_seen_subcommand_from \(verbs)"
    let offers = family.commands.map { command in
      "complete -c engage -n '\(inNounAlone)' -a \(command.verb ?? "") "
        + "-d '\(quoted(command.summary))'"
    }
    return offers
      + family.commands.flatMap { command in
        lines(
          of: command, where: "\(inNoun); and __fish_seen_subcommand_from \(command.verb ?? "")")
      }
  }

  private func lines(of command: Command, where condition: String) -> [String] {
    var lines = command.allOptions.map { option in
      var line = "complete -c engage -n '\(condition)' -l \(option.name)"
      if let letter = option.letter { line += " -s \(letter)" }
      if option.value != nil { line += option.completion == .files ? " -r -F" : " -x" }
      if !option.choices.isEmpty { line += " -a '\(option.choices.joined(separator: " "))'" }
      return line + " -d '\(quoted(option.help))'"
    }
    if !command.words.isEmpty {
      lines.append(
        "complete -c engage -n '\(condition)' -a '\(command.words.joined(separator: " "))'")
    }
    if command.takesFiles { lines.append("complete -c engage -n '\(condition)' -F") }
    return lines
  }

  /// The text inside single quotes, where fish reads a backslash before a quote or a backslash.
  private func quoted(_ text: String) -> String {
    var quoted = ""
    for character in text {
      if character == "'" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted
  }
}
