public import EngagementHTTP
public import EngagementJSON
public import EngagementModel

/// Translates between the neutral model and one vendor. An adapter is not a client.
///
/// An adapter is a pure value. It turns an operation into a request, and a response into changes
/// and a verdict. It does not connect, sleep, retry, cache or log, and reads neither a clock nor
/// the environment. It uses only the context, and the same input gives the same bytes. So all
/// vendors share one transport, one retry policy, one renewal of credentials and one log, and a
/// test needs only values.
public protocol EngagementAdapter: Sendable {
  /// The vendor whose protocol the adapter speaks.
  var vendor: Vendor { get }

  /// The vendor and the loggable part of the configuration, without secrets or personal ids.
  var summary: String { get }

  /// The abilities of the vendor, as data.
  var capabilities: AdapterCapabilities { get }

  /// The next step of the operation, based on the context.
  ///
  /// Throws `unsupported` if the vendor lacks the operation, `invalidArgument` if the vendor would
  /// refuse it, and `unauthenticated` if the credential in the context is missing or cannot be
  /// valid. After `unauthenticated` the kit asks for a new credential, once.
  func step(for operation: Operation, in context: AdapterContext) throws(EngagementError) -> Step

  /// Reads the response. Total: any bytes give an answer.
  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer

  /// Maps an item's bytes to a card. Throws if the item must be quarantined.
  func card(in item: RawItem) throws(EngagementError) -> Card

  /// Maps an item's bytes to a message. Throws if the item must be quarantined.
  func message(in item: RawItem) throws(EngagementError) -> InboxMessage

  /// Maps an item's bytes to a campaign. Throws if the item must be quarantined.
  func campaign(in item: RawItem) throws(EngagementError) -> Campaign

  /// What an accepted operation means for the vendor's campaigns: an occurrence for each event and
  /// for each changed attribute of the person. Empty for what no campaign can ask for.
  func occurrences(in operation: Operation) -> [Campaign.Occurrence]

  /// Reads a push; nil if it is not from this vendor.
  func received(_ push: JSON, in context: AdapterContext) -> Received?

  /// The steps that the vendor requires when the user changes, in order.
  func transition(from old: User, to new: User, in context: AdapterContext) -> [TransitionStep]

  /// A new live conversation; nil if the vendor has no live channel.
  func conversation(in context: AdapterContext) -> (any Conversation)?
}

extension EngagementAdapter {
  public var summary: String { vendor.rawValue }

  public func card(in item: RawItem) throws(EngagementError) -> Card { throw lacks("cards") }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    throw lacks("an inbox")
  }

  public func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    throw lacks("campaigns")
  }

  public func occurrences(in operation: Operation) -> [Campaign.Occurrence] { [] }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? { nil }

  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] { [.sendPending] }

  public func conversation(in context: AdapterContext) -> (any Conversation)? { nil }

  private func lacks(_ ability: String) -> EngagementError {
    EngagementError(.unsupported, "\(vendor) has no \(ability).")
  }
}
