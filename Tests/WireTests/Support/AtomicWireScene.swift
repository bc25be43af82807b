import AtomicFixtures
import EngagementAtomic
import EngagementAtomicTools
import EngagementCurl
import EngagementEmulator
import EngagementKit
import EngagementModel
import EngagementTesting
import EngagementVendors
import Foundation

/// An installation with Atomic alone, over the library's own transport, and the vendor's server in this
/// process, which has no card in the beginning.
struct AtomicWireScene: Sendable {
  static let provider: ProviderID = "atomic"
  static let place: ContainerID = "home"

  let emulator: Emulator
  let clock = TestClock()
  private let questions = Locked(0)
  private let log = Locked<[String]>([])
  private let transport = CurlTransport(.patient())
  private let secrets = MemorySecretStore()
  private let folder: URL

  init() async throws {
    emulator = try await Emulator.start(.init([.atomic], clock: clock.now))
    folder = FileManager.default.temporaryDirectory.appending(path: "atomic-wire-\(UUID())")
    for item in try await emulator.items(of: "atomic") {
      guard let id = item["instance"]?["id"]?.string else { continue }
      _ = try await emulator.remove(id, from: "atomic")
    }
  }

  /// How often the application was asked for a token.
  var questionCount: Int { questions.withLock(\.self) }

  /// What the application has logged.
  var logLines: [String] { log.withLock(\.self) }

  /// Starts the application with a signed-in user and ends it after the body.
  ///
  /// - Parameter isLive: Whether it runs, with the container on its screen. If not, a test says when
  ///   something is sent.
  func run(
    isLive: Bool = true, signsIn: Bool = true, _ body: (Engagement) async throws -> Void
  ) async throws {
    let configuration = try AtomicConfiguration(
      endpoint: emulator.endpoint(of: "atomic"), environmentID: "env-1", apiKey: Secret("key"))
    let lines = Engagement.LinesLogger(level: .info) { line in log.withLock { $0.append(line) } }
    let engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: transport, providers: [Self.provider: .atomic(configuration)],
      routes: Engagement.Routes(cards: .only(Self.provider), inbox: .none),
      containers: [Self.place: [Self.provider: .container(AtomicSamples.container)]],
      options: Engagement.Options(
        secrets: secrets, loggers: [lines], clock: clock))
    var tasks: [Task<Void, Never>] = []
    if isLive {
      tasks = [Task { await Self.keep(engagement) }, Task { await Self.show(engagement) }]
    }
    let outcome: Result<Void, any Error>
    do {
      if signsIn { try await signIn("u-1", to: engagement) }
      outcome = .success(try await body(engagement))
    } catch {
      outcome = .failure(error)
    }
    for task in tasks { task.cancel() }
    try await engagement.close()
    for task in tasks { await task.value }
    try outcome.get()
  }

  private static func keep(_ engagement: Engagement) async { try? await engagement.run() }

  private static func show(_ engagement: Engagement) async {
    while !Task.isCancelled {
      for await _ in engagement.cardUpdates(in: place) {}
      await Task.yield()
    }
  }

  func signIn(_ user: UserID, to engagement: Engagement) async throws {
    try await engagement.signIn(User(user), consent: .full) { _ in
      let serial = questions.withLock { count in
        count += 1
        return count
      }
      let end = Int64(clock.now.timeIntervalSince1970) + 86_400
      return AtomicSamples.token(claims: [
        "sub": .string(user.rawValue), "exp": .integer(end), "jti": .integer(Int64(serial)),
      ])
    }
  }

  /// Stops the emulator and deletes the folder.
  func end() async throws {
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }

  // MARK: The vendor

  /// Adds a card that allows everything, or changes the title of one.
  func put(_ id: String, priority: Int64 = 5, title: String) async throws {
    let flags: JSON = ["swipe": true, "overflow": true]
    _ = try await emulator.put(
      [
        "instance": ["id": .string(id)], "metadata": ["priority": .integer(priority)],
        "actions": [
          "dismiss": flags, "snooze": flags, "voteUp": ["overflow": true],
          "voteDown": ["overflow": true],
        ],
        "defaultView": [
          "nodes": [["type": "headline", "attributes": ["text": .string(title)]]]
        ],
      ], in: "atomic")
  }

  /// `METHOD path` of the requests, and what was said on sockets in a few words, after that number.
  func lines(after number: Int = 0) async -> [String] {
    await emulator.requests(after: number).map {
      $0.isMessage ? $0.summary : "\($0.method) \($0.path)"
    }
  }

  // MARK: Waiting

  /// Advances the vendor's clock, then the application's.
  func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  /// Waits until it is so; the suite has a limit of time.
  func wait(until isSo: () async throws -> Bool) async throws {
    while try await !isSo() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Waits until the container shows cards of these titles, in this order.
  func wait(for titles: [String], in engagement: Engagement) async throws {
    try await wait { engagement.cards(in: Self.place).cards.map { $0.title ?? "" } == titles }
  }

  /// What an action came to, after everything was sent.
  func outcome(
    _ engagement: Engagement, of action: ItemAction, on id: String
  ) async throws -> Engagement.Receipt.Outcome? {
    let receipt = try await engagement.perform(action, on: ItemID(Self.provider, id))
    await engagement.deliver(to: Self.provider)
    return try await receipt.outcome()
  }
}
