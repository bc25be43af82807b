import Testing

@testable import EngageCommands

@Suite struct CompletionsTests {
  @Test(
    "the completion script of each shell matches its golden file",
    arguments: CompletionScript.allCases)
  func scripts(shell: CompletionScript) async throws {
    let ending = await (try CommandLineFixture()).engage("completions", shell.rawValue)
    #expect(ending.status == .done)
    try Golden.expect(ending.output, "completions.\(shell.rawValue)")
  }

  @Test(
    "bash completes commands, verbs, options and values",
    arguments: [
      ("engage cr", ""), ("engage car", "cards"), ("engage cards dis", "dismiss"),
      ("engage sync --js", "--json"), ("engage completions f", "fish"),
      ("engage decode --kind ca", "campaigns cards"), ("engage consent set es", "essential"),
    ])
  func bash(line: String, offers: String) throws {
    let words = line.split(separator: " ").map { "'\($0)'" }.joined(separator: " ")
    let script = """
      \(BashCompletions(CommandFamily.all(of: Command.all)).text)
      COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _engage
      printf '%s\\n' "${COMPREPLY[@]}" | sort | tr '\\n' ' '
      """
    let text = try Programs.run("/bin/bash", ["-c", script]).output
    #expect(text.split(separator: " ").joined(separator: " ") == offers)
  }

  @Test("bash accepts the completion script")
  func syntax() throws {
    let script = BashCompletions(CommandFamily.all(of: Command.all)).text
    let ending = try Programs.run("/bin/bash", ["-n", "-c", script])
    #expect(ending.status == 0)
    #expect(ending.errors.isEmpty)
  }
}
