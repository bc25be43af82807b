import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import FoundationEssentials

/// Asks vendors anew, all at the same time, and each for the same thing once.
final class Refresher: Sendable {
  private let house: House
  private let houses: [ProviderID: ProviderHouse]
  private let exchanges: [ProviderID: Exchange]
  private let containers: ContainerMap
  private let routes: @Sendable () -> Routes
  private let flights = SingleFlight<Errand, ProviderOutcome>()
  /// Whose settings were asked for, in which generation.
  private let greeted = Locked<[ProviderID: Int]>([:])

  private struct Errand: Hashable {
    var provider: ProviderID
    var user: User
    var generation: Int
    var operation: Operation

    init(_ provider: ProviderID, _ occupant: Occupant, _ operation: Operation) {
      self.provider = provider
      user = occupant.user
      generation = occupant.generation
      self.operation = operation
    }
  }

  init(
    _ house: House, houses: [ProviderID: ProviderHouse], exchanges: [ProviderID: Exchange],
    containers: ContainerMap, routes: @escaping @Sendable () -> Routes
  ) {
    self.house = house
    self.houses = houses
    self.exchanges = exchanges
    self.containers = containers
    self.routes = routes
  }

  /// How many share the present user's request that is under way.
  func waiting(for provider: ProviderID, _ operation: Operation) -> Int {
    flights.waiting(for: Errand(provider, house.occupancy.present, operation))
  }

  func refresh(_ target: RefreshTarget) async -> RefreshOutcome {
    let occupant = house.occupancy.present
    let providers: [Provider]
    do throws(EngagementError) {
      providers = try self.providers(of: target)
    } catch {
      return RefreshOutcome(error.provider.map { [$0: .failed(error)] } ?? [:])
    }
    return await withTaskGroup(of: (ProviderID, ProviderOutcome).self) { group in
      for provider in providers {
        group.addTask { (provider.id, await self.refresh(target, at: provider, for: occupant)) }
      }
      return await group.reduce(into: RefreshOutcome()) { $0.providers[$1.0] = $1.1 }
    }
  }

  private func providers(of target: RefreshTarget) throws(EngagementError) -> [Provider] {
    let route: Route? =
      switch target {
      case .cards: routes().cards
      case .inbox: routes().inbox
      case .message(let id): .only(try house.provider(id.provider).id)
      case .person, .metrics, .campaigns, .settings: nil
      }
    guard let route else { return house.providers }
    return house.providers.filter { route.providers.contains($0.id) }
  }

  // MARK: One provider

  private func refresh(
    _ target: RefreshTarget, at provider: Provider, for occupant: Occupant
  ) async -> ProviderOutcome {
    do throws(EngagementError) {
      let known =
        target == .cards(nil)
        ? try await house.store.feeds(of: occupant.partition)
          .filter { $0.provider == provider.id }.map(\.feed) : []
      let plan = RefreshPlan(target, at: provider, containers, known: known)
      guard !plan.requests.isEmpty else { return .unsupported }
      let isTold = Locked(false)
      let outcome = await run(plan, for: occupant) {
        let event = self.event(of: plan, failed: nil, for: occupant)
        isTold.withLock { $0 = event != nil }
        return event
      }
      // Who shares the request of another, or asks for several things, tells of it here.
      if outcome.error != nil || !isTold.withLock(\.self) {
        await record(outcome, of: plan, for: occupant)
      }
      return outcome
    } catch {
      return .failed(error)
    }
  }

  /// One after the other: a vendor has at most one of our requests for a user at a time.
  private func run(
    _ plan: RefreshPlan, for occupant: Occupant, telling teller: @escaping Findings.Teller
  ) async -> ProviderOutcome {
    var outcomes: [ProviderOutcome] = []
    let teller = plan.requests.count == 1 ? teller : nil
    for request in plan.requests {
      outcomes.append(await run(request, at: plan.provider, for: occupant, telling: teller))
    }
    return ProviderOutcome.worst(of: outcomes) ?? .unsupported
  }

  private func run(
    _ request: RefreshPlan.Request, at provider: Provider, for occupant: Occupant,
    telling teller: Findings.Teller?
  ) async -> ProviderOutcome {
    let errand = Errand(provider.id, occupant, request.operation)
    while !Task.isCancelled {
      let landing = await flights.run(errand, for: nil) {
        await self.fetch(request, at: provider, for: occupant, telling: teller)
      }
      if case .landed(let outcome) = landing { return outcome }
    }
    return .failed(
      EngagementError(
        .cancelled, "It was cancelled.", provider: provider.id,
        operation: request.operation.verb.text))
  }

