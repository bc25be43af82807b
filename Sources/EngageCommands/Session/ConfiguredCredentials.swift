import EngagementKit
import EngagementModel

/// Gives the library the credentials of `engage.json`, and says what to do about one that is
/// missing or refused.
final class ConfiguredCredentials: Sendable {
  /// How the last question about a provider's credential ended.
  private struct Answer {
    /// What is known to be wrong with it.
    var complaint: CredentialComplaint?
    /// What there is to say if the vendor refuses it.
    var refusal: CredentialComplaint?
  }

  private let clock: any EngagementClock
  private let answers = Locked<[ProviderID: Answer]>([:])

  init(_ clock: any EngagementClock) { self.clock = clock }

  /// The credential for each provider, as long as the user is signed in.
  func source(
    of user: User, in configuration: EngageConfiguration
  ) -> Engagement.CredentialSource {
    // The library forgets what it was given before.
    answers.withLock { $0 = [:] }
    return { provider in try self.credential(for: provider, of: user, in: configuration) }
  }

  private func credential(
    for provider: ProviderID, of user: User, in configuration: EngageConfiguration
  ) throws(EngagementError) -> Secret? {
    guard let place = configuration.credentialPlaces[provider],
      configuration.hasCredentials(of: user)
    else {
      let complaint = CredentialComplaint(ofNoneFor: provider, user, configuration)
      answers.withLock { $0[provider] = Answer(complaint: complaint) }
      return nil
    }
    do throws(EngagementError) {
      let secret = try place.secret()
      let refusal = CredentialComplaint(ofRefusedAt: place, by: provider)
      let useless = CredentialComplaint(ofUseless: secret, at: place, user, now: clock.now)
      answers.withLock { $0[provider] = Answer(complaint: useless, refusal: refusal) }
      return secret
    } catch {
      let complaint = CredentialComplaint(error, at: place)
      answers.withLock { $0[provider] = Answer(complaint: complaint) }
      throw error
    }
  }

  // MARK: Complaints

  /// What is wrong with the provider's credential; nil if nothing is known to be.
  ///
  /// - Parameter isRefused: Whether the vendor has refused it.
  func complaint(at provider: ProviderID, isRefused: Bool) -> CredentialComplaint? {
    let answer = answers.withLock { $0[provider] }
    return answer?.complaint ?? (isRefused ? answer?.refusal : nil)
  }

  /// What the error has to do with the provider's credential; nil if nothing.
  func complaint(
    about error: EngagementError?, at provider: ProviderID
  ) -> CredentialComplaint? {
    guard error?.code == .unauthenticated, let answer = answers.withLock({ $0[provider] }) else {
      return nil
    }
    return answer.complaint ?? answer.refusal
  }

  /// The error in the words of the configuration, where the library speaks of the application's
  /// source of credentials.
  func explained(_ error: EngagementError, at provider: ProviderID? = nil) -> EngagementError {
    guard let provider = provider ?? error.provider,
      let complaint = complaint(about: error, at: provider)
    else { return error }
    var error = error
    error.message = complaint.text
    error.underlying = nil
    return error
  }

  /// The outcome with its error in the words of the configuration.
  func explained(
    _ outcome: Engagement.ProviderOutcome, at provider: ProviderID
  ) -> Engagement.ProviderOutcome {
    switch outcome {
    case .stale(let age, let error): .stale(age: age, explained(error, at: provider))
    case .failed(let error): .failed(explained(error, at: provider))
    case .fresh, .notModified, .throttled, .unsupported: outcome
    }
  }
}
