import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  // MARK: Actions on items

  /// Performs an action on an item. When this returns, the action is accepted: it is durable, and
  /// the feeds show its effect. `run()` sends it to the item's vendor as soon as the vendor can be
  /// reached. Actions on one item are sent in the order in which they were accepted.
  ///
  /// An item that is shown as one of the other kind is acted on in its own vendor's words: `read` of a card
  /// is an impression, `open` a click, `expire` and `delete` a dismissal; `impression` of a message is
  /// `read`, and `click` is `open`.
  ///
  /// Throws `unsupported` if the vendor has no such action, `notFound` if the item is not in the
  /// cache, `invalidArgument` if no vendor would take the values, `consentDenied` if the user's
  /// consent does not allow the action, and `queueFull` if the outbox is full. An action that
  /// throws has changed nothing.
  ///
  /// - Parameters:
  ///   - surface: The surface that shows the item; nil for what the item is, among the cards and then in the
  ///     inbox, or as what the routes show it.
  ///   - propagate: Whether the vendors of the other copies of the item's content are told too, in the
  ///     same transaction, as far as they have the action. The receipt tells of each.
  @discardableResult public func perform(
    _ action: ItemAction, on id: ItemID, surface: Surface? = nil, propagate: Bool = false
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    let (provider, plans) = (try dependencies.provider(id.provider), feedPublisher.plans)
    let targets = try provider.targets(of: action, on: surface, plans, at: dependencies.clock.now)
    let copies = propagate ? try await copies(of: id, among: targets, as: userSession) : []
    do throws(EngagementError) {
      return try await accept(action, on: id, by: targets, and: copies, as: userSession)
    } catch {
      // An item that is not held could only be of the vendor's own kind, which this surface does not show.
      guard error.code == .notFound, targets.allSatisfy(\.isBridged), let surface,
        let shown = RoutedSurface(rawValue: surface.rawValue), !plans.shows(id.provider, on: shown)
      else { throw error }
      throw provider.unsupported(action, on: surface)
    }
  }

  /// Performs an action on a card; see `perform(_:on:surface:propagate:)`.
  @discardableResult public func perform(
    _ action: ItemAction, on card: Card, propagate: Bool = false
  ) async throws(EngagementError) -> Receipt {
    try await perform(action, on: card.id, surface: .cards, propagate: propagate)
  }

  /// Performs an action on a message of the inbox; see `perform(_:on:surface:propagate:)`.
  @discardableResult public func perform(
    _ action: ItemAction, on message: InboxMessage, propagate: Bool = false
  ) async throws(EngagementError) -> Receipt {
    try await perform(action, on: message.id, surface: .inbox, propagate: propagate)
  }

  // MARK: Events

  /// Records an event of the application and reports it to every provider of the route of `events` that
  /// takes custom events.
  ///
  /// Throws `invalidArgument` for an empty name and for a property that is NaN or infinite,
  /// `unsupported` if no provider of the route takes the event, `signedOut` if those that do know signed-in users
  /// only, `consentDenied` if the user's consent does not allow it, and `queueFull` if the outbox is
  /// full. A call that throws has recorded nothing.
  @discardableResult public func track(
    _ name: String, _ properties: JSONObject = [:]
  ) async throws(EngagementError) -> Receipt {
    try await track(.custom, name: name, properties)
  }

  /// As `track(_:_:)`, for any kind of event. Custom events need a `name`.
  @discardableResult public func track(
    _ kind: EngagementEvent.Kind, name: String? = nil, _ properties: JSONObject = [:]
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    if name?.isEmpty == true || name == nil && kind == .custom {
      throw EngagementError(
        .invalidArgument, "An event of the application's own needs a name.",
        operation: kind.rawValue)
    }
    try properties.checkNumbers(for: kind.rawValue)
    let userSession = dependencies.currentUser.userSession
    let takers = dependencies.providers.filter { $0.takes(kind) }
    guard !takers.isEmpty else {
      throw EngagementError(
        .unsupported, "No provider takes events of this kind.", operation: kind.rawValue)
    }
    let plans = feedPublisher.plans
    let told = try plans.providers(of: .events, among: takers, operation: kind.rawValue)
    let providers = told.filter { $0.serves(userSession.user) }
    guard !providers.isEmpty || told.isEmpty else { throw .needsUser(for: kind.rawValue) }
    await sessions.touch(providers)
    let only = providers.count == 1 ? providers.first : nil
    var event = event(kind, by: only, properties)
    event.name = name
    return try await accept(event, for: providers, as: userSession)
  }

  // MARK: Delivery

  /// How many accepted actions of the current user have not ended yet, for each provider.
  public var pendingCounts: [ProviderID: Int] {
    get async throws(EngagementError) {
      try lifecycle.checkOpen()
      return try await dependencies.store.pendingCounts(
        in: dependencies.currentUser.userSession.partition)
    }
  }

  /// Sends the current user's pending actions, to all providers at the same time. Returns when
  /// nothing is left that can be sent now, or when the time is up. It works with and without
  /// `run()`.
  public func flush(
    within limit: Duration = .seconds(5)
  ) async throws(EngagementError) -> DeliveryReport {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.userSession
    let end = dependencies.clock.uptime + limit
    let first = await drain(dependencies.providers.map(\.id), as: userSession, within: limit)
    var report = DeliveryReport()
    report.add(first)
    // A vendor that has taken the push token is followed by one that lets go of it.
    let found = try await dependencies.store.pendingCounts(in: userSession.partition)
    let late = first.filter { found[$0.key] ?? 0 > $0.value.left }.map(\.key)
    let left = end - dependencies.clock.uptime
    if !late.isEmpty, left > .zero {
      report.add(await drain(late, as: userSession, within: left))
    }
    let pending = try await dependencies.store.pendingCounts(in: userSession.partition)
    for (id, count) in pending { report.providers[id]?.pending = count }
    return report
  }

  private func drain(
    _ providers: [ProviderID], as userSession: UserSession, within limit: Duration
  ) async -> [ProviderID: DrainReport] {
    await withTaskGroup(of: (ProviderID, DrainReport).self) { group in
      for id in providers {
        group.addTask {
          (id, await self.outboxSender.drain(id, as: userSession, within: limit))
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// Why the last attempt to send the current user's actions failed, for each provider where it did.
  /// Attempts of other processes do not count.
  public var deliveryFailures: [ProviderID: EngagementError] {
    outboxSender.failures(of: dependencies.currentUser.userSession.partition)
  }
}

extension Provider {
  /// Whether the vendor takes anything of the user: some know signed-in users only.
  func serves(_ user: User) -> Bool {
    !user.isAnonymous || !adapter.capabilities.needsUser
  }

  /// Whether the vendor takes events of this kind.
  func takes(_ kind: EngagementEvent.Kind) -> Bool {
    let capabilities = adapter.capabilities
    return capabilities.eventKinds.contains(kind)
      && capabilities.ability(.events).travel != .unsupported
  }
}

extension EngagementError {
  /// The error of a call that only vendors have which know signed-in users only.
  static func needsUser(for operation: String) -> EngagementError {
    EngagementError(
      .signedOut, "The providers that support this know signed-in users only; call signIn first.",
      operation: operation)
  }
}

extension Engagement.DeliveryReport {
  /// Adds what was sent at each provider.
  fileprivate mutating func add(_ drained: [ProviderID: DrainReport]) {
    for (id, counts) in drained {
      providers[id, default: .init()].delivered += counts.delivered
      providers[id, default: .init()].kept += counts.kept
      providers[id, default: .init()].rejected += counts.refused
    }
  }
}
