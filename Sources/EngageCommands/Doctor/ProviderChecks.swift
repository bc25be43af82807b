import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementPlatform
import EngagementVendors

/// Checks that each provider's endpoint is that vendor's, and that the vendor takes what
/// `engage.json` says.
struct ProviderChecks {
  let invocation: Invocation
  let configuration: EngageConfiguration

  /// Asks each vendor for its settings, as a sync does; one without settings how many cards the user
  /// has. Where there is no cache yet and a question would register the device, or the vendor has nothing
  /// to be asked for, the endpoint is only reached.
  func findings() async throws -> [CheckResult] {
    let requests = RequestCounter(
      invocation.context.transport(configuration.certificateAuthorities))
    let (outcomes, pauses) = try await outcomes(over: requests)
    var findings: [CheckResult] = []
    for provider in configuration.providers {
      let isAsked = requests.count(to: provider.endpoint) > 0
      // A credential that no vendor would take is not sent.
      let outcome = outcomes[provider.id].flatMap {
        isAsked || $0.error?.code == .unauthenticated ? $0 : nil
      }
      let isSignedOut = outcomes[provider.id]?.error?.code == .signedOut
      let pause = pauses[provider.id].map { Self.pause(until: $0, of: provider) }
      if let outcome, outcome != .unsupported {
        findings.append(
          finding(of: provider, outcome, isReached: requests.hasAnswer(from: provider.endpoint)))
      } else if pause == nil {
        let finding = try await reach(provider, by: requests)
        findings.append(
          isSignedOut && finding.verdict == .good ? Self.signedOut(provider) : finding)
      }
      // Also where the settings are fresh: what waits may be of another kind.
      if let pause, findings.last != pause { findings.append(pause) }
    }
    return findings
  }

  private func outcomes(
    over requests: RequestCounter
  ) async throws -> ([ProviderID: Engagement.ProviderOutcome], pauses: [ProviderID: Date]) {
    do throws(EngagementError) {
      guard CacheFile(configuration.cache).wasMade else {
        return (try await outcomesWithoutCache(over: requests), [:])
      }
      let engagement = try await invocation.open(configuration, over: { _ in requests })
      try await signIn(engagement.user, to: engagement)
      var outcomes = await engagement.refresh(.settings).providers
      let withoutSettings = await engagement.refresh(.metrics).providers
      outcomes.merge(withoutSettings) { settings, other in
        settings == .unsupported ? other : settings
      }
      let pauses = try? await engagement.pauses
      try? await engagement.close()
      return (outcomes, pauses ?? [:])
    } catch {
      // The check of the cache says what is wrong with it.
      try Task.checkCancellation()
      return ([:], [:])
    }
  }

  /// Asks the vendors that answer the configuration's user without knowing the device.
  private func outcomesWithoutCache(
    over requests: RequestCounter
  ) async throws(EngagementError) -> [ProviderID: Engagement.ProviderOutcome] {
    let providers = configuration.providers.filter { provider in
      let capabilities = provider.adapter.capabilities
      return capabilities.ability(.metrics).travel != .unsupported
        && capabilities.ability(.settings).travel == .unsupported
    }
    guard let user = configuration.user, !providers.isEmpty else { return [:] }
    let engagement = try await Engagement.open(
      cache: .temporary, device: .engage(id: "doctor"), transport: requests,
      providers: Engagement.Providers(providers.map { ($0.id, $0.adapter) }),
      routes: Engagement.Routes(cards: .none, inbox: .none),
      options: Engagement.Options(
        secrets: NoSecrets(), loggers: [], clock: invocation.context.clock,
        random: invocation.context.random))
    do throws(EngagementError) {
      try await signIn(user, to: engagement)
      try await engagement.setConsent(configuration.consent ?? .unknown)
      let outcomes = await engagement.refresh(.metrics).providers
      try? await engagement.close()
      return outcomes
    } catch {
      try? await engagement.close()
      throw error
    }
  }

  private func signIn(_ user: User, to engagement: Engagement) async throws(EngagementError) {
    guard !user.isAnonymous else { return }
    let credentials = invocation.credentials.source(of: user, in: configuration)
    try await engagement.signIn(user, credentials: credentials)
  }

