import EngagementBraze
import EngagementBrazeTools
import EngagementCurl
import EngagementEmulator
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation

/// An application with Braze alone, over the library's own transport, and the vendor's server in
/// this process. The application's clock and the vendor's show the same time.
struct WireScene: Sendable {
  let emulator: Emulator
  let engagement: Engagement
  let network: WatchedTransport
  let clock: TestClock
  private let folder: URL
  private let tokens = Locked(0)

  /// - Parameters:
  ///   - signs: Whether the application signs its requests.
  ///   - policy: The transport's request policy.
  ///   - random: Gives the application's random bits.
  init(
    seed: UInt64 = 1, signs: Bool = false, policy: RequestPolicy = RequestPolicy(),
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
  ) async throws {
    clock = TestClock()
    emulator = try await Emulator.start(
      .init([.braze], seed: seed, clock: clock.now))
    var limits = CurlTransport.Configuration.patient()
    limits.policy = policy
    network = WatchedTransport(CurlTransport(limits), clock)
    let braze = BrazeAdapter(
      try BrazeConfiguration(
        endpoint: emulator.endpoint(of: "braze"), apiKey: Secret("demo"), signsRequests: signs))
    // In memory if possible: no test here survives a restart.
    let memory = URL(filePath: "/dev/shm")
    folder =
      (FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory).appending(path: "wire-\(UUID())")
    engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: network, providers: ["braze": braze],
      routes: Engagement.Routes(cards: .only("braze"), inbox: .none),
      options: Engagement.Options(secrets: MemorySecretStore(), clock: clock, random: random))
  }

  /// Runs the engagement around the body, and ends the scene afterwards.
  func run(_ body: (Engagement) async throws -> Void) async throws {
    let running = Task { [engagement] in try await engagement.run() }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(engagement)) } catch { outcome = .failure(error) }
    running.cancel()
    try await end()
    try outcome.get()
  }

  /// Closes the engagement, stops the emulator and deletes the folder.
  func end() async throws {
    try await engagement.close()
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }

  // MARK: Users

  /// Signs in the user with full consent and tokens that are valid for an hour.
  func signIn(_ id: String) async throws {
    try await engagement.signIn(User(UserID(id))) { _ in self.token(of: id) }
    try await engagement.setConsent(.full)
  }

  /// A new JSON Web Token of the user in Braze's form. The emulator does not check its signature.
  func token(of user: String, lasting seconds: Double = 3_600) -> Secret {
    let number = tokens.withLock { number in
      number += 1
      return number
    }
    let end = clock.now.timeIntervalSince1970 + seconds
    let claims: JSON = [
      "sub": .string(user), "exp": .integer(Int64(end)), "jti": .string("\(number)"),
    ]
    let parts = [
      JSON.object(["alg": "RS256", "typ": "JWT"]).encoded(), claims.encoded(), [1, 2, 3],
    ]
    return Secret(parts.map { Base64URL.text(of: $0) }.joined(separator: "."))
  }

  /// The number of created tokens.
  var tokensMade: Int { tokens.withLock { $0 } }

  // MARK: Time

  /// Advances the vendor's clock, then the application's, so that woken tasks find the vendor's
  /// new time.
  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  // MARK: State

  /// Refreshes the target and returns the outcome.
  func refresh(_ target: Engagement.RefreshTarget = .cards(in: "home")) async -> Engagement
    .ProviderOutcome?
  {
    await engagement.refresh(target).providers["braze"]
  }

  var cards: [Card] { engagement.cards(in: "home").cards }

  /// The titles of the visible cards, in order.
  var titles: [String] { cards.map { $0.title ?? "" } }

  func card(_ title: String) -> Card? { cards.first { $0.title == title } }

  /// The vendor's summaries of the requests after that number, such as
  /// `full sync of u-1: 9 cards`.
  func summaries(after number: Int = 0) async -> [String] {
    await emulator.requests(after: number).map(\.summary)
  }
}
