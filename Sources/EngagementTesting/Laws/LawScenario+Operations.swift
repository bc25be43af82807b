import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementPlatform

// MARK: Operations

extension LawScenario {
  /// Performs the operation as an application does. The runner executes an operation that has no
  /// public call.
  func perform(_ operation: Operation) async throws -> OperationRunner.Outcome {
    switch operation {
    case .cards, .inbox, .campaigns, .person, .metrics, .settings:
      guard let target = operation.target(at: subject) else { return await execute(operation) }
      return await refresh(target)
    case .updatePerson(let update): return try await accepted { try await $0.updatePerson(update) }
    case .associate(let id): return try await accepted { try await $0.associate(id) }
    case .registerPush(let place):
      return try await accepted { try await $0.registerPush(Self.pushToken(for: place)) }
    case .unregisterPush(let place):
      return try await accepted { try await $0.unregisterPush(place) }
    case .events(let events): return try await track(events)
    case .device, .message, .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      return await execute(operation)
    }
  }

  /// Executes the operation past the outbox, and without a pause requested by the vendor.
  @discardableResult func execute(_ operation: Operation) async -> OperationRunner.Outcome {
    await engagement.execute(operation, with: AdapterSubject.provider)
  }

  /// Executes all concurrently. Opens the gate for held answers once every operation waits.
  func execute(_ operations: [Operation]) async -> [OperationRunner.Outcome] {
    let over = Locked(0)
    return await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for operation in operations {
        group.addTask {
          let outcome = await execute(operation)
          over.withLock { $0 += 1 }
          return outcome
        }
      }
      await isStill(operations.count) { over.withLock { $0 } }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Refreshes. If the vendor asks for a pause, advances the clock past it and refreshes again.
  func refresh(_ target: Engagement.RefreshTarget) async -> OperationRunner.Outcome {
    let outcome = await refreshOnce(target)
    guard case .wait(let date) = outcome else { return outcome }
    let seconds = date.timeIntervalSince(clock.now)
    if seconds > 0 { clock.advance(by: .seconds(seconds + 1)) }
    return await refreshOnce(target)
  }

  @discardableResult func refresh(_ samples: ItemSamples) async throws -> OperationRunner.Outcome {
    try await perform(samples.listing)
  }

  private func refreshOnce(_ target: Engagement.RefreshTarget) async -> OperationRunner.Outcome {
    let outcomes = await engagement.refresh(target).providers
    switch outcomes[AdapterSubject.provider] {
    case .fresh?, .notModified?: return .done
    case .throttled(let date)?: return .wait(until: date)
    case .stale(_, let error)?, .failed(let error)?:
      return error.code.mayRetry ? .retry(error) : .refused(error)
    case .unsupported?, nil:
      return .refused(EngagementError(.unsupported, "No provider supports it."))
    }
  }

  // MARK: The outbox

  /// Accepts an operation and sends its row.
  private func accepted(
    _ body: (Engagement) async throws -> Engagement.Receipt
  ) async throws -> OperationRunner.Outcome {
    do {
      let receipt = try await body(engagement)
      await engagement.deliver(to: AdapterSubject.provider)
      return try await outcome(of: receipt)
    } catch let error as EngagementError {
      return .refused(error)
    }
  }

  /// The outcome of the receipt's operation; `retry` while it is pending.
  func outcome(of receipt: Engagement.Receipt) async throws(EngagementError)
    -> OperationRunner.Outcome
  {
    guard try await pending == 0 else {
      return .retry(EngagementError(.unavailable, "The row is still pending."))
    }
    switch try? await receipt.outcome() {
    case .delivered?, .kept?: return .done
    case .rejected(let error)?: return .refused(error)
    case .expired?, .discarded?, nil:
      return .refused(EngagementError(.internalFailure, "The row expired or was discarded."))
    }
  }

  private func track(_ events: [EngagementEvent]) async throws -> OperationRunner.Outcome {
    for event in events {
      let outcome = try await accepted {
        try await $0.track(event.kind, name: event.name, event.properties)
      }
      guard outcome == .done else { return outcome }
    }
    return .done
  }

  /// The number of pending rows.
  var pending: Int {
    get async throws(EngagementError) {
      try await engagement.pendingCounts[AdapterSubject.provider] ?? 0
    }
  }

  /// Sends pending rows, and retries failed ones for a limited time.
  func deliver() async throws {
    for _ in 0..<4 {
      await engagement.deliver(to: AdapterSubject.provider)
      guard try await pending > 0 else { return }
      clock.advance(by: .seconds(90))
    }
  }

  // MARK: State

  /// Lists every feed, so that later requests belong to the tried operation alone.
  func settle() async throws {
    for samples in subject.items where subject.declares(samples.listing.verb) {
      try await refresh(samples)
    }
  }

  /// The ids of the visible items, in order.
  func visible(_ samples: ItemSamples) async throws -> [String] {
    switch samples.feed.surface {
    case .inbox: engagement.inbox.messages.map(\.id.value)
    case .campaigns:
      try await engagement.campaigns(in: samples.feed, of: AdapterSubject.provider)
        .map(\.id.value)
    default: cards(samples.feed).map(\.id.value)
    }
  }

  /// The visible items of a feed, in full.
  func look(_ samples: ItemSamples) -> [JSON] {
    samples.feed.surface == .inbox
      ? engagement.inbox.messages.map(\.json) : cards(samples.feed).map(\.json)
  }

  func cards(_ feed: Feed) -> [Card] { engagement.cards(in: feed.container ?? "home").cards }

  /// The reasons for which items were quarantined.
  func quarantined() async throws -> [String] {
    try await engagement.events().filter { $0.kind == .itemQuarantined }
      .map { $0.properties["reason"]?.string ?? "" }
  }

  /// The adapter's current context.
  func context() async throws -> AdapterContext {
    try await engagement.context(of: AdapterSubject.provider)
  }
}

extension Operation {
  /// The refresh that requests only this operation; nil if there is none.
  fileprivate func target(at subject: AdapterSubject) -> Engagement.RefreshTarget? {
    switch self {
    case .cards(let container, []):
      subject.capabilities.hasContainers == (container != nil) ? .cards(in: container) : nil
    case .inbox: .inbox
    case .campaigns: .campaigns
    case .person: .person
    case .metrics: .metrics
    case .settings: .settings
    case .device, .registerPush, .unregisterPush, .message, .cards, .associate, .updatePerson, .act,
      .events, .templates, .upload, .optOut, .pushContainers, .vendor:
      nil
    }
  }
}

extension ItemSamples {
  /// The operation that lists the samples' feed.
  var listing: Operation {
    switch feed.surface {
    case .inbox: .inbox
    case .campaigns: .campaigns
    default: .cards(in: feed.container, matching: feed.filters)
    }
  }
}

extension AdapterSubject {
  func declares(_ verb: Operation.Verb) -> Bool {
    capabilities.ability(verb).travel != .unsupported
  }
}
