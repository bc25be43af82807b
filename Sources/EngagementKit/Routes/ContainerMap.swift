import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// The names of the application's containers at each provider; no entry: the same name.
  ///
  /// A vendor without containers has one feed of cards. Every container of the application shows
  /// that feed, unless an entry with `extra` chooses some of its cards.
  public struct ContainerMap: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    var places: [ContainerID: [ProviderID: Place]]

    public init(_ places: [ContainerID: [ProviderID: Place]] = [:]) { self.places = places }

    public init(dictionaryLiteral elements: (ContainerID, [ProviderID: Place])...) {
      self.init(Dictionary(elements) { _, last in last })
    }

    /// The counterpart of an application's container at a provider.
    public enum Place: Hashable, Sendable {
      /// The vendor's own container.
      case container(ContainerID)
      /// For a vendor without containers: the cards whose extra has this value.
      case extra(String, is: String)
    }

    /// A provider's feed and the choice of its cards.
    struct Source: Hashable, Sendable {
      /// The feed without conditions.
      var feed: Feed
      /// The extra that a card must have; nil for every card.
      var extra: Extra?

      struct Extra: Hashable, Sendable {
        var name: String
        var value: String
      }

      var isSelective: Bool { extra != nil }

      func shows(_ card: Card) -> Bool {
        guard let extra else { return true }
        return card.extras[extra.name]?.string?.hasSameBytes(as: extra.value) ?? false
      }

      /// Whether the feed is what the vendor answered for the same container under conditions.
      func isAnswer(_ other: Feed) -> Bool {
        other.surface == feed.surface && other.container == feed.container && !other.filters.isEmpty
      }
    }

    /// The source of the application's container.
    ///
    /// - Parameter isBridged: Whether the provider has messages in the place of cards.
    func source(
      of container: ContainerID, at provider: ProviderID, hasContainers: Bool,
      isBridged: Bool = false
    ) -> Source {
      let whole = isBridged ? .inbox : Feed(.cards, in: hasContainers ? container : nil)
      switch places[container]?[provider] {
      case .container(let own):
        return Source(feed: hasContainers && !isBridged ? Feed(.cards, in: own) : whole)
      case .extra(let name, let value):
        return Source(feed: whole, extra: Source.Extra(name: name, value: value))
      case nil: return Source(feed: whole)
      }
    }
  }
}
