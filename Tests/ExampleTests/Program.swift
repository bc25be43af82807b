import Foundation

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
  func output(_ arguments: [String] = [], in folder: URL? = nil) async throws -> String {
    let process = Process()
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.executableURL = url
    process.standardOutput = output
    // A program that ends releases nothing that its main function holds.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["ASAN_OPTIONS": "detect_leaks=0"]) { _, own in own }
    let text = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { _ in
        continuation.resume(returning: output.fileHandleForReading.readDataToEndOfFile())
      }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Starts it without waiting for its end.
  func start(_ arguments: [String], in folder: URL) async throws -> Running {
    let process = Process()
    let output = Pipe()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = output
    try process.run()
    return Running(process: process, output: output.fileHandleForReading)
  }

  /// A program that runs until it is stopped.
  struct Running {
    fileprivate let process: Process
    fileprivate let output: FileHandle

    /// The first line that it prints; nil where it ends without one.
    func firstLine() throws -> String? {
      var bytes: [UInt8] = []
      while let byte = try output.read(upToCount: 1)?.first {
        if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(byte)
      }
      return nil
    }

    func stop() {
      process.interrupt()
      process.waitUntilExit()
    }
  }
}
