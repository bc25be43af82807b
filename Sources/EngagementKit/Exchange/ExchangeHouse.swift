public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementModel

/// What an exchange needs of the house around it: one provider, for whichever user an attempt
/// was made by.
public protocol ExchangeHouse: Sendable {
  /// What is known now. Called before every step, so that it sees every change committed before.
  ///
  /// Throws `signedOut` when the attempt's user is no longer the one who uses the application, and
  /// `conflict` for an operation that was settled meanwhile: its own prerequisite may have brought
  /// the news that the vendor now speaks of somebody else.
  func context(
    for operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError) -> AdapterContext

  /// Makes changes durable and visible, all or none: those of a user to the attempt's user, who
  /// may have left meanwhile. What a user who has left brings for the installation is dropped,
  /// unless the present user took over from an anonymous one: the vendor may by now know the
  /// installation under another id.
  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt
  ) async throws(EngagementError)

  /// The same for the last changes of an operation, which is done with them; there may be none.
  func conclude(
    _ operation: Operation, with changes: [Change], _ attempt: Attempt
  ) async throws(EngagementError)

  /// Asks the application for a credential of the attempt's user in place of a refused or missing
  /// one and keeps it for later contexts. Throws `unauthenticated` when the application has none.
  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError)

  /// Sends a request. Hosts were checked before.
  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse
}

extension ExchangeHouse {
  /// Nobody waits for an end.
  public func conclude(
    _ operation: Operation, with changes: [Change], _ attempt: Attempt
  ) async throws(EngagementError) {
    try await commit(changes, of: operation, attempt)
  }
}
