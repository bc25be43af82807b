import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementVendors

extension Invocation {
  /// What `engage.json` says. What a damaged cache has lost is told, until a person has read it.
  func configuration(isTold: Bool = true) throws -> EngageConfiguration {
    let configuration = try ConfigurationReader.read(value(.config), vendors: vendors, in: context)
    if isTold, let text = RecoveryNotice(besideCacheAt: configuration.cache).text {
      console.note("\(text) Run \"engage doctor --acknowledge\" when you have read this.")
    }
    return configuration
  }

  /// What a command does with an open engagement.
  typealias Body<Value> = @Sendable (Engagement) async throws -> Value

  /// The cards of a container, while another process may write to the cache.
  ///
  /// A cache that is damaged, of an older version or without a user is opened first: that puts it
  /// in order.
  func cards(
    in container: ContainerID, of configuration: EngageConfiguration,
    options: Engagement.CardOptions
  ) async throws -> Engagement.CardFeed {
    try await looking(configuration) { (reader) throws(EngagementError) in
      try reader.cards(in: container, options: options)
    }
  }

  /// The configuration; throws `notFound` if it has no cache yet.
  func configurationWithCache() throws -> EngageConfiguration {
    let configuration = try configuration()
    guard CacheFile(configuration.cache).wasMade else {
      throw EngagementError(
        .notFound, "There is no cache at \(configuration.cache) yet; run \"engage sync\".")
    }
    return configuration
  }

  /// What the body reads of the cache, also from a disk that cannot be written.
  func looking<Value>(
    _ configuration: EngageConfiguration,
    _ body: (EngagementReader) throws(EngagementError) -> Value
  ) async throws -> Value {
    do throws(EngagementError) {
      return try body(try reader(of: configuration))
    } catch {
      guard [.storage, .unavailable, .notFound, .unreadable].contains(error.code) else {
        throw error
      }
      try await reading(configuration) { _ in }
      return try body(try reader(of: configuration))
    }
  }

  /// Reads the cache while others write to it.
  func reader(
    of configuration: EngageConfiguration
  ) throws(EngagementError) -> EngagementReader {
    try EngagementReader.open(
      cache: .file(configuration.cache), providers: configuration.namedAdapters,
      routes: configuration.routes, containers: configuration.containers,
      contentKeys: configuration.contentKeys, clock: context.clock)
  }

  /// Opens the cache for as long as the body runs, and asks no vendor.
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
  ///
  /// - Parameters:
  ///   - signsIn: Whether the body signs a user in.
  ///   - isLive: Whether vendors may tell of changes over web sockets while the body runs.
  func delivering<Value: Sendable>(
    _ configuration: EngageConfiguration, signsIn: Bool = false, isLive: Bool = false,
    _ body: @escaping Body<Value>
  ) async throws -> Value {
    try await reading(configuration) { engagement in
      engagement.setLiveUpdates(enabled: isLive)
      try await UserSetup(configuration, credentials, try reader(of: configuration))
        .apply(to: engagement, signsIn: signsIn)
      if !signsIn, engagement.user.isAnonymous,
        AutomaticSignIn(besideCacheAt: configuration.cache).isOff
      {
        console.note(
          "No user is signed in. Run \"engage signin\"; engage.json signs nobody in any more."
        )
      }
      // Not of this task: Ctrl-C cancels it. A request that is cut off may have arrived, and would be
      // sent again, so it gets a moment to end.
      let running = Task { await Self.run(engagement) }
      let result: Result<Value, any Error>
      do { result = .success(try await body(engagement)) } catch { result = .failure(error) }
      let limit = min(context.patience, .seconds(2))
      await Task { await close(engagement, within: limit) }.value
      running.cancel()
      await running.value
      return try result.get()
    }
  }

  private static func run(_ engagement: Engagement) async {
    // It ends when this command does; that another process delivers is no failure of this one.
    try? await engagement.run()
  }

  /// Opens the cache; a command that begins here has to close it.
  ///
  /// - Parameter transport: Makes another transport than the command's own.
  func open(
    _ configuration: EngageConfiguration, repair: Engagement.Options.CacheRepair = .ifDamaged,
    over transport: (@Sendable (String?) -> any HTTPTransport)? = nil
  ) async throws(EngagementError) -> Engagement {
    try CacheFile(configuration.cache).check()
    let file = DeviceFile(besideCacheAt: configuration.cache)
    let id = Locked(try file.id(random: context.random) { console.note("\($0)") })
    let makeTransport = transport ?? context.transport
    let engagement: Engagement
    do throws(EngagementError) {
      engagement = try await Engagement.open(
        cache: .file(configuration.cache), device: .engage(id: id.withLock(\.self)),
        transport: DeferredTransport { makeTransport(configuration.certificateAuthorities) },
        providers: configuration.namedAdapters,
        routes: configuration.routes, containers: configuration.containers,
        templates: configuration.templates(shownBy: presenter),
        contentKeys: configuration.contentKeys,
        options: Engagement.Options(
          loggers: repair == .ifDamaged ? loggers : [], clock: context.clock,
          random: context.random, ledgerRetention: configuration.ledgerRetention, repair: repair,
          presentations: configuration.presentations(by: presenter)))
    } catch {
      throw error.opening(configuration.cache)
    }
    engagement.setPresentationMode(.suspended)
    if let recovery = engagement.recovery {
      if engagement.user.isAnonymous {
        file.remove()
        let other = try file.id(random: context.random)
        id.withLock { $0 = other }
      }
      try AutomaticSignIn(besideCacheAt: configuration.cache).turnOff()
      if repair == .ifDamaged {
        try RecoveryNotice(besideCacheAt: configuration.cache)
          .add(recovery, at: context.clock.now)
      }
    }
    return engagement
  }

