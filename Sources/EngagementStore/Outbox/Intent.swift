package import EngagementAdapterAPI
package import EngagementModel

/// Something a user or the application does: what is seen at once, what is recorded and what is to
/// be sent, accepted together or not at all.
package struct Intent: Hashable, Sendable {
  /// What the ledger records. Its `sequence` is set when it is accepted.
  package var event: EngagementEvent?
  /// What the user sees at once.
  package var mark: Mark?
  package var parcels: [Parcel]

  package init(event: EngagementEvent? = nil, mark: Mark? = nil, parcels: [Parcel] = []) {
    self.event = event
    self.mark = mark
    self.parcels = parcels
  }

  /// An action on an item.
  package struct Mark: Hashable, Sendable {
    package var action: ItemAction
    package var item: ItemReference

    package init(_ action: ItemAction, on item: ItemReference) {
      self.action = action
      self.item = item
    }
  }

  /// What is to be sent to one provider.
  package struct Parcel: Hashable, Sendable {
    package var provider: ProviderID
    package var key: OperationKey
    package var work: OutboxRow.Work
    /// Whether it may be evicted for newer rows when there is no room.
    package var isAnalytics: Bool

    package init(
      to provider: ProviderID, _ work: OutboxRow.Work, key: OperationKey, isAnalytics: Bool = false
    ) {
      self.provider = provider
      self.key = key
      self.work = work
      self.isAnalytics = isAnalytics
    }
  }
}
