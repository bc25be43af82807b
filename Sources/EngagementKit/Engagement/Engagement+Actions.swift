import EngagementAdapterAPI
public import EngagementModel
import EngagementStore

extension Engagement {
  // MARK: What a user does to an item

  /// Does something to an item. When this returns it is accepted: the user sees it, and it reaches
  /// the vendor that owns the item, whenever that can be reached, in the order in which things were
  /// done to the item.
  ///
  /// Throws `unsupported` for what the vendor lacks, `notFound` where the item is not in the cache,
  /// `invalidArgument` for what no vendor takes, `consentDenied` where the user's consent does not
  /// allow it and `queueFull` where too much waits already. Then nothing has happened.
  ///
  /// - Parameter surface: Where the item is shown; nil looks among the cards and then in the inbox.
  @discardableResult public func perform(
    _ action: ItemAction, on id: ItemID, surface: Surface? = nil
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.present
    let surfaces = surface.map { [$0] } ?? [.cards, .inbox]
    try checkSupport(of: action, on: surfaces, at: dependencies.provider(id.provider))
    return try await accept(action, on: id, among: surfaces, as: userSession)
  }

  /// Does something to a card; see `perform(_:on:surface:)`.
  @discardableResult public func perform(
    _ action: ItemAction, on card: Card
  ) async throws(EngagementError) -> Receipt {
    try await perform(action, on: card.id, surface: .cards)
  }

  /// Does something to a message of the inbox; see `perform(_:on:surface:)`.
  @discardableResult public func perform(
    _ action: ItemAction, on message: InboxMessage
  ) async throws(EngagementError) -> Receipt {
    try await perform(action, on: message.id, surface: .inbox)
  }

  /// What no surface supports is refused before anything is looked up.
  private func checkSupport(
    of action: ItemAction, on surfaces: [Surface], at provider: Provider
  ) throws(EngagementError) {
    let capabilities = provider.adapter.capabilities
    let verbs = surfaces.map { Operation.Verb.act(action.name, on: $0) }
    guard verbs.allSatisfy({ capabilities.ability($0).travel == .unsupported }) else { return }
    throw EngagementError(
      .unsupported, "\(provider.id) does not support this.", provider: provider.id,
      operation: verbs.first?.rawValue)
  }

  // MARK: What happens otherwise

  /// Records something of the application's own and reports it to every provider that takes such
  /// events.
  ///
  /// Throws `invalidArgument` for an empty name, `unsupported` where no provider takes it,
  /// `consentDenied` where the user's consent does not allow it and `queueFull` where too much
  /// waits already. Then nothing has happened.
  @discardableResult public func track(
    _ name: String, _ properties: JSONObject = [:]
  ) async throws(EngagementError) -> Receipt {
    try await track(.custom, name: name, properties)
  }

  /// The same for any kind of event; a `name` belongs to kinds that have one.
  @discardableResult public func track(
    _ kind: EngagementEvent.Kind, name: String? = nil, _ properties: JSONObject = [:]
  ) async throws(EngagementError) -> Receipt {
    try lifecycle.checkOpen()
    if name?.isEmpty == true || name == nil && kind == .custom {
      throw EngagementError(
        .invalidArgument, "An event of the application's own needs a name.",
        operation: kind.rawValue)
    }
    let userSession = dependencies.currentUser.present
    let providers = dependencies.providers.filter { $0.takes(kind) }
    guard !providers.isEmpty else {
      throw EngagementError(
        .unsupported, "No provider takes events of this kind.", operation: kind.rawValue)
    }
    let only = providers.count == 1 ? providers.first : nil
    var event = event(kind, by: only, properties)
    event.name = name
    return try await accept(event, for: providers, as: userSession)
  }

  // MARK: Delivery

  /// How many actions of the present user were accepted for each provider and have not ended yet.
  public var pendingCounts: [ProviderID: Int] {
    get async throws(EngagementError) {
      try lifecycle.checkOpen()
      return try await dependencies.store.pendingCounts(
        in: dependencies.currentUser.present.partition)
    }
  }

  /// Sends what the present user has pending, to all providers at the same time, until nothing is
  /// left that can be sent now or the time is up. It needs no `run()`, and works beside it.
  public func flush(
    within limit: Duration = .seconds(5)
  ) async throws(EngagementError) -> DeliveryReport {
    try lifecycle.checkOpen()
    let userSession = dependencies.currentUser.present
    var report = await withTaskGroup(of: (ProviderID, DrainReport).self) { group in
      for id in dependencies.providers.map(\.id) {
        group.addTask {
          (id, await self.outboxSender.drain(id, as: userSession, within: limit))
        }
      }
      return await group.reduce(into: DeliveryReport()) { report, drained in
        let (id, counts) = drained
        report.providers[id] = .init(delivered: counts.delivered, rejected: counts.refused)
      }
    }
    let pending = try await dependencies.store.pendingCounts(in: userSession.partition)
    for (id, count) in pending { report.providers[id]?.pending = count }
    return report
  }
}

extension Provider {
  /// Whether its vendor takes such events.
  func takes(_ kind: EngagementEvent.Kind) -> Bool {
    let capabilities = adapter.capabilities
    return capabilities.eventKinds.contains(kind)
      && capabilities.ability(.events).travel != .unsupported
  }
}
