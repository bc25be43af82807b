public import EngagementModel

extension Engagement {
  /// The route of each surface.
  public struct Routes: Hashable, Sendable {
    public var cards: Route
    public var inbox: Route

    public init(cards: Route, inbox: Route) {
      self.cards = cards
      self.inbox = inbox
    }

    subscript(surface: RoutedSurface) -> Route {
      get {
        switch surface {
        case .cards: cards
        case .inbox: inbox
        }
      }
      set {
        switch surface {
        case .cards: cards = newValue
        case .inbox: inbox = newValue
        }
      }
    }
  }

  /// Which providers fill a surface.
  @nonexhaustive public enum Route: Hashable, Sendable {
    /// One provider's items in its own order.
    case only(ProviderID)
    /// The items of all these providers, in one total order.
    case merge([ProviderID])
    /// The surface stays empty.
    case none

    /// The providers, each once, in the order given.
    public var providers: [ProviderID] {
      switch self {
      case .only(let provider): [provider]
      case .merge(let providers):
        providers.enumerated().filter { !providers[..<$0].contains($1) }.map(\.element)
      case .none: []
      }
    }

    var isMerged: Bool { if case .merge = self { true } else { false } }
  }
}

/// The surfaces that have a route.
enum RoutedSurface: String, Hashable, Sendable, CaseIterable {
  case cards, inbox

  var surface: Surface { Surface(rawValue) }

  init?(_ surface: Surface) { self.init(rawValue: surface.rawValue) }
}
