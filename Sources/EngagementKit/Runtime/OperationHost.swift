import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore

/// What an `OperationRunner` works with: the cache, the secrets, the credentials and the network of
/// one provider.
protocol OperationHost: Sendable {
  /// The context of the next step, with every change that was committed before.
  ///
  /// Throws `signedOut` if the attempt's user is no longer the current one, and `conflict` if one
  /// of the rows that the operation delivers has ended. A prerequisite of the operation can end it:
  /// the vendor may have answered that the device belongs to another person.
  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [OutboxRow.ID]
  ) async throws(EngagementError) -> AdapterContext

  /// Makes changes durable and visible, all or none, and records the event with them.
  ///
  /// A user's changes go to the attempt's user, who may have signed out meanwhile. Changes of the
  /// installation from a user who has signed out are dropped, unless the current user adopted the
  /// anonymous one: the vendor may by now know the installation under another id.
  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError)

  /// Takes note of an answer: some vendors want to hear which of their own requests failed.
  func note(
    _ answer: Answer, _ reply: HTTPReply, to request: HTTPRequest, for operation: Operation,
    _ attempt: Attempt
  ) async

  /// How often the vendor's live channel has brought items so far.
  var liveCommits: Int { get }

  /// Asks the application for a credential of the attempt's user in place of a refused or missing
  /// one, and keeps it for later contexts. Throws `unauthenticated` if the application has none.
  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError)

  /// Runs a body while no other process of the cache executes the operation for the same reason:
  /// because others need it.
  func excluding(
    _ operation: Operation, _ body: () async -> OperationRunner.Execution?
  ) async throws(EngagementError) -> OperationRunner.Execution?

  /// Sends a request. The runner has checked its host.
  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPReply
}

/// A response, and how long it took to come.
struct HTTPReply: Sendable {
  let response: HTTPResponse
  let time: Duration
}
