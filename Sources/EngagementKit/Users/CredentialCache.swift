import EngagementAdapterAPI
public import EngagementModel

extension Engagement {
  /// Where the application's credentials come from: nil if it has none for the provider.
  ///
  /// It is called when a credential is needed, once for all tasks that wait. It has to return when
  /// its task is cancelled.
  public typealias CredentialSource = @Sendable (ProviderID) async throws -> Secret?
}

/// Asks the application for credentials when they are needed, and keeps them in memory as long as
/// their user is signed in.
final class CredentialCache: Sendable {
  private let clock: any EngagementClock
  private let state = Locked(State())
  let singleFlight = SingleFlight<Request, Outcome>()
  private let arrival = Locked<@Sendable () -> Void>({})

  init(_ clock: any EngagementClock) { self.clock = clock }

  /// Whether a credential has come in place of an earlier one.
  typealias Outcome = Result<Bool, EngagementError>

  private struct State {
    var entries: [User: Entry] = [:]
    var lastNumber = 0
  }

  /// A user who is signed in. `number` tells the stay from earlier ones.
  private struct Entry {
    var number: Int
    var source: CredentialSource
    var credentials: [ProviderID: Secret] = [:]
    /// The last question that brought no credential.
    var failures: [ProviderID: Failure] = [:]
  }

  private struct Failure {
    var error: EngagementError
    var uptime: Duration
  }

  /// A question to the application; one at a time.
  struct Request: Hashable {
    var provider: ProviderID
    var entry: Int
  }

  /// Runs the body whenever a credential has come.
  func onArrival(_ body: @escaping @Sendable () -> Void) { arrival.withLock { $0 = body } }

  // MARK: Users

