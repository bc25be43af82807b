import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Opens the cache and imports the entries of extensions. No vendor is asked for anything.
  ///
  /// The user of the last run is the current user again, and the feeds show that user's cache.
  /// Credentials are available after `signIn` has been called with a source of them.
  ///
  /// Throws `invalidConfiguration` with the name of the wrong field and the nearest right name, or
  /// an error of the cache: `newerSchema`, `unreadable`, `busy`, `storage`.
  ///
  /// - Parameters:
  ///   - device: The installation as vendors see it. It is read at each use, since time zones and
  ///     locales change. If its `id` is empty, an id is made once and kept in the cache.
  ///   - containers: The names of the application's containers at each provider; no entry: the same
  ///     name.
  ///   - templates: What the campaigns of each provider may show and run.
  ///   - contentKeys: By what each provider's items are known as copies of one content.
  public static func open(
    cache: Cache, device: @autoclosure @escaping @Sendable () -> Device,
    transport: any HTTPTransport, providers: Providers, routes: Routes,
    containers: ContainerMap = [:], templates: Templates = [:], contentKeys: ContentKeys = [:],
    options: Options = Options()
  ) async throws(EngagementError) -> Engagement {
    let configuration = Configuration(
      cache: cache, device: device(), providers: providers.list, routes: routes,
      containers: containers, templates: templates, contentKeys: contentKeys, options: options)
    try configuration.check()
    let location = try CacheLocation(cache)
    do throws(EngagementError) {
      let dependencies = try await dependencies(
        of: configuration, at: location, device, transport)
      let engagement = try Engagement(dependencies, configuration, at: location)
      try await engagement.start()
      return engagement
    } catch {
      location.remove()
      throw error
    }
  }

  private static func dependencies(
    of configuration: Configuration, at location: CacheLocation,
    _ device: @escaping @Sendable () -> Device, _ transport: any HTTPTransport
  ) async throws(EngagementError) -> KitDependencies {
    let options = configuration.options
    let secrets: any SecretStore =
      if let given = options.secrets {
        given
      } else {
        try FileSecretStore(path: "\(location.path).secrets") {
          [log = Log(loggers: options.loggers)] in
          log(
            .warning,
            "The secrets were damaged; they are set aside as \($0). Vendors give new ones, and users sign in again."
          )
        }
      }
    let adapters = configuration.providers.map { ($0.id, $0.adapter) }
    let providerSecrets = ProviderSecrets(store: secrets, environment: options.environment)
    let store = try await Store.open(
      Store.Options(
        path: location.path, environment: options.environment,
        adapters: Dictionary(adapters) { first, _ in first },
        contentKeys: configuration.contentKeys.sources,
        limits: OutboxLimits(rows: options.limits.rows, bytes: options.limits.bytes),
        retention: options.ledgerRetention,
        random: options.random, now: { options.clock.now },
        uptime: { options.clock.uptime },
        zoneOffset: { device().zoneOffset },
        position: { device().location.map(Campaign.Position.init) },
        pushToken: { [digests = providerSecrets.digests] in digests[$0] },
        repair: EngagementStore.CacheRepair(options.repair),
        savedValues: RoutePlace.prefixes + MigrationRecord.savedNames),
      at: options.clock.now)
    let present = try await despiteDamage { () async throws(EngagementError) in
      try await store.partition(of: try await store.presentUser(), at: options.clock.now)
    }
    let identified = try await despiteDamage {
      () async throws(EngagementError) -> @Sendable () -> Device in
      try await withID(device, keptIn: store, for: present, options)
    }
    return KitDependencies(
      store: store, secrets: secrets, transport: transport, clock: options.clock,
      device: identified,
      random: options.random, log: Log(loggers: options.loggers),
      environment: options.environment, providers: configuration.providers,
      contentKeys: configuration.contentKeys.sources,
      currentUser: CurrentUser(present), commitPublisher: CommitPublisher(),
      tokensToUnregister: TokensToUnregister(providerSecrets), providerSecrets: providerSecrets)
  }

  /// The device with an id: the application's, or one that is made once and kept.
  private static func withID(
    _ device: @escaping @Sendable () -> Device, keptIn store: Store, for present: Partition,
    _ options: Options
  ) async throws(EngagementError) -> @Sendable () -> Device {
    guard device().id.isEmpty else { return device }
    let name = "device.id"
    let memory = try await store.memory(of: KitState.owner, in: present)
    let id: String
    if let kept = memory.values[.installation, name], !kept.isEmpty {
      id = kept
    } else {
      id = OperationKey(options.random(), options.random()).id(0)
      _ = try await store.commit(
        [.keep(.installation, name, id)], from: KitState.owner, in: present,
        at: options.clock.now)
    }
    return {
      var device = device()
      if device.id.isEmpty { device.id = id }
      return device
    }
  }

  /// Shows the feeds of the cache and imports the entries of extensions.
  private func start() async throws(EngagementError) {
    try await Self.despiteDamage { () async throws(EngagementError) in
      try await feedPublisher.enter(dependencies.currentUser.userSession)
      try await sessions.load()
      try await dependencies.tokensToUnregister.load(from: dependencies.store)
    }
    await routeChanges.follow()
    await userTransitions.introduceAgain()
    await routeChanges.handOverTokens()
    await migrations.tellUnreadable()
    await journal.importOrLog()
    do throws(EngagementError) {
      try await userTransitions.finishPurges()
    } catch {
      dependencies.log(.error, "What is left of a user who was purged stays: \(error)")
    }
    dependencies.logOpened()
    if let recovery = dependencies.store.recovery {
      dependencies.log(.warning, recovery.message)
    }
  }
}

extension Engagement {
  /// Runs the body again if it finds damage, since the store repairs the cache before the next use.
  private static func despiteDamage<Value>(
    _ body: () async throws(EngagementError) -> Value
  ) async throws(EngagementError) -> Value {
    do throws(EngagementError) {
      return try await body()
    } catch {
      guard error.code == .storage else { throw error }
      return try await body()
    }
  }
}

extension KitDependencies {
  /// Logs the versions and the providers.
  fileprivate func logOpened() {
    log(.info, "EngagementKit \(Engagement.version) opened for \(device().appID).")
    for provider in providers { log(.info, "Speaks to \(provider.adapter.summary).", provider.id) }
  }
}

extension Recovery {
  fileprivate var message: String {
    let routes =
      mayHaveLostValues
      ? " Routes that were set at run time may be lost: what they kept from a vendor may go there."
      : ""
    guard let setAside else {
      return "The cache is gone, with all that was in it; another one begins in its place." + routes
    }
    return
      "The cache was damaged and is set aside as \(setAside); \(savedRows) waiting actions were saved"
      + (mayHaveLostRows ? ", others may be lost." : ".") + routes
  }
}

extension EngagementStore.CacheRepair {
  fileprivate init(_ repair: Options.CacheRepair) {
    self =
      switch repair {
      case .ifDamaged: .ifDamaged
      case .always: .always
      case .startingEmpty: .startingEmpty
      }
  }
}
