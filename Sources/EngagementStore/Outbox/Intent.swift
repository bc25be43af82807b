package import EngagementAdapterAPI
package import EngagementModel

/// Something that a user or the application does: an event to record, a mark to show at once, and
/// deliveries to send. They are accepted together or not at all.
package struct Intent: Hashable, Sendable {
  /// What the ledger records. Its `sequence` is set when it is accepted.
  package var event: EngagementEvent?
  /// What the user sees at once.
  package var mark: Mark?
  package var deliveries: [Delivery]
  /// Whether it tells the vendor of another copy what the user did to the copy that is shown.
  package var isPropagated = false
  /// Whether it only says that the user has seen the item, which the vendor hears once: if the user has, it
  /// is recorded and not sent.
  package var isForUnseen = false

  package init(event: EngagementEvent? = nil, mark: Mark? = nil, deliveries: [Delivery] = []) {
    self.event = event
    self.mark = mark
    self.deliveries = deliveries
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
  package struct Delivery: Hashable, Sendable {
    package var provider: ProviderID
    package var key: OperationKey
    package var work: OutboxRow.Work
    /// Whether it may be evicted for newer rows when there is no room.
    package var isAnalytics: Bool
    /// The bytes of an upload.
    package var file: [UInt8]?

    package init(
      to provider: ProviderID, _ work: OutboxRow.Work, key: OperationKey,
      isAnalytics: Bool = false, file: [UInt8]? = nil
    ) {
      self.provider = provider
      self.key = key
      self.work = work
      self.isAnalytics = isAnalytics
      self.file = file
    }
  }
}
