public import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// The vendors of an application, each under the id that the application gives it:
  /// `["braze": .braze(endpoint: endpoint, apiKey: key), "vibes": .vibes(appID: "club")]`.
  ///
  /// The order is kept. Two providers may have the same vendor. `open` reports an id that is there
  /// twice.
  public struct Providers: Sendable, ExpressibleByDictionaryLiteral {
    let list: [Provider]

    public init(dictionaryLiteral elements: (ProviderID, any EngagementAdapter)...) {
      self.init(elements)
    }

    /// Providers that are known only at run time.
    public init(_ elements: [(ProviderID, any EngagementAdapter)]) {
      list = elements.map { Provider($0.0, $0.1) }
    }
  }
}

/// A vendor under the id that an application gives it.
struct Provider: Sendable {
  let id: ProviderID
  let adapter: any EngagementAdapter

  init(_ id: ProviderID, _ adapter: any EngagementAdapter) {
    self.id = id
    self.adapter = adapter
  }
}

extension [Provider] {
  /// Throws `notFound` if there is no provider with this id.
  func named(_ id: ProviderID) throws(EngagementError) -> Provider {
    guard let provider = first(where: { $0.id == id }) else {
      throw EngagementError(
        .notFound,
        "There is no provider of this name; the application opened: "
          + map(\.id.rawValue).joined(separator: ", "), provider: id)
    }
    return provider
  }
}
