extension Engagement {
  /// Lets vendors send changes as they happen, over a connection that stays open while `run()` runs; on at
  /// first. Switched off, what is shown is polled. The choice lasts until the application restarts.
  public func setLiveUpdates(enabled isEnabled: Bool) { liveChannels.setAllowed(isEnabled) }
}