  /// Uses this source for the user from now on, and forgets what the former source gave: the vendor
  /// may have refused that too often.
  func setSource(for user: User, _ source: @escaping CredentialSource) {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.entries[user]?.number ?? state.lastNumber
      state.entries[user] = Entry(number: number, source: source)
    }
  }

  /// Forgets the user; a credential that comes later is dropped.
  func remove(_ user: User) { state.withLock { $0.entries[user] = nil } }

  /// Forgets the user's credentials and keeps their source, for when another process makes the user
  /// present again.
  func forgetCredentials(of user: User) {
    state.withLock { state in
      guard let source = state.entries[user]?.source else { return }
      state.lastNumber += 1
      state.entries[user] = Entry(number: state.lastNumber, source: source)
    }
  }

  /// Forgets all users.
  func removeAll() { state.withLock { $0.entries = [:] } }

  /// The user's credential for the provider; the application is not asked.
  func credential(for provider: ProviderID, _ user: User) -> Secret? {
    state.withLock { $0.entries[user]?.credentials[provider] }
  }

  // MARK: Asking

  /// Asks the application for a credential in place of a refused or missing one.
  ///
  /// It is not asked if another credential has come meanwhile, or if it had none a short time ago.
  /// Returns true to one of the tasks that wait if the credential came in place of an earlier one. Throws `unauthenticated` if there is no other credential, and `deadlineExceeded` if the
  /// application took too long.
  @discardableResult func renew(
    replacing refused: Secret?, for provider: ProviderID, _ user: User, by rules: CredentialRules
  ) async throws(EngagementError) -> Bool {
    while true {
      guard let entry = state.withLock({ $0.entries[user] }) else {
        throw Refusal.noSource.error(for: provider)
      }
      if let now = entry.credentials[provider], now != refused { return false }
      if let failure = entry.failures[provider],
        clock.uptime < failure.uptime + rules.retryInterval
      {
        throw failure.error
      }
      let request = Request(provider: provider, entry: entry.number)
      let hasAsked = Locked(false)
      let completion = await singleFlight.run(request, for: nil) {
        hasAsked.withLock { $0 = true }
        return await self.ask(entry, of: user, for: provider, replacing: refused, by: rules)
      }
      if case .completed(let outcome) = completion {
        let isRenewed = try outcome.get()
        return isRenewed && hasAsked.withLock(\.self)
      }
      if Task.isCancelled {
        throw EngagementError(.cancelled, "It was cancelled.", provider: provider)
      }
    }
  }

  /// Asks for as long as the rules allow; nil when this task was cancelled.
  private func ask(
    _ entry: Entry, of user: User, for provider: ProviderID, replacing refused: Secret?,
    by rules: CredentialRules
  ) async -> Outcome? {
    // The previous leader may have brought one between our check and our turn.
    if let now = credential(for: provider, user), now != refused { return .success(false) }
    let (answer, isLate) = await withTimeLimit(rules.answerWithin, on: clock) {
      await Self.answer(of: entry.source, for: provider)
    }
    // A credential that came late is kept too, as long as its user is signed in.
    if case .success(let secret?) = answer, secret != refused {
      return keep(secret, for: provider, user, entry)
    }
    if Task.isCancelled { return nil }
    let refusal: Refusal
    switch answer {
    case _ where isLate: refusal = .late
    case .success(nil): refusal = .none
    case .success: refusal = .same
    case .failure(let thrown): refusal = .thrown(thrown)
    }
    return fail(refusal.error(for: provider), for: provider, user, entry)
  }

  private static func answer(
    of source: CredentialSource, for provider: ProviderID
  ) async -> Result<Secret?, Thrown> {
    do {
      return .success(try await source(provider))
    } catch {
      let passing = (error as? EngagementError).map(\.code).flatMap { $0.mayRetry ? $0 : nil }
      return .failure(Thrown(kind: "\(type(of: error))", passing: passing))
    }
  }

  private func keep(
    _ secret: Secret, for provider: ProviderID, _ user: User, _ entry: Entry
  ) -> Outcome {
    let isRenewal: Bool? = state.withLock { state in
      guard state.entries[user]?.number == entry.number else { return nil }
      let former = state.entries[user]?.credentials.updateValue(secret, forKey: provider)
      state.entries[user]?.failures[provider] = nil
      return former != nil
    }
    guard let isRenewal else { return .failure(Refusal.left.error(for: provider)) }
    arrival.withLock(\.self)()
    return .success(isRenewal)
  }

  private func fail(
    _ error: EngagementError, for provider: ProviderID, _ user: User, _ entry: Entry
  ) -> Outcome {
    let uptime = clock.uptime
    state.withLock { state in
      guard state.entries[user]?.number == entry.number else { return }
      state.entries[user]?.failures[provider] = Failure(error: error, uptime: uptime)
    }
    return .failure(error)
  }
}

extension CredentialCache {
  /// What an application's source threw: its kind alone, since what it says may hold anything.
  private struct Thrown: Error {
    var kind: String
    /// The code of an error that may pass by itself.
    var passing: EngagementError.Code?
  }

  /// Why there is no credential.
  private enum Refusal {
    case noSource, none, same, late, left
    case thrown(Thrown)

    func error(for provider: ProviderID) -> EngagementError {
      switch self {
      case .noSource:
        EngagementError(
          .unauthenticated,
          "No credential source; pass `credentials:` to signIn.",
          provider: provider)
      case .none:
        EngagementError(
          .unauthenticated,
          "The application has no credential; return one from the source given to signIn.",
          provider: provider)
      case .same:
        EngagementError(
          .unauthenticated,
          "The application gave the credential that was refused; it has to make another.",
          provider: provider)
      case .late:
        EngagementError(
          .deadlineExceeded, "The application did not give a credential in time.",
          provider: provider)
      case .left:
        EngagementError(
          .signedOut, "The user left before the credential came.", provider: provider)
      case .thrown(let thrown):
        EngagementError(
          thrown.passing ?? .unauthenticated,
          "The application's source of credentials failed; let it return one or nil.",
          provider: provider, underlying: thrown.kind)
      }
    }
  }
}
