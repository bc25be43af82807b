import EngageCommands
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementVendors
import Foundation
import TestSupport
import Testing

/// A folder with what `engage init` would write for Atomic alone, and its vendor.
struct AtomicScene {
  let stage: CommandLineFixture
  let emulator: Emulator

  init() async throws {
    stage = try CommandLineFixture()
    emulator = try await Emulator.start(.init([.atomic]))
    try Self.configure(stage, endpoint: emulator.endpoint(of: "atomic"))
  }

  /// - Parameters:
  ///   - token: The user's token, a secret as `engage.json` has it; nil for the starter's.
  ///   - hasContainers: Whether the document names a container.
  static func configure(
    _ stage: CommandLineFixture, endpoint: String, token: JSON? = nil, hasContainers: Bool = true
  ) throws {
    var provider = try #require(VendorRegistration.atomic.starter)
    provider["endpoint"] = .string(endpoint)
    if let token { provider["token"] = token }
    var document: JSONObject = [
      "user": .string(VendorRegistration.starterUser.rawValue), "consent": "full",
      "providers": ["atomic": .object(provider)],
    ]
    if hasContainers { document["containers"] = ["home": ["atomic": "BqWL1sT"]] }
    try stage.write(
      String(decoding: JSON.object(document).encoded(), as: UTF8.self), to: "engage.json")
  }

  /// A token for the emulator, which does not check signatures.
  ///
  /// - Parameter end: When it ends, in seconds since 1970.
  static func token(_ user: String = "u-1", endingAt end: Int64 = 4_102_444_800) -> String {
    let claims: JSONObject = [
      "sub": .string(user), "iat": .integer(end - 604_800), "exp": .integer(end),
    ]
    let parts: [JSONObject] = [["alg": "RS512", "typ": "JWT"], claims]
    let texts = parts.map { Base64URL.text(of: JSON.object($0).encoded()) }
    return (texts + [Base64URL.text(of: Array("test".utf8))]).joined(separator: ".")
  }

  @discardableResult func engage(
    _ line: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async -> CommandLineFixture.Ending {
    let ending = await stage.run(
      line, by: CurlTransport(), in: .init(patience: .seconds(600)))
    #expect(ending.status == .done, "\(ending.errors)", sourceLocation: sourceLocation)
    return ending
  }

  /// The id of the card that a vendor's event made.
  func id(of event: String) async throws -> String {
    let items = try await emulator.items(of: "atomic")
    let item = items.first { $0["instance"]?["eventName"]?.string == event }
    return try #require(item?["instance"]?["id"]?.string)
  }
}

/// A program whose output is read while it runs.
struct ReadProgram {
  let program: RunningProgram
  private let file: URL

  init(_ arguments: [String], in stage: CommandLineFixture, to name: String) throws {
    file = try stage.file(name)
    program = try RunningProgram(
      Programs.built("engage"), arguments, in: stage.folder,
      to: .file(file.path))
  }

  func output() throws -> String { try String(contentsOf: file, encoding: .utf8) }

  /// How long the text took to come.
  func wait(for text: String) async throws -> Duration {
    let start = ContinuousClock.now
    while try !output().contains(text) { try await Task.sleep(for: .milliseconds(5)) }
    return ContinuousClock.now - start
  }

  func end() -> Programs.Ending {
    program.interrupt()
    return program.ending()
  }
}
