import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import FoundationEssentials

@testable import EngagementKit

/// A host in memory around one adapter: what it remembers, what it shows, what is still to be
/// sent. It keeps the store's rules without a store, so that an adapter can be tried in full by a
/// test that owns the clock, the network and the moment of a crash.
///
/// Everything that a real host keeps on disk is in `kept`; a host made from another's `kept` is
/// the same host after a kill.
final class MemoryHost: OperationHost {
  /// Asks the application for a credential of the user.
  typealias CredentialSource =
    @Sendable (User) async throws(EngagementError) -> Secret?

  let adapter: any EngagementAdapter
  let device: Device
  let transport: any HTTPTransport
  let clock: TestClock
  let credentials: CredentialSource
  let state: Locked<State>

  init(
    _ adapter: any EngagementAdapter, user: User, device: Device = .test,
    transport: any HTTPTransport, clock: TestClock = TestClock(), kept: Kept = Kept(),
    credentials: @escaping CredentialSource = { _ in nil }
  ) {
    self.adapter = adapter
    self.device = device
    self.transport = transport
    self.clock = clock
    self.credentials = credentials
    state = Locked(State(user: user, kept: kept))
  }

  /// What a host keeps over a kill.
  struct Kept: Sendable {
    var values: [String: String] = [:]
    var secrets: [String: Secret] = [:]
    var push: [PushEnvironment: PushRegistration] = [:]
    /// A vendor's settings are the application's and outlive its users.
    var settings = VendorSettings()
    var partitions: [User: Partition] = [:]

    init() {}
  }

  /// What a host keeps of one user.
  struct Partition: Sendable {
    var values: [String: String] = [:]
    var secrets: [String: Secret] = [:]
    var person: Person?
    var totals: [Feed: Int] = [:]
    var metrics: CardMetrics?
    var feeds: [Feed: [StoredItem]] = [:]
    var overlays: [ItemID: Overlay] = [:]
    var surfaces: [ItemID: Surface] = [:]
    var outbox: [PendingRow] = []
    var quarantined: [String] = []
    var ignored: [EngagementError] = []
    var throttled: [Operation.Verb?: Date] = [:]
  }

  struct State: Sendable {
    var user: User
    /// Whether the present user took over from the anonymous one.
    var hasAdopted = false
    var kept: Kept
    var credential: Secret?
    var session: Session?
    var nextKey: UInt64 = 1

    var partition: Partition {
      get { kept.partitions[user] ?? Partition() }
      set { kept.partitions[user] = newValue }
    }

    /// Does something to what is kept of another user than the present one.
    mutating func acting(as other: User, _ body: (inout State) -> Void) {
      let present = user
      user = other
      body(&self)
      user = present
    }
  }

  // MARK: What a test looks at

  var kept: Kept { state.withLock { $0.kept } }
  var user: User { state.withLock { $0.user } }
  var person: Person? { state.withLock { $0.partition.person } }
  var metrics: CardMetrics? { state.withLock { $0.partition.metrics } }
  var settings: VendorSettings { state.withLock { $0.kept.settings } }
  /// Why items were set aside.
  var quarantined: [String] { state.withLock { $0.partition.quarantined } }
  /// What was not followed in answers.
  var ignored: [EngagementError] { state.withLock { $0.partition.ignored } }

  /// The value that the adapter keeps under the key.
  func value(_ scope: Scope, _ key: String) -> String? {
    state.withLock { state in
      scope == .installation ? state.kept.values[key] : state.partition.values[key]
    }
  }

  /// Puts back what was kept at an earlier time.
  func restore(_ kept: Kept) { state.withLock { $0.kept = kept } }

  /// Gives the host a session, or ends it.
  func setSession(_ session: Session?) { state.withLock { $0.session = session } }

  /// Puts a credential in place without anybody being asked.
  func setCredential(_ credential: Secret?) {
    state.withLock { $0.credential = credential }
  }

  /// The application's push token.
  func setPush(_ registration: PushRegistration) {
    state.withLock { $0.kept.push[registration.environment] = registration }
  }

  // MARK: What an exchange needs

  func context(
    for operation: Operation, _ attempt: Attempt, delivering rows: [Int64]
  ) async throws(EngagementError) -> AdapterContext {
    guard attempt.user == user else {
      throw EngagementError(.signedOut, "The user has changed.")
    }
    let row = outbox.first { $0.key == attempt.key }
    if case .rejected(let reason)? = row?.state { throw EngagementError(.conflict, reason) }
    return context(attempt)
  }

  /// The first try at something asked for now.
  func attempt(isUserRequested: Bool = false) -> Attempt {
    let now = clock.now
    return state.withLock { state in
      state.nextKey += 1
      return Attempt(
        by: state.user, OperationKey(0, state.nextKey), acceptedAt: now,
        isUserRequested: isUserRequested)
    }
  }

  /// What an adapter may know now.
  func context(_ attempt: Attempt? = nil) -> AdapterContext {
    let attempt = attempt ?? self.attempt()
    let (now, device) = (clock.now, device)
    return state.withLock { state in
      var context = AdapterContext(
        user: attempt.user, device: device, credential: state.credential, push: state.kept.push,
        session: state.session, now: now, key: attempt.key, acceptedAt: attempt.acceptedAt,
        attempt: attempt.number, isUserRequested: attempt.isUserRequested)
      let partition = state.partition
      for (key, value) in state.kept.values { context.values[.installation, key] = value }
      for (key, value) in partition.values { context.values[.user, key] = value }
      for (key, value) in state.kept.secrets { context.secrets[.installation, key] = value }
      for (key, value) in partition.secrets { context.secrets[.user, key] = value }
      return context
    }
  }

  func commit(
    _ changes: [Change], of operation: Operation, _ attempt: Attempt,
    recording event: EngagementEvent?
  ) async throws(EngagementError) {
    let speaksForInstallation = state.withLock { state in
      attempt.user == state.user || attempt.user.isAnonymous && state.hasAdopted
    }
    commit(
      speaksForInstallation ? changes : changes.filter { !$0.isOfInstallation },
      for: attempt.user)
  }

  func renewCredential(
    replacing refused: Secret?, for attempt: Attempt
  ) async throws(EngagementError) {
    let credential = try await credentials(attempt.user)
    guard let credential, credential != refused else {
      throw EngagementError(.unauthenticated, "The application has no new credential.")
    }
    state.withLock { if $0.user == attempt.user { $0.credential = credential } }
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try await transport.send(request)
  }
}
