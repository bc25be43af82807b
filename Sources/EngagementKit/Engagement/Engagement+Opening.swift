import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementModel
import EngagementStore

extension Engagement {
  /// Opens the cache, takes in what extensions left, and shows what there is; nothing is asked of
  /// any vendor.
  ///
  /// Whoever used the application last is present again: what the cache has of them is visible at
  /// once, and credentials are asked for once `signIn` has given a source of them.
  ///
  /// Throws `invalidConfiguration` naming the field that is wrong, with the nearest name that is
  /// right; and what a cache may throw: `newerSchema`, `unreadable`, `busy`, `storage`.
  ///
  /// - Parameters:
  ///   - device: What vendors are told about the installation. Asked for each time, since zones
  ///     and locales change.
  ///   - containers: What the application's containers are called at each provider; no entry: the
  ///     same name.
  public static func open(
    cache: Cache, device: @autoclosure @escaping @Sendable () -> Device,
    transport: any HTTPTransport, providers: [Provider], routes: Routes,
    containers: ContainerMap = [:], options: Options = Options()
  ) async throws(EngagementError) -> Engagement {
    let configuration = Configuration(
      cache: cache, device: device(), providers: providers, routes: routes,
      containers: containers, options: options)
    try configuration.check()
    let place = try CachePlace(cache)
    do throws(EngagementError) {
      let house = try await house(of: configuration, at: place, device, transport)
      return try await assemble(house, configuration, place)
    } catch {
      place.remove()
      throw error
    }
  }

  private static func house(
    of configuration: Configuration, at place: CachePlace,
    _ device: @escaping @Sendable () -> Device, _ transport: any HTTPTransport
  ) async throws(EngagementError) -> House {
    let options = configuration.options
    let secrets: any SecretStore =
      if let given = options.secrets {
        given
      } else {
        try FileSecretStore(path: "\(place.path).secrets")
      }
    let adapters = configuration.providers.map { ($0.id, $0.adapter) }
    let store = try await Store.open(
      Store.Options(
        path: place.path, environment: options.environment,
        adapters: Dictionary(adapters) { first, _ in first },
        limits: OutboxLimits(rows: options.limits.rows, bytes: options.limits.bytes),
        random: options.random, now: { options.clock.now }),
      at: options.clock.now)
    let present = try await despiteDamage { () async throws(EngagementError) in
      try await store.partition(of: try await store.presentUser(), at: options.clock.now)
    }
    return House(
      store: store, secrets: secrets, transport: transport, clock: options.clock, device: device,
      random: options.random, log: Log(loggers: options.loggers),
      environment: options.environment, providers: configuration.providers,
      occupancy: Occupancy(present), bulletin: Bulletin(),
      retired: RetiredTokens(Strongbox(store: secrets, environment: options.environment)))
  }

  private static func assemble(
    _ house: House, _ configuration: Configuration, _ place: CachePlace
  ) async throws(EngagementError) -> Engagement {
    let (desk, sessions, lost) = (CredentialDesk(house.clock), Sessions(house), LostRows())
    var houses: [ProviderID: ProviderHouse] = [:]
    for provider in house.providers {
      houses[provider.id] = ProviderHouse(provider, in: house, desk: desk, lost: lost) {
        sessions.session(for: $0)
      }
    }
    let exchanges = houses.mapValues { Exchange($0.provider.adapter, in: $0) }
    let roads = exchanges.mapValues { exchange -> Carrier.Road in
      { operation, attempt in
        lost.forget(attempt.key)
        return await exchange.perform(operation, attempt)
      }
    }
    let courier = Courier(house, right: try Lease(ofCacheAt: place.path), roads: roads)
    let showcase = Showcase(
      house, routes: configuration.routes, containers: configuration.containers)
    // What ended is known before anybody is shown it.
    let readers: [any CommitReader] = [lost, house.retired, courier, showcase, sessions]
    for reader in readers { house.bulletin.add(reader) }
    try await despiteDamage { () async throws(EngagementError) in
      try await showcase.enter(house.occupancy.present)
      try await sessions.load()
      try await house.retired.load(from: house.store)
    }
    let pushes = PushRouter(house, houses)
    let journal = JournalKeeper(
      try ExtensionJournal(ofCacheAt: place.path), in: house, pushes)
    await journal.foldOrLog()
    house.tellOpened()
    if let recovery = house.store.recovery { house.log(.warning, recovery.message) }
    return Engagement(
      house, houses: houses, exchanges: exchanges, desk: desk, courier: courier,
      showcase: showcase, sessions: sessions, containers: configuration.containers,
      pushes: pushes, journal: journal, place: place)
  }
}

extension Engagement {
  /// Asks the cache a second time where it met damage: that is told once, and whatever is asked
  /// next finds it put in order. So no state of the file keeps a user out.
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

extension House {
  /// Says what runs here, for whoever reads the log of an installation far away.
  fileprivate func tellOpened() {
    log(.info, "EngagementKit \(Engagement.version) opened for \(device().appID).")
    for provider in providers { log(.info, "Speaks to \(provider.adapter.summary).", provider.id) }
  }
}

extension Recovery {
  fileprivate var message: String {
    "The cache was damaged and is set aside as \(setAside); \(savedRows) waiting actions were saved"
      + (mayHaveLostRows ? ", others may be lost." : ".")
  }
}
