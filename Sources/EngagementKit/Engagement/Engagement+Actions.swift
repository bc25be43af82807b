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
    let occupant = house.occupancy.present
    let surfaces = surface.map { [$0] } ?? [.cards, .inbox]
    try checkSupport(of: action, on: surfaces, at: house.provider(id.provider))
    return try await accept(action, on: id, among: surfaces, as: occupant)
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
      operation: verbs.first?.text)
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
    if name?.isEmpty == true || name == nil && kind == .custom {
      throw EngagementError(
        .invalidArgument, "An event of the application's own needs a name.", operation: kind.text)
    }
    let occupant = house.occupancy.present
    let providers = house.providers.filter { $0.takes(kind) }
    guard !providers.isEmpty else {
      throw EngagementError(
        .unsupported, "No provider takes events of this kind.", operation: kind.text)
    }
    let only = providers.count == 1 ? providers.first : nil
    var event = event(kind, by: only, properties)
    event.name = name
    return try await accept(event, for: providers, as: occupant)
  }

  /// How much was accepted for each provider and has not arrived yet.
  public func pending() async throws(EngagementError) -> [ProviderID: Int] {
    try await house.store.pendingCounts(in: house.occupancy.present.partition)
  }
}

extension Provider {
  /// Whether its vendor is told of such events.
  func takes(_ kind: EngagementEvent.Kind) -> Bool {
    let capabilities = adapter.capabilities
    return capabilities.eventKinds.contains(kind)
      && capabilities.ability(.events).travel != .unsupported
  }
}
