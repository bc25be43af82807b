import EngagementModel
import Testing

@testable import EngageCommands

/// What stands on the terminal while a command waits for vendors.
@Suite(.timeLimit(.minutes(20))) struct ConsoleTests {
  private static let clearing = "\r\u{1b}[K"

  /// Everything that was written, in order; errors in angle brackets.
  private final class Screen: Sendable {
    private let state = Locked("")

    var text: String { state.withLock(\.self) }

    func console(width: Int? = 40, showsProgress: Bool = true, isJSON: Bool = false) -> Console {
      Console(
        terminal: Terminal(
          output: { (bytes) throws(OutputError) in self.add(String(decoding: bytes, as: UTF8.self))
          },
          errors: { (bytes) throws(OutputError) in
            self.add("<\(String(decoding: bytes, as: UTF8.self))>")
          }, width: width, showsProgress: showsProgress),
        isJSON: isJSON)
    }

    private func add(_ text: String) { state.withLock { $0 += text } }
  }

  private struct Failure: Error {}

  @Test("D13: a terminal shows what is under way during the wait, and not after it")
  func progress() async throws {
    let screen = Screen()
    let console = screen.console()
    let shown = await console.progress("Asking every vendor …") { screen.text }
    #expect(shown == "<Asking every vendor …>", "on its line, where the cursor stays")
    try console.line("done")
    #expect(screen.text == "<Asking every vendor …><\(Self.clearing)>done\n")
  }

  @Test("D13: a failed wait takes its line away too")
  func failure() async throws {
    let screen = Screen()
    await #expect(throws: Failure.self) {
      try await screen.console().progress("Waiting …") { throw Failure() }
    }
    #expect(screen.text == "<Waiting …><\(Self.clearing)>")
  }

  @Test("D13: a progress line is shorter than the terminal, so that clearing takes all of it away")
  func narrow() async throws {
    for (width, text) in [(10 as Int?, "<track a-…>"), (nil, "<track a-long-name …>")] {
      let screen = Screen()
      let shown = await screen.console(width: width).progress("track a-long-name …") { screen.text }
      #expect(shown == text)
    }
  }

  @Test("D13: what is no terminal, and JSON, get no progress line")
  func silent() async throws {
    for (showsProgress, isJSON) in [(false, false), (true, true)] {
      let screen = Screen()
      let console = screen.console(showsProgress: showsProgress, isJSON: isJSON)
      #expect(await console.progress("Waiting …") { 7 } == 7)
      #expect(screen.text.isEmpty)
    }
  }

  @Test(
    "D13: each command that waits for vendors shows a progress line on a terminal",
    arguments: [
      (["sync"], "Asking every vendor …"), (["doctor"], "Checking …"),
      (["track", "tea"], "track tea …"), (["cards", "dismiss", "c-2"], "dismiss braze/c-2 …"),
    ])
  func commands(line: [String], text: String) async throws {
    let (stage, braze) = (try CommandLineFixture(), PlayedBraze())
    try stage.configure(endpoint: "http://127.0.0.1:8400")
    _ = await stage.engage("sync", by: braze)
    let shown = await stage.run(line, by: braze, in: .init(width: 80, showsProgress: true))
    #expect(shown.errors == text + Self.clearing)
    let plain = await stage.run(line, by: braze)
    #expect(!plain.errors.contains("…"))
  }
}
