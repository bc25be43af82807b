import Foundation
import Testing

@testable import EngageCommands

@Suite struct HelpTests {
  @Test("the help pages match their golden file")
  func pages() async throws {
    var text = ""
    var lines = [["--help"]]
    lines += CommandFamily.all(of: Command.all).filter { !$0.isSingle }.map { [$0.noun, "--help"] }
    lines += Command.all.map { $0.name + ["--help"] }
    for line in lines {
      let ending = await (try CommandLineFixture()).run(line)
      #expect(ending.status == .done)
      #expect(ending.errors.isEmpty)
      text += "$ engage \(line.joined(separator: " "))\n\(ending.output)\n"
    }
    try Golden.expect(text, "help.txt")
  }

  @Test("help pages are at most a hundred columns wide")
  func width() {
    for command in Command.all {
      for line in Help.page(of: [command], among: Command.all).split(separator: "\n") {
        #expect(line.count <= 100, "\(command.title): \(line)")
      }
    }
  }

  @Test("every command has examples, and the parser accepts each one")
  func examples() throws {
    for command in Command.all {
      #expect(!command.examples.isEmpty)
      for example in command.examples {
        let typed = example.line.split(separator: "|").first { $0.contains("engage ") } ?? ""
        let start = try #require(typed.range(of: "engage ")).upperBound
        let words = typed[start...].split(separator: " ")
          .prefix { $0 != ">" && $0 != "<" }.map { $0.filter { $0 != ")" } }
        guard case .run(let parsed) = try Parser.parse(words, among: Command.all) else {
          Issue.record("\(example.line) runs no command")
          continue
        }
        #expect(parsed.command.title == command.title)
      }
    }
  }
}
