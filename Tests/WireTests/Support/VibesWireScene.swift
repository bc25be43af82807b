import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import Testing

/// An installation with Vibes alone, over the library's own transport, and the vendor's server in
/// this process. The application can be started more than once on the same cache and secrets.
struct VibesWireScene: Sendable {
  let emulator: Emulator
  let clock = TestClock()
  private let transport: CurlTransport
  private let secrets = MemorySecretStore()
  private let folder: URL

  init() async throws {
    emulator = try await Emulator.start(.init([.vibes], clock: clock.now))
    transport = CurlTransport(.patient())
    folder = FileManager.default.temporaryDirectory.appending(path: "vibes-wire-\(UUID())")
  }

  /// Starts the application, runs it around the body, and ends it.
  func run(_ body: (Engagement) async throws -> Void) async throws {
    let vibes = VibesAdapter(
      try VibesConfiguration(
        appID: "demo", endpoint: "\(emulator.endpoint(of: "vibes"))/mobile_apps"))
    let engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: transport, providers: ["vibes": vibes],
      routes: Engagement.Routes(cards: .none, inbox: .only("vibes")),
      options: Engagement.Options(secrets: secrets, clock: clock))
    let running = Task { try await engagement.run() }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(engagement)) } catch { outcome = .failure(error) }
    running.cancel()
    try await engagement.close()
    try outcome.get()
  }

  /// Stops the emulator and deletes the folder.
  func end() async throws {
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }

  /// Advances the vendor's clock, then the application's.
  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  /// Advances the clocks until no row is pending.
  func settle(_ engagement: Engagement) async throws {
    for _ in 0..<100 where try await engagement.pendingCounts["vibes"] ?? 0 > 0 {
      await advance(by: .seconds(60))
      await engagement.deliver(to: "vibes")
    }
  }

  /// Loads faults for the next matching requests.
  func strike(_ faults: [JSONObject]) async throws {
    try await emulator.load(try EmulatorFaults(json: ["faults": .array(faults.map(JSON.object))]))
  }

  /// Matches changes of messages.
  static let changes: JSONObject = ["method": "PUT", "path": "/mobile_apps/demo/persons"]
  /// Matches events and other reports of a device.
  static let reports: JSONObject = ["method": "POST", "path": "/mobile_apps/demo/devices"]

  /// `METHOD path` of the requests after that number.
  func lines(after number: Int = 0) async -> [String] {
    await emulator.requests(after: number).map { "\($0.method) \($0.path)" }
  }
}

extension Engagement {
  /// Signs in the user with full consent and refreshes the inbox.
  func arrive(
    _ user: UserID = "u-1", finding wanted: Engagement.ProviderOutcome = .fresh,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await signIn(User(user))
    try await setConsent(.full)
    let found = await refreshInbox()
    #expect(found == wanted, sourceLocation: sourceLocation)
  }

  func refreshInbox() async -> Engagement.ProviderOutcome? {
    await refresh(.inbox).providers["vibes"]
  }

  /// The outcome of the action's receipt.
  func outcome(of action: (Engagement) async throws -> Engagement.Receipt) async throws
    -> Engagement.Receipt.Outcome?
  {
    let receipt = try await action(self)
    return try await receipt.outcome()
  }
}
