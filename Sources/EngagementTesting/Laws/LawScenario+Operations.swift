import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementPlatform

// MARK: What is done

extension LawScenario {
  /// Asks for it as an application does; what no application can ask for by itself goes to the
  /// exchange.
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
    case .device, .message, .act, .templates, .upload, .optOut, .vendor:
      return await execute(operation)
    }
  }

  /// Past the outbox, and without the pause that a vendor may ask for between refreshes.
  @discardableResult func execute(_ operation: Operation) async -> OperationRunner.Outcome {
    await engagement.execute(operation, with: AdapterSubject.provider)
  }

  /// All at once: answers that are held go on when none of the operations can do anything by
  /// itself any more.
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

  /// Refreshes; where the vendor wants to be left alone first, that time passes.
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
      return .refused(EngagementError(.unsupported, "No provider has it."))
    }
  }

  // MARK: The outbox

  /// Accepts something and sends it.
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

  /// What became of it; something that waits on is to be tried again.
  func outcome(of receipt: Engagement.Receipt) async throws(EngagementError)
    -> OperationRunner.Outcome
  {
    guard try await pending == 0 else {
      return .retry(EngagementError(.unavailable, "It still waits to be sent."))
    }
    switch try? await receipt.outcome() {
    case .delivered?: return .done
    case .rejected(let error)?: return .refused(error)
    case .expired?, .discarded?, nil:
      return .refused(EngagementError(.internalFailure, "It is gone."))
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

  /// How much was accepted and has not arrived yet.
  var pending: Int {
    get async throws(EngagementError) {
      try await engagement.pendingCounts[AdapterSubject.provider] ?? 0
    }
  }

  /// Sends what waits, again where it failed, for as long as somebody would look at it.
  func deliver() async throws {
    for _ in 0..<4 {
      await engagement.deliver(to: AdapterSubject.provider)
      guard try await pending > 0 else { return }
      clock.advance(by: .seconds(90))
    }
  }

  // MARK: What is there

  /// Lists what every feed has, so that only what is tried is new.
  func settle() async throws {
    for samples in subject.items where subject.declares(samples.listing.verb) {
      try await refresh(samples)
    }
  }

  /// The ids that the user sees, in order.
  func visible(_ samples: ItemSamples) async throws -> [String] {
    switch samples.feed.surface {
    case .inbox: engagement.inbox.messages.map(\.id.value)
    case .campaigns:
      try await engagement.campaigns(in: samples.feed, of: AdapterSubject.provider)
        .map(\.id.value)
    default: cards(samples.feed).map(\.id.value)
    }
  }

  /// What the user sees of a feed, in full.
  func look(_ samples: ItemSamples) -> [JSON] {
    samples.feed.surface == .inbox
      ? engagement.inbox.messages.map(\.json) : cards(samples.feed).map(\.json)
  }

  func cards(_ feed: Feed) -> [Card] { engagement.cards(in: feed.container ?? "home").cards }

  /// Why items were set aside.
  func quarantined() async throws -> [String] {
    try await engagement.events().filter { $0.kind == .itemQuarantined }
      .map { $0.properties["reason"]?.string ?? "" }
  }

  /// All that the adapter may know now.
  func context() async throws -> AdapterContext {
    try await engagement.context(of: AdapterSubject.provider)
  }
}

extension Operation {
  /// What an application refreshes to have it asked for; nil where that asks for something else
  /// as well.
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
      .events, .templates, .upload, .optOut, .vendor:
      nil
    }
  }
}

extension ItemSamples {
  /// What lists them.
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
