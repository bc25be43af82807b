public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// What stands between the neutral model and one vendor: a translator, not a client.
///
/// An adapter is a pure value. It turns an operation into a request and a response into changes
/// and a verdict. It opens no connection, never sleeps, retries, caches or logs, and reads neither
/// a clock nor the environment: all that it may know is in the context, and the same input gives
/// the same bytes. So every vendor shares one transport, one retry policy, one renewal of
/// credentials and one log, and an adapter is tested with two values.
public protocol EngagementAdapter: Sendable {
  /// The vendor whose protocol this is.
  var vendor: Vendor { get }

  /// The vendor, and what a log may say of the configuration: no secret and nobody's id.
  var summary: String { get }

  /// What the vendor can do, as data.
  var capabilities: AdapterCapabilities { get }

  /// The next step towards the operation, given what is known now.
  ///
  /// Throws `unsupported` for what the vendor lacks, `invalidArgument` for what it would refuse,
  /// and `unauthenticated` when the credential in the context is missing or cannot be good; the
  /// last asks for a new credential, once.
  func step(for operation: Operation, in context: AdapterContext) throws(EngagementError) -> Step

  /// What the response means. Total: any bytes give an answer.
  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer

  /// The card in an item's bytes; throws when the item has to be quarantined.
  func card(in item: RawItem) throws(EngagementError) -> Card

  /// The message in an item's bytes; throws when the item has to be quarantined.
  func message(in item: RawItem) throws(EngagementError) -> InboxMessage

  /// The campaign in an item's bytes; throws when the item has to be quarantined.
  func campaign(in item: RawItem) throws(EngagementError) -> Campaign

  /// What a push means; nil when it is not this vendor's.
  func received(_ push: JSON, in context: AdapterContext) -> Received?

  /// What the vendor wants done when the user changes, in order.
  func transition(from old: User, to new: User, in context: AdapterContext) -> [TransitionStep]

  /// The start of a live conversation; nil where the vendor has no live channel.
  func conversation(in context: AdapterContext) -> (any Conversation)?
}

extension EngagementAdapter {
  public var summary: String { vendor.text }

  public func card(in item: RawItem) throws(EngagementError) -> Card { throw lacks("cards") }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    throw lacks("an inbox")
  }

  public func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    throw lacks("campaigns")
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? { nil }

  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] { [.sendPending] }

  public func conversation(in context: AdapterContext) -> (any Conversation)? { nil }

  private func lacks(_ ability: String) -> EngagementError {
    EngagementError(.unsupported, "\(vendor) has no \(ability).")
  }
}
