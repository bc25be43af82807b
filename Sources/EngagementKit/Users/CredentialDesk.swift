import EngagementAdapterAPI
import EngagementModel

/// Where the application's credentials come from: nil when it has none for the provider.
///
/// It is asked when a credential is needed, once for all who wait. It has to end when its task is
/// cancelled: whoever asked stops waiting for it then.
public typealias CredentialSource = @Sendable (ProviderID) async throws -> Secret?

/// Asks the application for credentials when they are needed, once for all who wait, and keeps
/// them in memory for as long as their user is there.
final class CredentialDesk: Sendable {
  private let clock: any EngagementClock
  private let state = Locked(State())
  let flights = SingleFlight<Errand, Outcome>()

  init(_ clock: any EngagementClock) { self.clock = clock }

  typealias Outcome = Result<Void, EngagementError>

  private struct State {
    var seats: [User: Seat] = [:]
    var lastNumber = 0
  }

  /// A user who is there, for the how-manieth time somebody is.
  private struct Seat {
    var number: Int
    var source: CredentialSource
    var credentials: [ProviderID: Secret] = [:]
    /// Who was asked in vain, when, and what came of it.
    var failures: [ProviderID: Failure] = [:]
  }

  private struct Failure {
    var error: EngagementError
    var uptime: Duration
  }

  /// What may be asked for at the same time, and is asked once.
  struct Errand: Hashable {
    var provider: ProviderID
    var seat: Int
  }

  // MARK: Who is there

  /// Asks this source for the user from now on, and for what the former one gave as well: a vendor
  /// may have refused it so often that nobody asks that vendor any more.
  func seat(_ user: User, _ source: @escaping CredentialSource) {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.seats[user]?.number ?? state.lastNumber
      state.seats[user] = Seat(number: number, source: source)
    }
  }

  /// Forgets everything about the user; what is still on its way is dropped when it comes.
  func dismiss(_ user: User) { state.withLock { $0.seats[user] = nil } }

  /// Forgets everything about everyone.
  func dismissEveryone() { state.withLock { $0.seats = [:] } }

  /// What the user has for the provider; nobody is asked.
  func credential(for provider: ProviderID, _ user: User) -> Secret? {
    state.withLock { $0.seats[user]?.credentials[provider] }
  }

  // MARK: Asking

  /// Asks the application for a credential in place of a refused or missing one.
  ///
  /// Nobody is asked where another has come meanwhile, or where the application had none so
  /// recently that the rules say to leave it alone. Throws `unauthenticated` where there is no
  /// other, and `deadlineExceeded` where the application took too long.
  func renew(
    replacing refused: Secret?, for provider: ProviderID, _ user: User, by rules: CredentialRules
  ) async throws(EngagementError) {
    while true {
      guard let seat = state.withLock({ $0.seats[user] }) else {
        throw Refusal.noSource.error(for: provider)
      }
      if let now = seat.credentials[provider], now != refused { return }
      if let failure = seat.failures[provider],
        clock.uptime < failure.uptime + rules.retryInterval
      {
        throw failure.error
      }
      let errand = Errand(provider: provider, seat: seat.number)
      let landing = await flights.run(errand, for: nil) {
        await self.ask(seat, of: user, for: provider, replacing: refused, by: rules)
      }
      if case .landed(let outcome) = landing { return try outcome.get() }
      if Task.isCancelled {
        throw EngagementError(.cancelled, "It was cancelled.", provider: provider)
      }
    }
  }

  /// Asks for as long as the rules allow; nil when this task was cancelled.
  private func ask(
    _ seat: Seat, of user: User, for provider: ProviderID, replacing refused: Secret?,
    by rules: CredentialRules
  ) async -> Outcome? {
    // Whoever led before may have brought one between our look and our lead.
    if let now = credential(for: provider, user), now != refused { return .success(()) }
    let (answer, isLate) = await withTimeLimit(rules.answerWithin, on: clock) {
      await Self.answer(of: seat.source, for: provider)
    }
    // One that came late is kept all the same, for as long as its user is there.
    if case .success(let secret?) = answer, secret != refused {
      return keep(secret, for: provider, user, seat)
    }
    if Task.isCancelled { return nil }
    let refusal: Refusal
    switch answer {
    case _ where isLate: refusal = .late
    case .success(nil): refusal = .none
    case .success: refusal = .same
    case .failure(let thrown): refusal = .thrown(thrown.kind)
    }
    return fail(refusal.error(for: provider), for: provider, user, seat)
  }

  private static func answer(
    of source: CredentialSource, for provider: ProviderID
  ) async -> Result<Secret?, Thrown> {
    do {
      return .success(try await source(provider))
    } catch {
      return .failure(Thrown(kind: "\(type(of: error))"))
    }
  }

  private func keep(
    _ secret: Secret, for provider: ProviderID, _ user: User, _ seat: Seat
  ) -> Outcome {
    state.withLock { state in
      guard state.seats[user]?.number == seat.number else {
        return .failure(Refusal.left.error(for: provider))
      }
      state.seats[user]?.credentials[provider] = secret
      state.seats[user]?.failures[provider] = nil
      return .success(())
    }
  }

  private func fail(
    _ error: EngagementError, for provider: ProviderID, _ user: User, _ seat: Seat
  ) -> Outcome {
    let uptime = clock.uptime
    state.withLock { state in
      guard state.seats[user]?.number == seat.number else { return }
      state.seats[user]?.failures[provider] = Failure(error: error, uptime: uptime)
    }
    return .failure(error)
  }
}

extension CredentialDesk {
  /// What an application's source threw: its kind alone, since what it says may hold anything.
  private struct Thrown: Error {
    var kind: String
  }

  /// Why there is no credential.
  private enum Refusal {
    case noSource, none, same, late, left
    case thrown(String)

    func error(for provider: ProviderID) -> EngagementError {
      switch self {
      case .noSource:
        EngagementError(
          .unauthenticated,
          "There is nobody to ask for a credential; call signIn with a source of them.",
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
      case .thrown(let kind):
        EngagementError(
          .unauthenticated,
          "The application's source of credentials failed; let it return one or nil.",
          provider: provider, underlying: kind)
      }
    }
  }
}
