import Foundation
import Testing

@Suite struct QuickstartTests {
  @Test("X1 X6 X7: the quickstart prints the expected output", .timeLimit(.minutes(20)))
  func quickstart() async throws {
    #expect(
      try await Program("Quickstart").output() == """
        complete: true, 7 cards, 7 new
        - classic: Your cup counts
        - captionedImage: Grüße aus Köln ☕️ – مرحبا
        - classic: Two for one: cortado
        - banner: The autumn menu
        - captionedImage: New beans from Huila
        - classic: We open at seven
        - classic: A quieter corner
        seen now: 6 cards
        delivered: true
        delivered: true
        without a network: false, 5 cards are seen
        with it again: true, 5 cards are seen
        the vendor has ccc of ["Grüße aus Köln ☕️ – مرحبا"] by u-1
        the vendor has ccd of ["Grüße aus Köln ☕️ – مرحبا"] by u-1
        the vendor has ccd of ["Two for one: cortado"] by u-1

        """)
  }

  @Test("the README's Swift code is part of the quickstart")
  func readme() throws {
    let root = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    let example = try text("Examples/Quickstart/main.swift")
    let blocks = try text("README.md").components(separatedBy: "```swift\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
      // The manifest of a package that uses the library; `ArchitectureTests` reads it.
      .filter { !$0.hasPrefix("// swift-tools-version") }
    #expect(blocks.count == 1)
    for block in blocks { #expect(example.contains("\n" + block)) }
  }
}
