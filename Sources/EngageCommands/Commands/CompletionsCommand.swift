extension Command {
  static let manual = Command(
    name: ["man"], summary: "print the manual page",
    examples: [
      Example("engage man | man -l -", "read it"),
      Example("engage man > ~/.local/share/man/man1/engage.1", "install it"),
    ],
    run: { invocation in
      let all = Command.all(for: invocation.vendors)
      try invocation.console.text(ManualPage.text(of: all, version: EngageTool.version))
      return .done
    })

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