  /// Longer than the library's limit for one file.
  private static let filePatience = Duration.seconds(30)

  /// Draws the templates that are due and tells their vendors, no longer than the patience for each.
  /// Says which were due and not drawn. Every other command leaves them waiting.
  ///
  /// Returns how many were not drawn.
  @discardableResult func presentDueTemplates(
    of engagement: Engagement, _ notes: CampaignNotes
  ) async throws -> Int {
    engagement.setPresentationMode(.running)
    defer { engagement.setPresentationMode(.suspended) }
    // As long as a file may take, so that what is due is drawn or skipped by this command.
    let isDone = try await engagement.presentDueTemplates(
      within: max(context.patience, Self.filePatience))
    try Task.checkCancellation()
    let count = notes.tell()
    if !isDone, presenter.missingChoice == nil {
      console.note(
        """
        What is due was not all drawn: another command presents now, or files take long. The next \
        command tries again.
        """)
    }
    if presenter.hasPresented { _ = try await engagement.flush(within: context.patience) }
    if let missing = presenter.missingChoice { throw EngagementError(.invalidArgument, missing) }
    return count
  }

  /// What `--log` asks for, on standard error.
  private var loggers: [any EngagementLogger] {
    let levels: [String: Engagement.LogLevel] = [
      "verbose": .verbose, "info": .info, "warning": .warning, "error": .error,
    ]
    let name = value(.log) ?? "warning"
    guard let level = levels[name] else { return [] }
    let console = console
    return [Engagement.LinesLogger(level: level) { console.note("engage: \($0)") }]
  }

  /// Where a reader in another process holds the log up, the next one moves it: nothing is lost.
  private func close(_ engagement: Engagement, within limit: Duration = .zero) async {
    try? await engagement.close(within: limit)
  }
}

extension EngagementError {
  /// The error with the cache's path and the next step, if it is about the cache's files.
  fileprivate func opening(_ cache: String) -> EngagementError {
    guard [.unreadable, .newerSchema, .storage].contains(code) else { return self }
    var error = self
    error.message = "\(message): \(cache). See \"engage doctor\"."
    return error
  }
}

/// Signs in the configured user when a command begins.
struct UserSetup {
  private let configuration: EngageConfiguration
  private let credentials: ConfiguredCredentials
  private let reader: EngagementReader

  init(
    _ configuration: EngageConfiguration, _ credentials: ConfiguredCredentials,
    _ reader: EngagementReader
  ) {
    self.configuration = configuration
    self.credentials = credentials
    self.reader = reader
  }

  /// Gives the engagement its user, a source of credentials, and the consent of one who was not
  /// asked yet.
  ///
  /// The configuration's user is signed in when the cache first hears of them; from then on it is
  /// `signin` and `signout` that say who is there. After an erasure no user is signed in without being
  /// asked for. If the command signs a user in, that of an anonymous user is not asked for: nothing is
  /// recorded of a stay that ends at once.
  func apply(to engagement: Engagement, signsIn: Bool) async throws {
    let user = try self.user()
    if !user.isAnonymous {
      try await engagement.signIn(
        user, credentials: credentials.source(of: user, in: configuration))
    }
    if signsIn, engagement.user.isAnonymous { return }
    if let consent = configuration.consent, try await engagement.consent == .unknown,
      !AutomaticSignIn(besideCacheAt: configuration.cache).isOff
    {
      try await engagement.setConsent(consent)
    }
  }

  /// Who is to be signed in, by the cache as it is now: another command may have changed the user
  /// since this one opened it.
  private func user() throws(EngagementError) -> User {
    let present = try reader.user
    guard let named = configuration.user, named != present,
      !AutomaticSignIn(besideCacheAt: configuration.cache).isOff
    else { return present }
    // While several commands begin at once, one may have made the user known and not yet present.
    if present.isAnonymous, try !reader.hasSignedOut { return named }
    return try reader.knows(named) ? present : named
  }
}

extension Device {
  /// This machine, as vendors are told of it.
  static func engage(id: String) -> Device {
    var device = Device.current(appID: "engage", appVersion: EngageTool.version)
    device.id = id
    return device
  }
}
