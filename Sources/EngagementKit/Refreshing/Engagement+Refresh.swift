extension Engagement {
  /// Asks vendors anew, all providers of the route at the same time.
  ///
  /// What comes is in the cache and in every stream before this returns. A refresh of the same
  /// that is under way is shared.
  public func refresh(_ target: RefreshTarget) async -> RefreshOutcome {
    await refresher.refresh(target)
  }
}
