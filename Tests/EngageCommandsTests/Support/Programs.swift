import Foundation
import TestSupport

/// Runs programs.
enum Programs {
  struct Ending {
    /// The status as in a shell: 128 plus the signal's number after a signal.
    var status: Int32
    var endedItself = true
    var output = ""
    var errors = ""
  }

  /// Runs a program to its end. Its errors must be short, so that no pipe fills up.
  static func run(
    _ path: String, _ arguments: [String], in folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Ending {
    try RunningProgram(path, arguments, in: folder, environment, to: .pipe).ending()
  }

  /// Runs a program whose output pipe is closed.
  static func runUnread(_ path: String, _ arguments: [String], in folder: URL) throws -> Ending {
    try RunningProgram(path, arguments, in: folder, to: .closedPipe).ending()
  }

  /// The path of a built program, found beside the tests.
  static func built(_ name: String) -> String {
    var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.appending(path: name)
      if FileManager.default.isExecutableFile(atPath: program.path) { return program.path }
      folder.deleteLastPathComponent()
    }
    return name
  }
}

/// A running program.
struct RunningProgram {
  private let process: ChildProcess

  init(
    _ path: String, _ arguments: [String], in folder: URL? = nil,
    _ environment: [String: String] = [:], to output: ChildProcess.Stream = .null
  ) throws {
    process = try ChildProcess(
      path, arguments, in: folder,
      environment: environment.merging(["ASAN_OPTIONS": "detect_leaks=0"]) { own, _ in own },
      output: output, errors: .pipe)
  }

  /// Presses Ctrl-C.
  func interrupt() { process.interrupt() }

  /// Waits for the end. Output and errors are read one after the other.
  func ending() -> Programs.Ending {
    let output = (try? process.text()) ?? ""
    let errors = (try? process.errors?.readToEnd()) ?? Data()
    let ending = process.wait()
    return Programs.Ending(
      status: ending.status, endedItself: ending.endedItself, output: output,
      errors: String(decoding: errors, as: UTF8.self))
  }
}