  private func finding(
    of provider: ConfiguredProvider, _ outcome: Engagement.ProviderOutcome, isReached: Bool
  ) -> CheckResult {
    let (subject, place) = ("provider \(provider.id)", provider.endpoint)
    let vendor = provider.adapter.vendor
    switch outcome {
    case .fresh, .notModified, .unsupported:
      let name = "providers.\(provider.id)"
      return .good(subject, "\(place) answers as \(vendor) does, and takes what \(name) says")
    case .throttled(let date): return Self.pause(until: date, of: provider)
    case .stale(_, let error), .failed(let error):
      return finding(of: provider, error, isReached: isReached)
    }
  }

  private static func signedOut(_ provider: ConfiguredProvider) -> CheckResult {
    .note(
      "provider \(provider.id)",
      "\(provider.endpoint) is reached; \(provider.adapter.vendor) answers signed-in users alone",
      next: "run \"engage signin USER\".")
  }

  private static func pause(until date: Date, of provider: ConfiguredProvider) -> CheckResult {
    .note(
      "provider \(provider.id)",
      "\(provider.endpoint) has asked for a pause until \(ISO8601.text(of: date) ?? "later")",
      next: "wait, or run \"engage sync --now\" to ask it nevertheless.")
  }

  private func finding(
    of provider: ConfiguredProvider, _ error: EngagementError, isReached: Bool
  ) -> CheckResult {
    let (subject, place) = ("provider \(provider.id)", provider.endpoint)
    let name = "providers.\(provider.id.rawValue)"
    if error.code == .rateLimited { return .note(subject, "\(place) asks for a pause") }
    if error.code == .consentDenied {
      return .note(subject, "\(place) was not asked: the user's consent does not allow it")
    }
    if let complaint = invocation.credentials.complaint(about: error, at: provider.id) {
      return .bad(subject, "\(place): \(complaint.fault)", next: complaint.advice)
    }
    if [.unauthenticated, .permissionDenied].contains(error.code) {
      return .bad(
        subject, "\(place): \(error.message)",
        next: "check the key and the ids of \(name) in \(configuration.file).")
    }
    if [.notFound, .malformedResponse, .unsupported, .invalidArgument].contains(error.code) {
      return .bad(
        subject, "\(place) does not answer as \(provider.adapter.vendor) does: \(error.message)",
        next: "check the endpoint and the ids of \(name) in \(configuration.file).")
    }
    return unreached(provider, error, isReached: isReached)
  }

  private func unreached(
    _ provider: ConfiguredProvider, _ error: EngagementError, isReached: Bool = false
  ) -> CheckResult {
    let cause = error.underlying.map { " (\($0))" } ?? ""
    // Plain http is only for this machine, where nothing but the emulator is expected.
    let isLocal = provider.endpoint.hasPrefix("http:") && !isReached
    let emulator = isLocal ? " Or run \"engage emulate\"." : ""
    let next = isReached ? "\(error.message) Try again later." : error.message + emulator
    return .bad(
      "provider \(provider.id)", "\(provider.endpoint) gives no answer that helps\(cause)",
      next: next)
  }

  /// Any answer shows that the endpoint is reached, a refusal too.
  private func reach(
    _ provider: ConfiguredProvider, by transport: any HTTPTransport
  ) async throws -> CheckResult {
    do throws(EngagementError) {
      _ = try await transport.send(HTTPRequest(.get, provider.endpoint))
      return .good(
        "provider \(provider.id)",
        "\(provider.endpoint) is reached; the first sync shows whether it is \(provider.adapter.vendor)'s"
      )
    } catch {
      try Task.checkCancellation()
      return unreached(provider, error)
    }
  }
}

/// A transport that counts the requests to each endpoint.
private final class RequestCounter: HTTPTransport {
  private let transport: any HTTPTransport
  private let urls = Locked<[String]>([])
  private let answered = Locked<[String]>([])

  init(_ transport: any HTTPTransport) { self.transport = transport }

  func count(to endpoint: String) -> Int {
    urls.withLock { urls in urls.count { $0.hasPrefix(endpoint) } }
  }

  func hasAnswer(from endpoint: String) -> Bool {
    answered.withLock { urls in urls.contains { $0.hasPrefix(endpoint) } }
  }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    urls.withLock { $0.append(request.url) }
    let response = try await transport.send(request)
    answered.withLock { $0.append(request.url) }
    return response
  }
}
