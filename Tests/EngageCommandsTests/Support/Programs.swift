import Foundation

/// Runs programs.
enum Programs {
  struct Ending {
    /// The status as in a shell: 128 plus the signal's number after a signal.
    var status: Int32
    var endedItself = true
    var output = ""
    var errors = ""
  }

  /// Runs a program to its end. Its output must be short, so that no pipe fills up.
  static func run(
    _ path: String, _ arguments: [String], in folder: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Ending {
    let output = Pipe()
    let program = try RunningProgram(path, arguments, in: folder, environment, to: output)
    let text = output.fileHandleForReading.readDataToEndOfFile()
    var ending = program.ending()
    ending.output = String(decoding: text, as: UTF8.self)
    return ending
  }

  /// Runs a program whose output pipe is closed.
  static func runUnread(_ path: String, _ arguments: [String], in folder: URL) throws -> Ending {
    let output = Pipe()
    try output.fileHandleForReading.close()
    return try RunningProgram(path, arguments, in: folder, to: output).ending()
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
  private let process = Process()
  private let errors = Pipe()

  init(
    _ path: String, _ arguments: [String], in folder: URL? = nil,
    _ environment: [String: String] = [:], to output: Any = FileHandle.nullDevice
  ) throws {
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment
      .merging(["ASAN_OPTIONS": "detect_leaks=0"]) { _, own in own }
      .merging(environment) { _, own in own }
    try process.run()
  }

  /// Presses Ctrl-C.
  func interrupt() { process.interrupt() }

  /// Waits for the end. The caller reads standard output.
  func ending() -> Programs.Ending {
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let endedItself = process.terminationReason == .exit
    return Programs.Ending(
      status: endedItself ? process.terminationStatus : 128 + process.terminationStatus,
      endedItself: endedItself, errors: String(decoding: complaint, as: UTF8.self))
  }
}
