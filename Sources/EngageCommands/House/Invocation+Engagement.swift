import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementStore

extension Invocation {
  /// What `engage.json` says.
  func configuration() throws -> EngageConfiguration {
    try ConfigurationReader.read(value(.config), in: surroundings)
  }

  /// What a command does with an open engagement.
  typealias Body<Value> = @Sendable (Engagement) async throws -> Value

  /// What is seen in a container, beside whoever writes to the cache.
  ///
  /// A cache that is damaged, of an older version or without a user is opened first: that puts it
  /// in order.
  func cards(
    in container: ContainerID, of configuration: EngageConfiguration, options: CardOptions
  ) async throws -> CardFeed {
    let viewpoint = try Viewpoint(
      cache: .file(configuration.cache), providers: configuration.namedAdapters,
      routes: configuration.routes, containers: configuration.containers)
    func look() throws(EngagementError) -> CardFeed {
      var reader = try StoreReader(path: configuration.cache, adapters: viewpoint.adapters)
      return try viewpoint.cards(
        in: container, options: options, at: surroundings.clock.now, from: &reader)
    }
    do throws(EngagementError) {
      return try look()
    } catch {
      guard [.storage, .unavailable, .notFound].contains(error.code) else { throw error }
      try await reading(configuration) { _ in }
      return try look()
    }
  }

  /// Opens the cache for as long as the body runs, and asks nobody anything.
  func reading<Value: Sendable>(
    _ configuration: EngageConfiguration, _ body: Body<Value>
  ) async throws -> Value {
    let engagement = try await open(configuration)
    do {
      let value = try await body(engagement)
      await close(engagement)
      return value
    } catch {
      await close(engagement)
      throw error
    }
  }

  /// Opens the cache with its user signed in, and delivers what waits for as long as the body runs.
  func delivering<Value: Sendable>(
    _ configuration: EngageConfiguration, _ body: @escaping Body<Value>
  ) async throws -> Value {
    try await reading(configuration) { engagement in
      try await Arrival(configuration).settle(in: engagement)
      async let _: Void = Self.run(engagement)
      return try await body(engagement)
    }
  }

  private static func run(_ engagement: Engagement) async {
    // It ends when this command does; that another process delivers is no failure of this one.
    try? await engagement.run()
  }

  private func open(_ configuration: EngageConfiguration) async throws -> Engagement {
    let id = try DeviceFile(besideCacheAt: configuration.cache).id(random: surroundings.random)
    let (environment, makeTransport) = (surroundings.environment, surroundings.transport)
    return try await Engagement.open(
      cache: .file(configuration.cache), device: .tool(id: id, environment: environment),
      transport: DeferredTransport { makeTransport(configuration.certificateAuthorities) },
      providers: configuration.namedAdapters,
      routes: configuration.routes, containers: configuration.containers,
      options: Options(
        loggers: loggers, clock: surroundings.clock, random: surroundings.random))
  }

  /// What `--log` asks for, on standard error.
  private var loggers: [any EngagementLogger] {
    let levels: [String: LogLevel] = [
      "verbose": .verbose, "info": .info, "warning": .warning, "error": .error,
    ]
    guard let level = value(.log).flatMap({ levels[$0] }) else { return [] }
    let console = console
    return [LinesLogger(level: level) { console.note("\($0)") }]
  }

  /// Where a reader in another process holds the log up, the next one moves it: nothing is lost.
  private func close(_ engagement: Engagement) async { try? await engagement.close() }
}

/// Who is there when a command begins.
struct Arrival {
  private let configuration: EngageConfiguration

  init(_ configuration: EngageConfiguration) { self.configuration = configuration }

  /// Gives the engagement its user, a source of credentials, and the consent of one who was not
  /// asked yet.
  ///
  /// The configuration's user is signed in when the cache first hears of them; from then on it is
  /// `signin` and `signout` that say who is there.
  func settle(in engagement: Engagement) async throws {
    var user = engagement.user
    if let named = configuration.user, named != user, try !isKnown(named) { user = named }
    if !user.isAnonymous {
      try await engagement.signIn(user, credentials: credentials)
    }
    if let consent = configuration.consent, try await engagement.consent == .unknown {
      try await engagement.setConsent(consent)
    }
  }

  /// What each provider's vendor is shown, whoever is signed in.
  var credentials: CredentialSource {
    let known = Dictionary(
      configuration.providers.map { ($0.id, $0.credential) },
      uniquingKeysWith: { first, _ in first })
    return { provider in known[provider] ?? nil }
  }

  private func isKnown(_ user: User) throws(EngagementError) -> Bool {
    var reader = try StoreReader(path: configuration.cache, adapters: [:])
    return try reader.partition(of: user, in: Options().environment) != nil
  }
}
