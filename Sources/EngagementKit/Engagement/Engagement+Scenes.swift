import EngagementModel

extension Engagement {
  /// Takes note of where the application is: launches, sessions and impressions come of it.
  ///
  /// It returns at once; what comes of it is recorded while `run()` runs.
  public func setScenePhase(_ phase: ScenePhase) { sessions.scene(phase) }

  /// Takes note of what a screen shows, of control cards too where they would be shown.
  ///
  /// An item of which at least half was visible for a second without a break counts as one
  /// impression, once in a session. Call it whenever the fraction changes; it returns at once.
  public func recordScreenEvent(_ event: ScreenEvent) { sessions.report(event) }
}
