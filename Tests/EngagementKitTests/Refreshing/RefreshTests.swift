import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("refreshing", .timeLimit(.minutes(20))) struct RefreshTests {
  /// A vendor without a settings request.
  private static func plain(_ provider: ProviderID) -> PuppetAdapter {
    var abilities = PuppetAdapter.able
    abilities[.settings] = nil
    return PuppetAdapter(provider, abilities: abilities)
  }

  @Test(
    "X1: when one vendor is down, the others refresh and its cached cards stay")
  func oneDown() async throws {
    let isDown = Locked(false)
    let stage = try await Stage([Self.plain("braze"), Self.plain("atomic")]) { request in
      if isDown.withLock({ $0 }), request.isFor("atomic") { return HTTPResponse(503) }
      return .json(200, isDown.withLock { $0 } ? #"["new"]"# : #"["old"]"#)
    }
    let first = await stage.engagement.refresh(.cards(in: "home"))
    #expect(first.providers == ["braze": .fresh, "atomic": .fresh] && first.isComplete)
    isDown.withLock { $0 = true }
    stage.clock.advance(by: .seconds(90))
    let second = await stage.engagement.refresh(.cards(in: "home"))
    #expect(second.providers["braze"] == .fresh && !second.isComplete)
    guard case .stale(let age, let error)? = second.providers["atomic"] else {
      Issue.record("the outcome of the vendor that is down is not stale")
      return
    }
    #expect(age == .seconds(90) && error.code == .unavailable)
    #expect(error.provider == "atomic" && error.operation == "cards")
    #expect(
      Set(stage.engagement.cards(in: "home").cards.map(\.id))
        == [ItemID("braze", "new"), ItemID("atomic", "old")])
    try await stage.end()
  }

  @Test(
    "A12: a refresh asks a vendor with those conditions that it takes; the others are applied here")
  func conditions() async throws {
    var asking = Self.plain("asking")
    asking.capabilities.filters = [.priority: [.between], .variable: [.equal]]
    let asked = Locked<[ProviderID: [CardFilter]]>([:])
    func note(_ adapter: PuppetAdapter) -> PuppetAdapter {
      var adapter = adapter
      let provider = adapter.provider
      adapter.shape = { $0.priority = $0.id.value == "low" ? 9 : 3 }
      adapter.onStep = { operation, _ throws(EngagementError) in
        if case .cards(_, let filters) = operation { asked.withLock { $0[provider] = filters } }
        return nil
      }
      return adapter
    }
    let stage = try await Stage([note(asking), note(Self.plain("plain"))]) { _ in
      .json(200, #"["high","low"]"#)
    }
    let between = CardFilter.priority(.between(2, 6))
    let filters = [CardFilter.cardID("high"), .variable("vip", .equals(true)), between, between]
    let outcome = await stage.engagement.refresh(.cards(in: "home", matching: filters))
    #expect(outcome.isComplete)
    let all = asked.withLock { $0 }
    #expect(all["plain"] == [] && Set(all["asking"] ?? []) == [between, filters[1]])
    #expect(all["asking"]?.count == 2)
    // The vendor has answered about the variable, which cards do not carry.
    let shown = stage.engagement.cards(in: "home", options: .init(filters: filters)).cards
    #expect(shown.map(\.id) == [ItemID("asking", "high")])
    let plain = stage.engagement.cards(in: "home", options: .init(filters: [between])).cards
    #expect(plain.map(\.id) == [ItemID("plain", "high")])
    try await stage.end()
  }

  @Test("A12: a condition that makes no sense fails before any request, with field and operator")
  func senseless() async throws {
    let stage = try await Stage([Self.plain("braze")])
    let outcome = await stage.engagement.refresh(
      .cards(in: "home", matching: [.priority(.between(6, 2))]))
    guard case .failed(let error)? = outcome.providers["braze"] else {
      Issue.record("the refresh did not fail")
      return
    }
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains("priority") && error.message.contains("between"))
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test("G19: after the wall clock is set back, the age of stale content is zero")
  func turnedBack() async throws {
    let isDown = Locked(false)
    let stage = try await Stage([Self.plain("braze")]) { _ in
      isDown.withLock { $0 } ? HTTPResponse(503) : .json(200, "[]")
    }
    _ = await stage.engagement.refresh(.inbox)
    isDown.withLock { $0 = true }
    stage.clock.set(to: stage.clock.now.addingTimeInterval(-315_360_000))
    guard case .stale(let age, _)? = await stage.engagement.refresh(.inbox).providers["braze"]
    else {
      Issue.record("the inbox has cached content, but is not stale")
      return
    }
    #expect(age == .zero)
    try await stage.end()
  }

  @Test("a failure with an empty cache is reported as failed, not as an empty list")
  func failed() async throws {
    let stage = try await Stage([Self.plain("braze")]) { _ in HTTPResponse(503) }
    for target in [RefreshTarget.cards(in: "home"), .inbox, .person] {
      guard case .failed(let error)? = await stage.engagement.refresh(target).providers["braze"]
      else {
        Issue.record("the refresh has not failed")
        continue
      }
      #expect(error.code == .unavailable && error.provider == "braze")
    }
    try await stage.end()
  }

  @Test("an unchanged answer gives the outcome notModified")
  func notModified() async throws {
    let stage = try await Stage([Self.plain("braze")]) { _ in HTTPResponse(304) }
    #expect(await stage.engagement.refresh(.inbox).providers == ["braze": .notModified])
    try await stage.end()
  }

  @Test("an unsupported target gives the outcome unsupported and sends no request")
  func unsupported() async throws {
    let stage = try await Stage([Self.plain("braze"), Self.plain("atomic")])
    for target in [RefreshTarget.metrics, .campaigns, .settings] {
      let outcome = await stage.engagement.refresh(target)
      #expect(outcome.providers == ["braze": .unsupported, "atomic": .unsupported])
      #expect(!outcome.isComplete)
    }
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test("V8 V9: a message refresh asks only its own provider and reports a failure")
  func message() async throws {
    let abilities: [EngagementAdapterAPI.Operation.Verb: Ability] = [
      .inbox: .request, .message: .request,
    ]
    let stage = try await Stage(
      [
        PuppetAdapter("vibes", abilities: abilities), PuppetAdapter("other", abilities: abilities),
      ]
    ) { _ in HTTPResponse(404) }
    let outcome = await stage.engagement.refresh(.message(ItemID("vibes", "m-1")))
    guard case .failed(let error)? = outcome.providers["vibes"], outcome.providers.count == 1 else {
      Issue.record("a missing message gave \(outcome)")
      return
    }
    #expect(error.operation == "message")
    #expect(stage.transport.requests.map { $0.isFor("vibes") } == [true])
    let nobodys = await stage.engagement.refresh(.message(ItemID("vibs", "m-1")))
    #expect(nobodys.providers.mapValues(\.error?.code) == ["vibs": .notFound])
    #expect(!nobodys.isComplete)
    try await stage.end()
  }

  @Test("X2: a refresh asks only the providers of the current route")
  func route() async throws {
    let stage = try await Stage(
      [Self.plain("braze"), Self.plain("atomic")],
      routes: Routes(cards: .only("braze"), inbox: .none))
    #expect(await stage.engagement.refresh(.cards(in: "home")).providers == ["braze": .fresh])
    #expect(await stage.engagement.refresh(.inbox).providers.isEmpty)
    try await stage.engagement.setRoute(.only("atomic"), for: .cards)
    #expect(await stage.engagement.refresh(.cards(in: "home")).providers == ["atomic": .fresh])
    #expect(
      stage.transport.requests.map { $0.isFor("braze") } == [true, false])
    try await stage.end()
  }

  // MARK: Throttling

  @Test("G4 G6: retry-after throttles refreshes only, and the outbox keeps its own schedule")
  func patience() async throws {
    var adapter = Self.plain("braze")
    adapter.onAnswer = { _, response, _ in
      response.status == 503 ? .retry(.unavailable, "Later.", after: .seconds(60)) : nil
    }
    let stage = try await Stage([adapter]) { _ in HTTPResponse(503) }
    try await stage.signIn("u-1")
    try await stage.engagement.associate("person-1")
    await stage.drain("braze")
    #expect(stage.asked.contains("POST /person.associate?user=u-1"))
    #expect(try await stage.memory(of: "braze", for: "u-1").throttles.isEmpty)
    _ = await stage.engagement.refresh(.inbox)
    let throttles = try await stage.memory(of: "braze", for: "u-1").throttles
    #expect(throttles.contains { $0.verb == .inbox })
    #expect(!throttles.contains { $0.verb == .associate })
    try await stage.end()
  }

  @Test(
    "B6 G6: a throttled refresh sends no request until its time has come",
    arguments: ["by a rule of its own", "by Retry-After"])
  func throttled(wish: String) async throws {
    var adapter = Self.plain("braze")
    adapter.onAnswer = { operation, response, context in
      guard response.status == 429 else { return nil }
      guard wish == "by a rule of its own" else {
        return .retry(.rateLimited, "Later.", after: .seconds(60))
      }
      return Answer(
        [.throttled(.inbox, until: context.now.addingTimeInterval(60))],
        .retry(EngagementError(.rateLimited, "Later.")))
    }
    let stage = try await Stage([adapter]) { request in
      request.line.hasSuffix("inbox") ? HTTPResponse(429) : .json(200, "[]")
    }
    let until = stage.clock.now.addingTimeInterval(60)
    let first = await stage.engagement.refresh(.inbox).providers["braze"]
    if wish == "by Retry-After" {
      #expect(first == .throttled(until: until), "the first answer says so too")
    }
    #expect(
      await stage.engagement.refresh(.inbox).providers == ["braze": .throttled(until: until)])
    #expect(await stage.engagement.refresh(.cards(in: "home")).providers == ["braze": .fresh])
    #expect(stage.transport.lines == ["GET /inbox", "GET /cards"])
    stage.clock.set(to: until)
    _ = await stage.engagement.refresh(.inbox)
    #expect(stage.transport.lines == ["GET /inbox", "GET /cards", "GET /inbox"])
    stage.clock.set(to: until.addingTimeInterval(-315_360_000))
    _ = await stage.engagement.refresh(.inbox)
    #expect(stage.transport.requests.count == 4, "G19: a clock set back ends the throttle")
    try await stage.end()
  }

  @Test("ten concurrent refreshes of one target send one request")
  func singleFlight() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.plain("braze")]) { _ in
      await gate.pass()
      return .json(200, #"["a"]"#)
    }
    let outcomes = await withTaskGroup(of: RefreshOutcome.self) { group in
      group.addTask { await stage.engagement.refresh(.cards(in: "home")) }
      await gate.isHolding(1)
      for _ in 0..<9 { group.addTask { await stage.engagement.refresh(.cards(in: "home")) } }
      while stage.engagement.refresher.waiting(for: "braze", .cards(in: nil, matching: [])) < 9 {
        await Task.yield()
      }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.allSatisfy { $0.providers == ["braze": .fresh] })
    #expect(stage.transport.requests.count == 1)
    // The ledger has one entry for each of the ten refreshes, and of what the one brought.
    let entries = try await stage.engagement.dependencies.store.entries(after: 0, limit: 20)
    #expect(
      entries.map(\.event.kind)
        == [.feedUpdated, .delivered] + Array(repeating: .providerRequest, count: 10))
    try await stage.end()
  }

  @Test("when one refresh is cancelled, a concurrent one completes")
  func cancelled() async throws {
    let gate = Gate()
    let stage = try await Stage([Self.plain("braze")]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    let first = Task { await stage.engagement.refresh(.inbox) }
    await gate.isHolding(1)
    let second = Task { await stage.engagement.refresh(.inbox) }
    while stage.engagement.refresher.waiting(for: "braze", .inbox) < 1 { await Task.yield() }
    first.cancel()
    gate.open()
    #expect(await second.value.providers == ["braze": .fresh])
    guard case .failed(let error)? = await first.value.providers["braze"] else {
      Issue.record("the cancelled refresh has not failed")
      return
    }
    #expect(error.code == .cancelled)
    try await stage.end()
  }

  @Test("a refresh that is cancelled while it reads the settings sends nothing more")
  func cancelledEarly() async throws {
    var vendor = PuppetAdapter(
      "vendor",
      abilities: PuppetAdapter.able.merging([.settings: .request, .events: .request]) { $1 })
    vendor.capabilities.eventKinds = [.sessionStart]
    vendor.capabilities.needsSession = true
    let gate = Gate()
    let stage = try await Stage([vendor]) { _ in
      await gate.pass()
      return .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    let refresh = Task { await stage.engagement.refresh(.cards) }
    await gate.isHolding(1)
    refresh.cancel()
    gate.open()
    _ = await refresh.value
    #expect(stage.asked == ["GET /settings?user=u-1"])
    #expect(try await stage.waiting(for: "vendor", of: "u-1").isEmpty, "no session began")
    try await stage.end()
  }

  // MARK: Prerequisites

  @Test("the kit requests a vendor's settings once for each user session, before other requests")
  func settings() async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    for _ in 0..<2 { _ = await stage.engagement.refresh(.inbox) }
    #expect(stage.transport.lines == ["GET /settings", "GET /inbox", "GET /inbox"])
    try await stage.signIn("u-1")
    stage.transport.forget()
    for _ in 0..<2 { _ = await stage.engagement.refresh(.cards(in: "home")) }
    #expect(stage.transport.lines == ["GET /settings", "GET /cards", "GET /cards"])
    try await stage.end()
  }

  @Test("a failed settings request is reported as the failure of the dependent refresh")
  func settingsFail() async throws {
    var adapter = PuppetAdapter("braze")
    // The vendor allows requests for cards only after its settings.
    adapter.onStep = { operation, _ throws(EngagementError) in
      operation.verb == .cards ? .done([]) : nil
    }
    let isUp = Locked(false)
    let stage = try await Stage([adapter]) { _ in HTTPResponse(isUp.withLock { $0 } ? 200 : 503) }
    guard
      case .failed(let error)? = await stage.engagement.refresh(.cards(in: "home")).providers[
        "braze"]
    else {
      Issue.record("the refresh without settings has not failed")
      return
    }
    #expect(error.code == .unavailable && error.operation == "settings")
    isUp.withLock { $0 = true }
    #expect(await stage.engagement.refresh(.cards(in: "home")).providers == ["braze": .notModified])
    try await stage.end()
  }

  // MARK: Consent and the ledger

  @Test("X20: under denied consent a refresh fails before any request")
  func denied() async throws {
    let stage = try await Stage([PuppetAdapter("braze")])
    let partition = stage.engagement.dependencies.currentUser.userSession.partition
    try await stage.engagement.dependencies.store.setConsent(.denied, of: partition)
    guard case .failed(let error)? = await stage.engagement.refresh(.inbox).providers["braze"]
    else {
      Issue.record("the refresh without consent has not failed")
      return
    }
    #expect(error.code == .consentDenied && stage.transport.requests.isEmpty)
    #expect(
      try await stage.engagement.dependencies.store.entries(after: 0, limit: 10, in: partition)
        .isEmpty)
    try await stage.end()
  }

  @Test("X12: the ledger records how long a refresh took, by the steady clock")
  func duration() async throws {
    let place = Stage.Place()
    let stage = try await Stage([Self.plain("braze")], at: place) { _ in
      place.clock.advance(by: .milliseconds(1_234))
      place.clock.set(to: Date(timeIntervalSince1970: 1_790_000_000))
      return .json(200, "[]")
    }
    _ = await stage.engagement.refresh(.inbox)
    let entries = try await stage.engagement.dependencies.store.entries(after: 0, limit: 10)
    #expect(entries.last?.event.properties == ["operation": "inbox", "milliseconds": 1_234])
    try await stage.end()
  }

  @Test("the ledger records the refresh result of each provider")
  func ledger() async throws {
    let stage = try await Stage([Self.plain("braze"), Self.plain("atomic")]) { request in
      request.isFor("atomic") ? HTTPResponse(503) : .json(200, "[]")
    }
    _ = await stage.engagement.refresh(.inbox)
    let entries = try await stage.engagement.dependencies.store.entries(after: 0, limit: 10)
    let told = Dictionary(uniqueKeysWithValues: entries.map { ($0.event.provider, $0.event) })
    #expect(told["braze"]?.kind == .providerRequest)
    #expect(told["braze"]?.properties == ["operation": "inbox", "milliseconds": 0])
    #expect(told["atomic"]?.kind == .providerFailed)
    #expect(
      told["atomic"]?.properties
        == ["operation": "inbox", "code": "unavailable", "milliseconds": 0])
    try await stage.end()
  }
}
