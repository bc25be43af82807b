extension Command {
  static let completions = Command(
    name: ["completions"], summary: "print completions for a shell",
    arguments: [
      Argument(name: "SHELL", help: "the shell", choices: CompletionScript.allCases.map(\.rawValue))
    ],
    examples: [
      Example("source <(engage completions bash)", "for this session of bash"),
      Example("engage completions zsh > ~/.zfunc/_engage", "for every session of zsh"),
      Example("engage completions fish > ~/.config/fish/completions/engage.fish", "for fish"),
    ],
    run: { invocation in
      let shell: CompletionScript = try invocation.choice(
        try invocation.argument(), of: "SHELL")
      try invocation.console.text(shell.text(for: Command.all(for: invocation.vendors)))
      return .done
    })
}
