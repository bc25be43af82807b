import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation

@testable import EngagementKit

/// An engagement with vendors that answer from a script, and the parts that tests inspect.
struct Stage: Sendable {
  let engagement: Engagement
  let transport: ScriptedTransport
  let clock: TestClock
  let secrets: any Engagement.SecretStore
  let lines: Lines

  /// The place of the cache, so that a test can open it again.
  final class Place: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "stage-\(UUID().uuidString)")
    let clock = TestClock()
    let secrets: any Engagement.SecretStore
    let random = Stage.random()

    init(secrets: any Engagement.SecretStore = MemorySecretStore()) { self.secrets = secrets }

    var path: String { folder.appending(path: "cache.sqlite").path }
    var cache: Cache { .file(path) }

    deinit {
      // A folder that remains does not affect other tests.
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Collects every line.
  final class Lines: EngagementLogger {
    private let lines = Locked<[LogLine]>([])
    let level = LogLevel.verbose
    var all: [LogLine] { lines.withLock { $0 } }
    func log(_ line: LogLine) { lines.withLock { $0.append(line) } }
  }

  init(
    _ adapters: [PuppetAdapter], routes: Routes? = nil, containers: ContainerMap = [:],
    templates: Templates = [:], contentKeys: ContentKeys = [:],
    presentations: Options.Presentations = .init(),
    at place: Place? = nil, _ script: @escaping ScriptedTransport.Script = Self.empty
  ) async throws {
    try await self.init(
      adapters.map { Provider($0.provider, $0) }, routes: routes, containers: containers,
      templates: templates, contentKeys: contentKeys, presentations: presentations, at: place,
      ScriptedTransport(script))
  }

  init(
    _ providers: [Provider], routes: Routes? = nil, containers: ContainerMap = [:],
    templates: Templates = [:], contentKeys: ContentKeys = [:],
    presentations: Options.Presentations = .init(),
    imageHosts: [String] = [], imageConverter: Options.ImageConverter? = nil,
    at place: Place? = nil, _ transport: ScriptedTransport
  ) async throws {
    self.transport = transport
    clock = place?.clock ?? TestClock()
    secrets = place?.secrets ?? MemorySecretStore()
    lines = Lines()
    engagement = try await Engagement.open(
      cache: place?.cache ?? .temporary, device: .test, transport: transport,
      providers: Engagement.Providers(providers.map { ($0.id, $0.adapter) }),
      routes: routes ?? .all(of: providers),
      containers: containers, templates: templates, contentKeys: contentKeys,
      options: Options(
        environment: "test", secrets: secrets, loggers: [lines], clock: clock,
        random: place?.random ?? Self.random(), presentations: presentations,
        imageHosts: imageHosts, imageConverter: imageConverter))
  }

  static func bytes(at path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// A vendor without items.
  static let empty: ScriptedTransport.Script = { _ in .json(200, "[]") }

  /// Bits that count up: unique in one run, and the same in every run.
  fileprivate static func random() -> @Sendable () -> UInt64 {
    let count = Locked<UInt64>(0)
    return {
      count.withLock { count in
        count += 1
        return count &* 0x9e37_79b9_7f4a_7c15
      }
    }
  }

  // MARK: Actions of a test

  /// Sends the pending rows of the providers for the current user, also those that follow from others.
  func drain(_ providers: ProviderID...) async {
    var left: [ProviderID: Int] = [:]
    for provider in providers { left[provider] = await drain(provider) }
    let partition = engagement.dependencies.currentUser.userSession.partition
    let pending = try? await engagement.dependencies.store.pendingCounts(in: partition)
    for provider in providers where pending?[provider] ?? 0 > left[provider] ?? 0 {
      _ = await drain(provider)
    }
  }

  /// Returns how many rows are left.
  private func drain(_ provider: ProviderID) async -> Int {
    await engagement.outboxSender.drain(
      provider, as: engagement.dependencies.currentUser.userSession, within: .seconds(5)
    ).left
  }

  /// Signs in with a credential that contains the user's id.
  func signIn(_ user: User, consent: Consent? = nil) async throws {
    try await engagement.signIn(user, consent: consent) { provider in Secret.of(user, at: provider)
    }
  }

  func memory(of provider: ProviderID, for user: User) async throws -> ProviderMemory {
    let partition = try await engagement.dependencies.store.partition(of: user, at: clock.now)
    return try await engagement.dependencies.store.memory(of: provider, in: partition)
  }

  /// The ids of the user's cached cards.
  func kept(
    _ provider: ProviderID, for user: User, in feed: Feed = .cards
  ) async throws -> [String] {
    let partition = try await engagement.dependencies.store.partition(of: user, at: clock.now)
    return try await engagement.dependencies.store.cards(
      in: FeedKey(provider, feed), of: partition, at: clock.now
    ).items.map(\.id.value)
  }

  /// The user's pending rows for the provider.
  func waiting(
    for provider: ProviderID, of user: User
  ) async throws -> [OutboxRow.Work] {
    let partition = try await engagement.dependencies.store.partition(of: user, at: clock.now)
    return try await engagement.dependencies.store.pending(for: provider, in: partition, limit: 100)
      .map(\.work)
  }

  /// `METHOD path?query` of each request.
  var asked: [String] {
    transport.requests.map { request in
      let query = (try? request.target())?.query ?? ""
      return "\(request.line)?\(query)"
    }
  }

  func end() async throws { try await engagement.close() }
}

extension Routes {
  /// Each surface from all providers that have it.
  fileprivate static func all(of providers: [Provider]) -> Routes {
    func route(_ verb: EngagementAdapterAPI.Operation.Verb) -> Route {
      let able = providers.filter {
        $0.adapter.capabilities.ability(verb).travel != .unsupported
      }
      return able.isEmpty ? .none : .merge(able.map(\.id))
    }
    return Routes(cards: route(.cards), inbox: route(.inbox))
  }
}

extension Secret {
  static func of(_ user: User, at provider: ProviderID) -> Secret {
    Secret("\(provider) token of \(user.id?.rawValue ?? "nobody")")
  }
}

extension HTTPRequest {
  var credential: Secret? { headers.secret("Authorization") }
}

/// The library's error that the body throws.
func failure<Value>(of body: () async throws -> Value) async -> EngagementError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? EngagementError
  }
}

extension Stage.Place {
  /// Whether the cache or a file beside it contains the text.
  func holds(_ text: String) throws -> Bool {
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try files.contains { try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil }
  }
}
