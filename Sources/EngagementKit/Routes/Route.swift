public import EngagementModel

extension Engagement {
  /// Which providers fill a surface.
  @nonexhaustive public enum Route: Hashable, Sendable {
    /// One provider's items in its own order.
    case only(ProviderID)
    /// The items of all these providers, in one total order.
    case merge([ProviderID])
    /// The surface stays empty.
    case none
    /// The first provider that is ready; the others only while it is not. For cards and inbox.
    case firstReady([ProviderID], FailOver = .standard)
    /// All of them are told. For push, person and events.
    case mirror([ProviderID])
    /// Shows the route; the candidates are read beside it, compared and never shown.
    indirect case shadow(Route, Shadow)
    /// Each person's arm says which providers. For cards, inbox, templates and push.
    case split(Split)

    /// All providers that it names, each once, in the order given.
    public var providers: [ProviderID] { parts.everyone.withoutRepetition }
  }
}

extension [ProviderID] {
  /// Each provider once, where it is named first.
  var withoutRepetition: [ProviderID] {
    enumerated().filter { !self[..<$0].contains($1) }.map(\.element)
  }
}
