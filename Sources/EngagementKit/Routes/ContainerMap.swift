import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// What an application's containers are called at each provider; no entry: the same name.
  ///
  /// A vendor without containers has one feed of cards. Without an entry it shows that feed in every
  /// container that the application asks for; with `extra` it shows the part that is meant for one.
  public struct ContainerMap: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    var places: [ContainerID: [ProviderID: Place]]

    public init(_ places: [ContainerID: [ProviderID: Place]] = [:]) { self.places = places }

    public init(dictionaryLiteral elements: (ContainerID, [ProviderID: Place])...) {
      self.init(Dictionary(elements) { _, last in last })
    }

    /// Where a provider has what an application's container shows.
    public enum Place: Hashable, Sendable {
      /// The vendor's own container.
      case container(ContainerID)
      /// The cards whose extra has this value, of a vendor without containers.
      case extra(String, is: String)
    }

    /// A provider's feed, and which of its cards are meant.
    struct Source: Hashable, Sendable {
      /// The feed without conditions.
      var feed: Feed
      /// The extra that a card must have; nil where every card is meant.
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

    /// Where to find what the application's container shows.
    func source(
      of container: ContainerID, at provider: ProviderID, hasContainers: Bool
    ) -> Source {
      let whole = Feed(.cards, in: hasContainers ? container : nil)
      switch places[container]?[provider] {
      case .container(let own): return Source(feed: Feed(.cards, in: hasContainers ? own : nil))
      case .extra(let name, let value):
        return Source(feed: whole, extra: Source.Extra(name: name, value: value))
      case nil: return Source(feed: whole)
      }
    }
  }
}
