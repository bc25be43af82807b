import EngageCommands
import EngagementCurl
import EngagementHTTP
import EngagementKit
import EngagementModel
import Foundation
import Testing

/// Runs commands in a folder of its own, with a recording terminal and a test's vendors.
final class CommandLineFixture: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "engage-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The result of a command line.
  struct Ending: Equatable {
    var status: EngageCommands.ExitStatus
    var output: String
    var errors: String

    /// The output's lines.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// The settings of a command line.
  struct Setting: Sendable {
    var environment: [String: String] = [:]
    var input = ""
    /// The working folder below the fixture's.
    var folder = ""
    var width: Int?
    var isColoured = false
    var showsProgress = false
    var clock: any EngagementClock = StillClock()
    /// Longer than any stall of a disk, so that a reported delivery does not depend on it.
    var patience = Duration.seconds(60)
    /// For a command whose wait must end without a delivery.
    static let impatient = Setting(patience: .milliseconds(100))
    /// Makes the transport as the program does; nil to use the transport of the call.
    var transport: (@Sendable (String?) -> any HTTPTransport)?
    /// The number of writes before the pipe is closed.
    var readWrites = Int.max
    /// Called for each write to the output.
    var hears: @Sendable () -> Void = {}
    /// Called for each write to standard error, with all that was written so far.
    var hearsErrors: @Sendable (String) -> Void = { _ in }
    var interruption: @Sendable () async -> Void = {
      // Lasts until the command has ended.
      try? await Task.sleep(for: .seconds(86_400))
    }
  }

  /// Runs a command line in the folder.
  func engage(
    _ line: String..., by transport: any HTTPTransport = Unplugged(), in setting: Setting = .init()
  ) async -> Ending {
    await run(line, by: transport, in: setting)
  }

  func run(
    _ line: [String], by transport: any HTTPTransport = Unplugged(), in setting: Setting = .init()
  ) async -> Ending {
    let told = Told()
    let terminal = Terminal(
      output: { (bytes) throws(OutputError) in
        guard told.count(bytes) <= setting.readWrites else { throw OutputError.closedPipe }
        setting.hears()
      },
      errors: { (bytes) throws(OutputError) in
        told.note(bytes)
        setting.hearsErrors(told.errors)
      },
      width: setting.width, isColoured: setting.isColoured,
      showsProgress: setting.showsProgress)
    let context = CommandContext(
      terminal: terminal, environment: { setting.environment[$0] },
      directory: folder.appending(path: setting.folder).path,
      input: { () throws(EngagementError) in Array(setting.input.utf8) },
      transport: { setting.transport?($0) ?? transport }, clock: setting.clock,
      patience: setting.patience, interruption: setting.interruption)
    let status = await EngageTool.run(line, vendors: .shipped, in: context)
    let plain = folder.path + "/"
    return Ending(
      status: status, output: told.output.replacing(plain, with: ""),
      errors: told.errors.replacing(plain, with: ""))
  }

  /// Syncs over the network until the condition holds. On a busy machine one command may not wait
  /// long enough.
  func sync(until hasHappened: () async -> Bool) async throws {
    repeat {
      let ending = await engage("sync", by: CurlTransport())
      #expect(ending.status == .done, "\(ending.errors)")
    } while await !hasHappened()
  }

  /// Writes a configuration with one provider.
  func configure(endpoint: String, _ members: String = "") throws {
    try write(
      """
      {"user": "u-1", "consent": "full"\(members),
       "providers": {"braze": {"vendor": "braze", "endpoint": "\(endpoint)", "apiKey": "demo"}}}
      """, to: "engage.json")
  }

  /// The names of the folder's files.
  func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  /// Makes an empty file in the folder.
  func file(_ name: String) throws -> URL {
    try write("", to: name)
    return folder.appending(path: name)
  }

  /// Writes a file into the folder.
  func write(_ text: String, to name: String, mode: Int = 0o600) throws {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }
}

/// Records the texts written to a terminal.
private final class Told: Sendable {
  private let state = Locked((output: [UInt8](), errors: [UInt8](), writes: 0))

  var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var errors: String { state.withLock { String(decoding: $0.errors, as: UTF8.self) } }

  func note(_ bytes: [UInt8]) { state.withLock { $0.errors += bytes } }

  /// Records a write and returns its number.
  func count(_ bytes: [UInt8]) -> Int {
    state.withLock { state in
      state.writes += 1
      state.output += bytes
      return state.writes
    }
  }
}

/// A clock with a stopped wall clock, so that printed times are known. The uptime is real.
struct StillClock: EngagementClock {
  private let system = Engagement.SystemClock()

  var now = Date(timeIntervalSince1970: 1_790_845_200)
  var uptime: Duration { system.uptime }
  func sleep(until uptime: Duration) async { await system.sleep(until: uptime) }
}

/// A transport without a network.
struct Unplugged: HTTPTransport {
  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    throw EngagementError(.unavailable, "The host was not reached.", underlying: "unplugged")
  }
}
