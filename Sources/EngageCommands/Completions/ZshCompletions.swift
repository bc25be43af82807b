/// Completions for zsh: a function with a description of every word.
struct ZshCompletions {
  private let families: [CommandFamily]

  init(_ families: [CommandFamily]) { self.families = families }

  var text: String {
    """
    #compdef engage
    # zsh completions of engage; write to a file _engage in a folder of $fpath
    _engage() {
      local -a names
      if ((CURRENT == 2)); then
        names=(
    \(names(families.map { ($0.noun, $0.summary) }, indent: "      "))
        )
        _describe command names
        return
      fi
      case "$words[2]" in
    \(families.map(body).joined(separator: "\n"))
      esac
    }
    _engage "$@"

    """
  }

  private func body(of family: CommandFamily) -> String {
    guard !family.isSingle else {
      return "    \(family.noun)) shift words; ((CURRENT--)); \(arguments(family.commands[0])) ;;"
    }
    let verbs = family.commands.map { ($0.verb ?? "", $0.summary) }
    let cases = family.commands.map {
      "        \($0.verb ?? "")) shift 2 words; ((CURRENT -= 2)); \(arguments($0)) ;;"
    }
    return """
          \(family.noun))
            if ((CURRENT == 3)); then
              names=(
      \(names(verbs, indent: "          "))
              )
              _describe verb names
              return
            fi
            case "$words[3]" in
      \(cases.joined(separator: "\n"))
            esac ;;
      """
  }

  private func names(_ rows: [(String, String)], indent: String) -> String {
    rows.map { "\(indent)'\($0.0):\(plain($0.1))'" }.joined(separator: "\n")
  }

  private func arguments(_ command: Command) -> String {
    let options = command.allOptions.flatMap(specifications)
    let places = command.arguments.map { argument in
      let action =
        argument.completion == .files
        ? "_files" : argument.choices.isEmpty ? "" : "(\(argument.choices.joined(separator: " ")))"
      return "'\(argument.repeats ? "*" : ""):\(plain(argument.name)):\(action)'"
    }
    return (["_arguments"] + options + places).joined(separator: " ")
  }

  private func specifications(of option: Option) -> [String] {
    let names = [option.title] + (option.letter.map { ["-\($0)"] } ?? [])
    return names.map { name in
      var text = "'\(option.repeats ? "*" : "")\(name)[\(plain(option.help))]"
      if let value = option.value {
        let action =
          option.completion == .files
          ? "_files" : option.choices.isEmpty ? "" : "(\(option.choices.joined(separator: " ")))"
        text += ":\(value):\(action)"
      }
      return text + "'"
    }
  }

  /// Without what has a meaning in a specification.
  private func plain(_ text: String) -> String {
    String(text.filter { !"'[]:\\".contains($0) })
  }
}
