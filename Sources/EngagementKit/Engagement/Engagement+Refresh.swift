import EngagementModel

extension Engagement {
  /// Asks vendors anew, all providers of the route at the same time.
  ///
  /// What comes is in the cache and in every stream before this returns. A refresh of the same
  /// that is under way is shared. After `close()` the outcome is `failed` for every provider, with
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
