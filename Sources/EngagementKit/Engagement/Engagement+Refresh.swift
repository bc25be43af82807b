import EngagementModel

extension Engagement {
  /// Fetches the target from its vendors, from all providers of the route at the same time.
  ///
  /// The result is in the cache and in every stream before this returns. Calls for the same target
  /// share one request. After `close()` the outcome is `failed` for every provider, with
  /// `conflict`.
  public func refresh(_ target: RefreshTarget) async -> RefreshOutcome {
    do throws(EngagementError) {
      try lifecycle.checkOpen()
    } catch {
      return RefreshOutcome(
        Dictionary(dependencies.providers.map { ($0.id, .failed(error)) }) { first, _ in first })
    }
    return await refresher.refresh(target)
  }
}
