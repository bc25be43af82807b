import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementTesting

/// A variant to try a flow at: the whole one, or one with a feature taken out. Each flow passes at
/// the complete variant and fails at every variant without a feature that it needs.
struct KitVariant: Sendable {
  var adapter: @Sendable (any EngagementAdapter) -> any EngagementAdapter = { $0 }

  /// The variant as it is.
  static let complete = KitVariant()

  /// A variant whose adapter is changed in one place.
  static func without(
    _ change: @escaping @Sendable (inout ChangedAdapter) -> Void
  ) -> KitVariant {
    KitVariant(adapter: { adapter in
      var changed = ChangedAdapter(adapter)
      change(&changed)
      return changed
    })
  }
}

/// An adapter with one of its answers changed, to take a feature out of the variant.
struct ChangedAdapter: EngagementAdapter {
  var inner: any EngagementAdapter
  /// What the adapter is told instead of what the kit knows.
  var context: @Sendable (AdapterContext) -> AdapterContext = { $0 }
  var step: @Sendable (Step) -> Step = { $0 }
  /// Why there is no step.
  var fault: @Sendable (EngagementError) -> EngagementError = { $0 }
  var answer: @Sendable (Answer) -> Answer = { $0 }
  var received: @Sendable (Received) -> Received? = { $0 }
  var transition: @Sendable ([TransitionStep]) -> [TransitionStep] = { $0 }
  var conversation: @Sendable (any Conversation) -> (any Conversation)? = { $0 }
  var capabilities: AdapterCapabilities
  var vendor: Vendor { inner.vendor }

  init(_ inner: any EngagementAdapter) {
    self.inner = inner
    capabilities = inner.capabilities
  }

  func step(
    for operation: EngagementAdapterAPI.Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    do throws(EngagementError) {
      return step(try inner.step(for: operation, in: self.context(context)))
    } catch {
      throw fault(error)
    }
  }

  func answer(
    to operation: EngagementAdapterAPI.Operation, from response: HTTPResponse,
    in context: AdapterContext
  ) -> Answer {
    answer(inner.answer(to: operation, from: response, in: self.context(context)))
  }

  func card(in item: RawItem) throws(EngagementError) -> Card { try inner.card(in: item) }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try inner.message(in: item)
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try inner.campaign(in: item)
  }

  func received(_ push: JSON, in context: AdapterContext) -> Received? {
    inner.received(push, in: context).flatMap(received)
  }

  func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    transition(inner.transition(from: old, to: new, in: context))
  }

  func conversation(in context: AdapterContext) -> (any Conversation)? {
    inner.conversation(in: context).flatMap(conversation)
  }
}
