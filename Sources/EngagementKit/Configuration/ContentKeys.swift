public import EngagementModel

extension Engagement {
  /// By what items of several providers are known as copies of one content:
  /// `["braze": .extra("contentID"), "vibes": .campaign]`. The items of a provider that is not named are
  /// copies of nothing.
  ///
  /// Where a route merges providers, a content appears once, as the copy of the first provider that lists
  /// it. What the user does to one copy counts for all of them, until no provider lists any.
  public struct ContentKeys: Sendable, ExpressibleByDictionaryLiteral {
    private let list: [(provider: ProviderID, source: ContentKeySource)]

    public init(dictionaryLiteral elements: (ProviderID, ContentKeySource)...) {
      self.init(elements)
    }

    /// Sources that are known only at run time.
    public init(_ elements: [(ProviderID, ContentKeySource)]) {
      list = elements.map { (provider: $0.0, source: $0.1) }
    }

    var sources: [ProviderID: ContentKeySource] {
      Dictionary(list.map { ($0.provider, $0.source) }) { first, _ in first }
    }

    /// Throws `invalidConfiguration`, which names the field.
    func check(_ providers: [Provider]) throws(EngagementError) {
      var seen: Set<ProviderID> = []
      for (id, source) in list {
        _ = try providers.configured(id, "contentKeys")
        guard seen.insert(id).inserted else {
          throw .configurationFault("contentKeys[\"\(id)\"] is there twice; remove one of them.")
        }
        guard source != .extra("") else {
          throw .configurationFault("contentKeys[\"\(id)\"].extra is empty.")
        }
      }
    }
  }
}
