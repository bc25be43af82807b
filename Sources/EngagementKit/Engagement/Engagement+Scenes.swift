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

  /// Reports how much of an item a screen shows. Report control cards too, where they would be.
  ///
  /// An item that is at least half visible for one second counts as one impression, once in a
  /// session. Call this whenever the fraction changes; it returns at once.
  public func recordScreenEvent(_ event: ScreenEvent) { sessions.report(event) }
}
