/// The shells that have completions.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  func text(for commands: [Command]) -> String {
    let families = CommandFamily.all(of: commands)
    return switch self {
    case .bash: BashCompletions(families).text
    case .zsh: ZshCompletions(families).text
    case .fish: FishCompletions(families).text
    }
  }
}

/// The commands of one noun.
struct CommandFamily {
  let noun: String
  let commands: [Command]

  var verbs: [String] { commands.compactMap(\.verb) }
  var isSingle: Bool { verbs.isEmpty }
  var summary: String { isSingle ? commands[0].summary : verbs.joined(separator: ", ") }

  static func all(of commands: [Command]) -> [CommandFamily] {
    var nouns: [String] = []
    for command in commands where !nouns.contains(command.noun) { nouns.append(command.noun) }
    return nouns.map { noun in
      CommandFamily(noun: noun, commands: commands.filter { $0.noun == noun })
    }
  }
}

extension Command {
  /// Its own options, then those of every command.
  var allOptions: [Option] { options + Option.shared }

  /// The values that its arguments may have, and whether they may be files.
  var words: [String] { arguments.flatMap(\.choices) }
  var takesFiles: Bool { arguments.contains { $0.completion == .files } }
}
