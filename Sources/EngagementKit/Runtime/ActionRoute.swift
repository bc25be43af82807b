public import EngagementAdapterAPI
public import EngagementModel

/// How an action on an item travels to the vendor that owns the item.
public enum ActionRoute: Hashable, Sendable {
  /// As an operation of its own.
  case operation(Operation)
  /// As an event among others.
  case event(EngagementEvent)
  /// Not at all: it is kept in the cache.
  case local

  /// The route that the vendor's capabilities give.
  ///
  /// - Parameters:
  ///   - event: The event that records the action, with its id, time and session.
  public init(
    _ action: ItemAction, on item: ItemReference, recordedBy event: EngagementEvent,
    with capabilities: AdapterCapabilities
  ) throws(EngagementError) {
    let verb = Operation.Verb.act(action.name, on: item.surface)
    switch capabilities.ability(verb).travel {
    case .request: self = .operation(.act(action, on: item))
    case .event: self = .event(event)
    case .localOnly: self = .local
    case .unsupported:
      throw EngagementError(
        .unsupported, "\(item.id.provider) does not support \(verb).", operation: verb.rawValue)
    }
  }
}
