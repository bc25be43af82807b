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

  @Test("flow 10: ten operations without a token ask the application once (A2, G15)")
  func missing() async throws { try await flowMissing(.whole) }

  @Test("flow 10: asking once needs single flight")
  func missingNeedsSingleFlight() async {
    await withKnownIssue { try await flowMissing(.withoutSingleFlight) }
  }

  private func flowMissing(_ door: Door) async throws {
    let (starts, answers) = (Gate(), Gate())
    let application = AtomicApplication(.success(AtomicFixtures.token()))
    let transport = ScriptedTransport { _ in AtomicFixtures.ok }
    let memory = door.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in
      await answers.pass()
      return try await application.token(for: user)
    }
    // Everybody looks for a token before anybody is told that there is none.
    let house = AtomicChangedHouse(inner: door.house(memory)) { context in
      await starts.pass()
      return context
    }
    let roads = Roads(memory: memory, house: house, shares: door.sharesExchange)
    let outcomes = await perform(roads) {
      await starts.isHolding(count)
      starts.open()
      await answers.isHolding(door.sharesExchange ? 1 : count)
      answers.open()
    }
    #expect(outcomes.allSatisfy { $0 == .done })
    #expect(await application.asked == ["u-1"])
    #expect(transport.requests.count == count)
    #expect(Set(transport.requests.map(\.bearer)).count == 1)
  }

  // MARK: Refused

  @Test(
    "flow 10: a token that is refused to ten operations is renewed once, and each tries again (A2, G15)"
  )
  func refused() async throws { try await flowRefused(.whole) }

  @Test("flow 10: renewing once needs single flight")
  func refusedNeedsSingleFlight() async {
    await withKnownIssue { try await flowRefused(.withoutSingleFlight) }
  }

  @Test("flow 10: trying again needs an answer that asks for a renewal")
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

  private func flowRefused(_ door: Door) async throws {
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
    let memory = door.memory(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in
      await answers.pass()
      return try await application.token(for: user)
    }
    memory.setCredential(old)
    let outcomes = await perform(door.roads(in: memory)) {
      await arrivals.isHolding(count)
      arrivals.open()
      // A door without renewals asks nobody; there is nothing to hold.
      guard asks(door) else { return }
      await answers.isHolding(door.sharesExchange ? 1 : count)
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

  /// Whether a refused token leads to a renewal at the door.
  private func asks(_ door: Door) -> Bool {
    guard let adapter = try? AtomicFixtures.adapter() else { return false }
    let context = MemoryHouse(
      adapter, user: "u-1", transport: ScriptedTransport([:])
    ).context()
    let answer = door.adapter(adapter).answer(
      to: .metrics, from: HTTPResponse(401), in: context)
    return answer.verdict == .renew(.credential)
  }

  @Test(
    "flow 10: a token that is refused again after its renewal is the end, and the action waits (G6)"
  )
  func refusedTwice() async throws {
    let new = AtomicFixtures.token(ending: .seconds(7200))
    let application = AtomicApplication(.success(new))
    let transport = ScriptedTransport { _ in HTTPResponse(401) }
    let memory = MemoryHouse(
      try AtomicFixtures.adapter(), user: "u-1", transport: transport
    ) { (user) async throws(EngagementError) in try await application.token(for: user) }
    memory.setCredential(AtomicFixtures.token())
    let roads = Door.whole.roads(in: memory)
    try memory.act(
      .dismiss,
      on: ItemReference(ItemID("atomic", "c1"), on: .cards, in: AtomicFixtures.container))
    #expect(await roads.drain().map(\.code) == [.unauthenticated])
    #expect(await application.asked.count == 1)
    #expect(transport.requests.count == 2)
    #expect(memory.pending.count == 1)
  }

  /// Ten operations at the same time, and what the test does once they are under way.
  private func perform(
    _ roads: Roads, _ meanwhile: () async -> Void
  ) async -> [Exchange.Outcome] {
    await withTaskGroup(of: Exchange.Outcome.self) { group in
      for index in 0..<count {
        group.addTask {
          await roads.perform(AtomicOutline.registerContainers([ContainerID("c\(index)")]))
        }
      }
      await meanwhile()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}
