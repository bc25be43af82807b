import Foundation
import TestSupport

/// A program that was built, and lies beside the tests.
struct Program {
  private let url: URL

  init(_ name: String) {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.appending(path: name)
      if FileManager.default.isExecutableFile(atPath: program.path) {
        url = program
        return
      }
      folder.deleteLastPathComponent()
    }
    url = URL(filePath: name)
  }

  /// Runs it to its end; what it printed.
  func output(_ arguments: [String] = [], in folder: URL? = nil) throws -> String {
    // A program that ends releases nothing that its main function holds.
    try ChildProcess.run(
      url.path, arguments, in: folder, environment: ["ASAN_OPTIONS": "detect_leaks=0"]
    ).text
  }

  /// Starts it without waiting for its end.
  func start(_ arguments: [String], in folder: URL) throws -> ChildProcess {
    try ChildProcess(url.path, arguments, in: folder, output: .pipe)
  }
}
