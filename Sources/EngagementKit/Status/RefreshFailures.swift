import EngagementAdapterAPI
import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Which of a user's requests for content failed last, in the cache, where every process of it and the
/// next run find them. A request that is answered ends its failure.
///
/// Every outcome of a request comes here, also of those that the ledger has no event of.
final class RefreshFailures: Sendable {
  private let dependencies: KitDependencies

  init(_ dependencies: KitDependencies) { self.dependencies = dependencies }

  /// Takes how a request ended. Writes only if that is news.
  func note(
    _ outcome: ProviderOutcome, of provider: ProviderID, _ request: RefreshPlan.Request,
    for userSession: UserSession
  ) async {
    // An answer under conditions says nothing of the feed that is shown.
    guard outcome.tellsOfProvider, request.feed?.filters.isEmpty ?? true else { return }
    let name = Failure.name(provider, request.operation.verb, request.feed?.container)
    do throws(EngagementError) {
      let memory = try await dependencies.store.memory(
        of: KitState.owner, in: userSession.partition)
      let former = memory.json(.user, name).flatMap { Failure($0) }
      let failure = outcome.error.map {
        Failure(
          provider, request.operation.verb, request.feed?.container, $0,
          since: former?.since ?? dependencies.clock.now)
      }
      let json = failure?.json
      guard memory.json(.user, name) != json, dependencies.currentUser.isCurrent(userSession)
      else { return }
      _ = try await dependencies.store.commit(
        [KitState.change(.user, name, json)], from: KitState.owner, in: userSession.partition,
        at: dependencies.clock.now)
      dependencies.commitPublisher.signal.fire()
    } catch {
      // The user may have been erased meanwhile.
      guard error.code != .notFound else { return }
      dependencies.log(.warning, "A failure could not be kept: \(error.code)", provider)
    }
  }

  /// A request for content that failed and was not answered since.
  struct Failure: Hashable, Sendable {
    let provider: ProviderID
    let verb: Operation.Verb
    let container: ContainerID?
    let error: EngagementError
    /// When the first of the requests failed that were not answered since; nil if an earlier release kept
    /// it.
    let since: Date?

    init(
      _ provider: ProviderID, _ verb: Operation.Verb, _ container: ContainerID?,
      _ error: EngagementError, since: Date?
    ) {
      self.provider = provider
      self.since = since
      self.verb = verb
      self.container = container
      self.error = EngagementError(
        error.code, error.message, provider: provider, operation: verb.rawValue,
        underlying: error.underlying)
    }

    /// The feed that stayed unchanged; nil for a request that fills none.
    var feed: Feed? {
      let fed: [Operation.Verb: Feed] = [
        .cards: Feed(.cards, in: container), .inbox: .inbox, .campaigns: .campaigns,
      ]
      return fed[verb]
    }

    private static let prefix = "failure."

    /// The name under which it is kept.
    static func name(
      _ provider: ProviderID, _ verb: Operation.Verb, _ container: ContainerID?
    ) -> String {
      "\(prefix)\(provider)/\(verb)/\(container?.rawValue ?? "")"
    }

    /// All that these values have.
    static func all(in memory: ProviderMemory) -> [Failure] {
      memory.values.all(.user).map(\.key).filter { $0.hasPrefix(prefix) }
        .compactMap { memory.json(.user, $0).flatMap(Failure.init) }
    }

    var json: JSON {
      var object: JSONObject = [
        "provider": .string(provider.rawValue), "operation": .string(verb.rawValue),
        "code": .string(error.code.rawValue), "message": .string(error.message),
      ]
      object["container"] = container.map { .string($0.rawValue) }
      object["cause"] = error.underlying.map(JSON.string)
      object["since"] = since.flatMap { ISO8601.text(of: $0) }.map(JSON.string)
      return .object(object)
    }

    fileprivate init?(_ json: JSON) {
      guard let provider = json["provider"]?.string, let verb = json["operation"]?.string,
        let code = json["code"]?.string, let message = json["message"]?.string
      else { return nil }
      self.init(
        ProviderID(provider), Operation.Verb(rawValue: verb),
        json["container"]?.string.map(ContainerID.init),
        EngagementError(
          EngagementError.Code(rawValue: code), message, underlying: json["cause"]?.string),
        since: json["since"]?.string.flatMap { ISO8601.date(from: $0) })
    }
  }
}

extension ProviderOutcome {
  /// Whether it says how the vendor stands. A pause, a missing consent and a user who has left are
  /// known without a request.
  fileprivate var tellsOfProvider: Bool { isWorthRecording && error?.code != .rateLimited }
}
