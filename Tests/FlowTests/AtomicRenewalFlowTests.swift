import EngagementAdapterAPI
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementTesting
import OutlineAdapters
import Testing

/// Flow 10: one request for all who wait.
@Suite(.timeLimit(.minutes(20))) struct AtomicRenewalFlowTests {
  private let count = 10

  // MARK: Missing

  @Test("flow 10 A2 G15: ten operations without a token ask the application once")
  func missing() async throws { try await flowMissing(.complete) }

  @Test("flow 10: the missing token flow fails without single flight")
  func missingNeedsSingleFlight() async {
    await withKnownIssue { try await flowMissing(.withoutSingleFlight) }
  }

  private func flowMissing(_ variant: KitVariant) async throws {
    let (starts, answers) = (Gate(), Gate())
    let application = AtomicApplication(.success(AtomicFixtures.token()))
    let transport = ScriptedTransport { _ in AtomicFixtures.ok }
    let memory = variant.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in
      await answers.pass()
      return try await application.token(for: user)
    }
    // Everybody looks for a token before anybody is told that there is none.
    let host = AtomicChangedHost(inner: variant.host(memory)) { context in
      await starts.pass()
      return context
    }
    let runners = OperationRunners(memory: memory, host: host, shares: variant.sharesRunner)
    let outcomes = await perform(runners) {
      await starts.isHolding(count)
      starts.open()
      await answers.isHolding(variant.sharesRunner ? 1 : count)
      answers.open()
    }
    #expect(outcomes.allSatisfy { $0 == .done })
    #expect(await application.asked == ["u-1"])
    #expect(transport.requests.count == count)
    #expect(Set(transport.requests.map(\.bearer)).count == 1)
  }

  // MARK: Refused

  @Test(
    "flow 10 A2 G15: ten operations with a refused token renew it once, and each tries again"
  )
  func refused() async throws { try await flowRefused(.complete) }

  @Test("flow 10: the renewal flow fails without single flight")
  func refusedNeedsSingleFlight() async {
    await withKnownIssue { try await flowRefused(.withoutSingleFlight) }
  }

  @Test("flow 10: the renewal flow fails when the answer does not ask for a renewal")
  func refusedNeedsRenewal() async {
    await withKnownIssue {
      try await flowRefused(
        .without { adapter in
          adapter.answer = { answer in
            guard case .renew = answer.verdict else { return answer }
            return .refused(.unauthenticated, "Refused.")
          }
        })
    }
  }

  private func flowRefused(_ variant: KitVariant) async throws {
    let (arrivals, answers) = (Gate(), Gate())
    let (old, new) = (
      AtomicFixtures.token(), AtomicFixtures.token(ending: .seconds(7200))
    )
    let application = AtomicApplication(.success(new))
    let transport = ScriptedTransport { request in
      guard request.bearer == "Bearer \(old.revealed)" else { return AtomicFixtures.ok }
      await arrivals.pass()
      return HTTPResponse(401)
    }
    let memory = variant.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in
      await answers.pass()
      return try await application.token(for: user)
    }
    memory.setCredential(old)
    let outcomes = await perform(variant.runners(in: memory)) {
      await arrivals.isHolding(count)
      arrivals.open()
      // A variant without renewals asks nobody; there is nothing to hold.
      guard asks(variant) else { return }
      await answers.isHolding(variant.sharesRunner ? 1 : count)
      answers.open()
    }
    #expect(outcomes.allSatisfy { $0 == .done })
    #expect(await application.asked == ["u-1"])
    let bearers = transport.requests.map(\.bearer)
    #expect(bearers.prefix(count).allSatisfy { $0 == "Bearer \(old.revealed)" })
    #expect(
      bearers.dropFirst(count).map(\.self)
        == Array(repeating: "Bearer \(new.revealed)", count: count))
  }

  /// Whether a refused token leads to a renewal at the variant.
  private func asks(_ variant: KitVariant) -> Bool {
    guard let adapter = try? AtomicFixtures.adapter() else { return false }
    let context = MemoryHost(
      adapter, user: "u-1", transport: ScriptedTransport([:])
    ).context()
    let answer = variant.adapter(adapter).answer(
      to: .metrics, from: HTTPResponse(401), in: context)
    return answer.verdict == .renew(.credential)
  }

  @Test(
    "flow 10 G6: a token refused again after its renewal ends the attempt, and the action stays pending"
  )
  func refusedTwice() async throws {
    let new = AtomicFixtures.token(ending: .seconds(7200))
    let application = AtomicApplication(.success(new))
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let memory = MemoryHost(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in try await application.token(for: user) }
    memory.setCredential(AtomicFixtures.token())
    let runners = KitVariant.complete.runners(in: memory)
    try memory.act(
      .dismiss,
      on: ItemReference(ItemID("atomic", "c1"), on: .cards, in: AtomicFixtures.container))
    #expect(await runners.drain().map(\.code) == [.unauthenticated])
    #expect(await application.asked.count == 1)
    #expect(transport.requests.count == 2)
    #expect(memory.pending.count == 1)
  }

  /// Ten operations at the same time, and what the test does once they are under way.
  private func perform(
    _ runners: OperationRunners, _ meanwhile: () async -> Void
  ) async -> [OperationRunner.Outcome] {
    await withTaskGroup(of: OperationRunner.Outcome.self) { group in
      for index in 0..<count {
        group.addTask {
          await runners.perform(AtomicOutline.registerContainers([ContainerID("c\(index)")]))
        }
      }
      await meanwhile()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
