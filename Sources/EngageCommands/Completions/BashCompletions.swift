/// Completions for bash: one function that looks at the words so far.
struct BashCompletions {
  private let families: [CommandFamily]

  init(_ families: [CommandFamily]) { self.families = families }

  var text: String {
    """
    # bash completions of engage; load with: source <(engage completions bash)
    _engage() {
      local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
      COMPREPLY=()
      case "${COMP_WORDS[1]} $before" in
    \(values.joined(separator: "\n"))
      esac
      case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
    \(commands.joined(separator: "\n"))
      esac
      COMPREPLY=($(compgen -W '\(families.map(\.noun).joined(separator: " ")) help --help --version' -- "$word"))
    }
    complete -o bashdefault -F _engage engage

    """
  }

  /// What follows an option. An option of one name takes other values with another noun.
  private var values: [String] {
    let shared = Set(Option.shared.map(\.name))
    var seen: Set<String> = []
    return families.flatMap { family in
      family.commands.flatMap(\.allOptions).map { (family.noun, $0) }
    }.compactMap { noun, option in
      let noun = shared.contains(option.name) ? "*" : "\"\(noun)\""
      guard option.value != nil, seen.insert("\(noun) \(option.name)").inserted else { return nil }
      let names = ([option.title] + (option.letter.map { ["-\($0)"] } ?? []))
        .map { "\(noun)\" \($0)\"" }
      let action =
        option.completion == .files
        ? "compgen -f -- \"$word\""
        : "compgen -W '\(option.choices.joined(separator: " "))' -- \"$word\""
      return "    \(names.joined(separator: "|"))) COMPREPLY=($(\(action))); return ;;"
    }
  }

  private var commands: [String] {
    families.flatMap { family -> [String] in
      if family.isSingle {
        return [line("\"\(family.noun) \"*", family.commands[0])]
      }
      let own = family.commands.map { line("\"\($0.name.joined(separator: " "))\"", $0) }
      let verbs = family.verbs.joined(separator: " ")
      return own + [reply("\"\(family.noun) \"*", "compgen -W '\(verbs)' -- \"$word\"")]
    }
  }

  private func line(_ pattern: String, _ command: Command) -> String {
    let words = (command.allOptions.map(\.title) + command.words).joined(separator: " ")
    let files = command.takesFiles ? "; compgen -f -- \"$word\"" : ""
    return reply(pattern, "compgen -W '\(words)' -- \"$word\"\(files)")
  }

  /// The first two words alone do not end a command: at the noun itself nouns are offered.
  private func reply(_ pattern: String, _ action: String) -> String {
    "    \(pattern)) ((COMP_CWORD > 1)) && { COMPREPLY=($(\(action))); return; } ;;"
  }
}
