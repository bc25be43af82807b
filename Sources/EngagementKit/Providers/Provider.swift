public import EngagementAdapterAPI
public import EngagementModel

/// A vendor under the name that an application gives it; two providers may be of one vendor.
public struct Provider: Sendable {
  public let id: ProviderID
  public let adapter: any EngagementAdapter

  public init(_ id: ProviderID, _ adapter: any EngagementAdapter) {
    self.id = id
    self.adapter = adapter
  }
}

extension [Provider] {
  /// Throws `notFound` where there is none of that name.
  func named(_ id: ProviderID) throws(EngagementError) -> Provider {
    guard let provider = first(where: { $0.id == id }) else {
      throw EngagementError(
        .notFound,
        "There is no provider of this name; the application opened: "
          + map(\.id.text).joined(separator: ", "), provider: id)
    }
    return provider
  }
}
