import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore

/// The host of one reading of a candidate. What the reading brings stays here and does not come into the
/// cache.
///
/// What the vendor demands of the client is committed nevertheless, such as a pause; so is all that the
/// operations commit which the reading needs first, such as the registration of the device.
final class ShadowHost: OperationHost {
  private let host: ProviderHost
  private let reading: Operation
  private let brought = Locked<[Change]>([])

  init(_ host: ProviderHost, for reading: Operation) {
    self.host = host
    self.reading = reading
  }

  /// What the reading has brought.
  var changes: [Change] { brought.withLock(\.self) }

  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [OutboxRow.ID]
  ) async throws(EngagementError) -> AdapterContext {
    var context = try await host.context(for: operation, attempt, delivering: rows)
    guard operation == reading else { return context }
    // The values of an earlier step of this reading.
    for case .keep(let scope, let name, let value) in changes {
      context.values[scope, name] = value
    }
    context.campaignReport = CampaignReport()
    return context
  }

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    guard operation == reading else {
      return try await host.commit(changes, of: operation, attempt, recording: event)
    }
    brought.withLock { $0 += changes }
    try await host.commit(changes.filter(\.holdsForEveryReading), by: attempt)
  }

  /// The vendor is not told which readings failed.
  func note(
    _ answer: Answer, _ reply: HTTPReply, to request: HTTPRequest, for operation: Operation,
    _ attempt: Attempt
  ) async {
    guard operation != reading else { return }
    await host.note(answer, reply, to: request, for: operation, attempt)
  }

  /// What a live channel brings does not make a reading older.
  var liveCommits: Int { 0 }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    try await host.renewCredential(replacing: refused, for: attempt)
  }

  func excluding(
    _ operation: Operation, _ body: () async -> OperationRunner.Execution?
  ) async throws(EngagementError) -> OperationRunner.Execution? {
    try await host.excluding(operation, body)
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPReply {
    try await host.send(request)
  }
}

extension Change {
  /// Whether it is about the client or the installation, and not about what a reading listed. The marks
  /// up to which a user's items were read are none of these: the first refresh that counts has to begin
  /// at the beginning.
  fileprivate var holdsForEveryReading: Bool {
    switch self {
    case .keep(let scope, _, _): scope == .installation
    case .secret, .throttled, .paused: true
    case .items, .removed, .unchanged, .person, .settings, .metrics, .total, .settled, .happened,
      .campaignsReported, .abandoned, .ignored, .wanted, .pushToken:
      false
    }
  }
}
