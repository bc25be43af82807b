import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// Whether the provider shows its items on the surface as items of the other kind: cards as messages of
  /// the inbox, or messages as cards.
  ///
  /// A provider that has items of the surface's own kind shows those. Throws `notFound` if there is no such
  /// provider, and `invalidArgument` for a surface that has no route.
  public func isBridged(
    _ provider: ProviderID, on surface: Surface
  ) throws(EngagementError) -> Bool {
    let capabilities = try dependencies.provider(provider).adapter.capabilities
    return try RoutedSurface(surface).isBridged(to: capabilities)
  }
}
