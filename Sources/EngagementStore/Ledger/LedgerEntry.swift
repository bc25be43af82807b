package import EngagementModel

/// An event as the ledger has it; the event's `sequence` is the entry's place.
package struct LedgerEntry: Hashable, Sendable {
  package let partition: Partition.ID
  package let event: EngagementEvent

  package init(partition: Partition.ID, event: EngagementEvent) {
    self.partition = partition
    self.event = event
  }
}
