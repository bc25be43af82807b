import EngagementModel

/// What is still to be recorded of a user's exposures to the arms of experiments.
struct ExposureWatch: Sendable {
  /// The experiments whose arm the user has and could not see yet.
  private(set) var open: Set<String> = []
  /// Those whose arm could be seen, until that is recorded.
  private(set) var due: Set<String> = []
  /// Those that are being recorded.
  private(set) var recording: Set<String> = []
  /// Those whose exposure the user's consent does not allow to be recorded.
  private(set) var withheld: Set<String> = []
  /// The places that were read since the user is current and while something was open.
  private(set) var read = ChangedFeeds()

  init(_ open: Set<String> = []) { self.open = open }

  /// Takes the experiments of other routes.
  mutating func follow(_ unexposed: Set<String>) {
    due.formIntersection(unexposed)
    withheld.formIntersection(unexposed)
    open = unexposed.subtracting(due).subtracting(recording).subtracting(withheld)
  }

  mutating func noteReading(_ places: ChangedFeeds) {
    read.containers.formUnion(places.containers)
    read.inbox = read.inbox || places.inbox
  }

  /// Notes that the user could see the arm.
  mutating func noteSeen(_ experiment: String) {
    if let experiment = open.remove(experiment) { due.insert(experiment) }
  }

  /// Whether there is nothing to record, now or later.
  var isIdle: Bool { open.isEmpty && due.isEmpty && recording.isEmpty }

  mutating func takeDue() -> Set<String> {
    recording = due
    due = []
    return recording
  }

  /// Ends a recording: some of the exposures failed, and the consent did not allow others.
  mutating func endRecording(failed: Set<String> = [], withheld new: Set<String> = []) {
    recording = []
    due.formUnion(failed)
    withheld.formUnion(new)
  }

  /// Tries again what the consent did not allow.
  mutating func release() {
    due.formUnion(withheld)
    withheld = []
  }
}
