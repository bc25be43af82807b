package import EngagementModel

/// That something was shown, as caps count it.
package struct CountedShowing: Hashable, Sendable {
  package var surface: Surface
  package var key: ContentKey
  /// The number of the day, from 1. The caller counts the days.
  package var day: Int64
  package var session: SessionID?

  package init(of key: ContentKey, on surface: Surface, day: Int64, in session: SessionID?) {
    self.surface = surface
    self.key = key
    self.day = day
    self.session = session
  }
}

/// How often a user was shown something on a surface, of all providers together.
package struct ShowingCounts: Hashable, Sendable {
  package var today = 0
  package var inSession = 0
  /// The contents that were shown today.
  package var contentsToday: [ContentKey: Int] = [:]
  /// All contents that were ever shown.
  package var contents: [ContentKey: Int] = [:]

  package init() {}
}

extension Store {
  /// What the user was shown on the surface.
  package func showingCounts(
    of partition: Partition, on surface: Surface, day: Int64, in session: SessionID?
  ) throws(EngagementError) -> ShowingCounts {
    try read { (tables, database) throws(EngagementError) in
      try tables.partitions.require(partition, on: &database)
      return try tables.showings.counts(
        of: partition.id, on: surface, day: day, in: session, in: &database)
    }
  }
}
