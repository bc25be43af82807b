import EngagementModel

extension Engagement {
  /// Reports the application's phase. Launches, sessions and impressions are derived from it, and
  /// templates are presented while it is active.
  ///
  /// This returns at once. The events are recorded while `run()` runs.
  public func setScenePhase(_ phase: ScenePhase) {
    sessions.scene(phase)
    presentations.scene(phase)
    liveChannels.scene(phase)
  }

  /// Lets vendors send changes as they happen, over a connection that stays open while `run()` runs; on at
  /// first. Switched off, what is shown is polled. The choice lasts until the application restarts.
  public func setLiveUpdates(enabled isEnabled: Bool) { liveChannels.setAllowed(isEnabled) }

  /// Reports what a screen shows and what a user does on it. Report control cards too, where they would
  /// be.
  ///
  /// An item that is at least half visible for one second counts as one impression, once in a session.
  /// Report its fraction whenever it changes. The rest is recorded and sent in the order of the calls, for
  /// vendors that want to know it. This returns at once.
  public func recordScreenEvent(_ event: ScreenEvent) {
    sessions.report(event) { feedPublisher.facts(of: event, by: dependencies.providers) }
  }
}