  /// Nil when this task was cancelled.
  private func fetch(
    _ request: RefreshPlan.Request, at provider: Provider, for occupant: Occupant,
    telling teller: Findings.Teller?
  ) async -> ProviderOutcome? {
    guard let exchange = exchanges[provider.id], let own = houses[provider.id] else {
      return .unsupported
    }
    let fault = request.operation == .settings ? nil : await greet(provider, exchange, occupant)
    let key = house.key()
    // What is done may be a failure all the same where the vendor could not be greeted.
    own.findings.watch(key, telling: fault == nil ? teller : nil)
    let attempt = Attempt(
      by: occupant.user, key, acceptedAt: house.clock.now, isUserRequested: true,
      generation: occupant.generation)
    let outcome = await exchange.perform(request.operation, attempt)
    let finding = own.findings.take(key)
    if Task.isCancelled { return nil }
    guard house.occupancy.isPresent(occupant) else { return .failed(Self.left(provider, request)) }
    switch outcome {
    case .done, .partly:
      if finding.isNew { return .fresh }
      // An adapter that does not know yet whether there is anything to ask asks nothing.
      guard let fault, !finding.isUnchanged else { return .notModified }
      return await failed(fault, request, provider, occupant)
    case .wait(let date): return .throttled(until: date)
    case .retry(let error), .refused(let error):
      return error.code == .unsupported
        ? .unsupported : await failed(error, request, provider, occupant)
    }
  }

  private static func left(_ provider: Provider, _ request: RefreshPlan.Request) -> EngagementError
  {
    EngagementError(
      .signedOut, "The user has changed.", provider: provider.id,
      operation: request.operation.verb.text)
  }

  /// What the vendor has to say before anything else, once for each user who comes; what went
  /// wrong, where something did.
  private func greet(
    _ provider: Provider, _ exchange: Exchange, _ occupant: Occupant
  ) async -> EngagementError? {
    guard provider.adapter.capabilities.ability(.settings).travel != .unsupported,
      greeted.withLock({ $0[provider.id] }) != occupant.generation
    else { return nil }
    let attempt = Attempt(
      by: occupant.user, house.key(), acceptedAt: house.clock.now, generation: occupant.generation)
    switch await exchange.perform(.settings, attempt) {
    case .done, .partly:
      greeted.withLock { $0[provider.id] = occupant.generation }
      return nil
    case .wait: return nil
    case .retry(let error), .refused(let error): return error
    }
  }

  /// A failure, with how old that is which is shown all the same.
  private func failed(
    _ error: EngagementError, _ request: RefreshPlan.Request, _ provider: Provider,
    _ occupant: Occupant
  ) async -> ProviderOutcome {
    var error = error
    error.provider = provider.id
    error.operation = error.operation ?? request.operation.verb.text
    guard let feed = request.feed,
      let date = try? await refreshedAt(FeedKey(provider.id, feed), of: occupant.partition)
    else { return .failed(error) }
    // A wall clock that was turned back makes nothing younger than it is now.
    let age = max(0, house.clock.now.timeIntervalSince(date))
    return .stale(age: .seconds(age), error)
  }

  private func refreshedAt(
    _ key: FeedKey, of partition: Partition
  ) async throws(EngagementError) -> Date? {
    let (store, now) = (house.store, house.clock.now)
    return switch key.feed.surface {
    case .inbox: try await store.messages(of: key.provider, in: partition, at: now).refreshedAt
    case .campaigns: try await store.campaigns(in: key, of: partition, at: now).refreshedAt
    default: try await store.cards(in: key, of: partition, at: now).refreshedAt
    }
  }

  // MARK: The ledger

  /// What the ledger is told of a refresh; nil where its user has left.
  private func event(
    of plan: RefreshPlan, failed error: EngagementError?, for occupant: Occupant
  ) -> EngagementEvent? {
    guard let verb = plan.requests.first?.operation.verb, house.occupancy.isPresent(occupant)
    else { return nil }
    var properties: JSONObject = ["operation": .string(verb.text)]
    properties["code"] = error.map { .string($0.code.text) }
    // Both kinds are the house's own, which only a denial forbids, and the cache looks at that.
    return house.event(
      error == nil ? .providerRequest : .providerFailed, at: plan.provider.id, properties)
  }

  private func record(
    _ outcome: ProviderOutcome, of plan: RefreshPlan, for occupant: Occupant
  ) async {
    guard outcome.isWorthRecording,
      let event = event(of: plan, failed: outcome.error, for: occupant)
    else { return }
    do throws(EngagementError) {
      _ = try await house.store.record([event], in: occupant.partition)
    } catch {
      house.log(.warning, "A refresh could not be recorded: \(error.code)", plan.provider.id)
    }
  }
}

extension ProviderOutcome {
  /// Whether the vendor was asked, or should have been.
  fileprivate var isWorthRecording: Bool {
    switch self {
    case .throttled, .unsupported: false
    case .fresh, .notModified: true
    case .stale(_, let error), .failed(let error):
      ![.cancelled, .signedOut, .consentDenied].contains(error.code)
    }
  }
}
