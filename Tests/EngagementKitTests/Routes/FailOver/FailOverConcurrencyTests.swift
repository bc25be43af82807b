import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestDisk
import Testing

@testable import EngagementKit

@Suite("fail-over beside other work", .timeLimit(.minutes(20)))
struct FailOverConcurrencyTests: FailOverSuite {
  let place = Stage.Place()
  let down = Locked<Set<ProviderID>>([])

  @Test("X9: refreshes at the same time share a request, which fails once")
  func shared() async throws {
    let gate = Gate()
    let isFailing = Locked(false)
    let stage = try await stage(.cards, try Self.route(2)) { request in
      guard isFailing.withLock(\.self), request.isFor("a") else { return .json(200, #"["1"]"#) }
      await gate.pass()
      return HTTPResponse(503)
    }
    try await stage.signIn("u-1", consent: .full)
    let engagement = stage.engagement
    _ = await engagement.refresh(.cards(in: "home"))
    isFailing.withLock { $0 = true }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<10 { group.addTask { _ = await engagement.refresh(.cards(in: "home")) } }
      await gate.isHolding(1)
      while engagement.refresher.waiting(for: "a", .cards(in: nil, matching: [])) < 9 {
        await Task.yield()
      }
      gate.open()
    }
    #expect(asked(stage) == ["a": 2, "b": 0])
    #expect(FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(FailOverSpot.cards.shown(by: engagement) == ["b/1"])
    try await stage.end()
  }

  @Test("X9 G11: of two processes one tries the first choice, and both follow")
  func processes() async throws {
    let route = try Self.route(1)
    let gate = Gate()
    let isTrying = Locked(false)
    let (one, other) = (
      try await stage(.cards, route) { [down] request in
        if request.isFor("a"), isTrying.withLock(\.self) { await gate.pass() }
        return down.withLock { $0.contains("a") } && request.isFor("a")
          ? HTTPResponse(503) : .json(200, #"["1"]"#)
      }, try await stage(.cards, route)
    )
    try await one.signIn("u-1", consent: .full)
    try await other.signIn("u-1", consent: .full)
    let (first, second) = (one.engagement, other.engagement)
    let running = Task { try await second.run() }
    /// Lets time pass until the other process shows the cards of the provider.
    func follows(_ shown: String) async throws {
      for _ in 0..<2_000 where FailOverSpot.cards.shown(by: second) != [shown] {
        try await Task.sleep(for: .milliseconds(2))
        place.clock.advance(by: .milliseconds(10))
      }
      #expect(FailOverSpot.cards.shown(by: second) == [shown])
    }
    _ = await second.refresh(.cards(in: "home"))
    _ = await first.refresh(.cards(in: "home"))
    set(down: ["a"])
    _ = await first.refresh(.cards(in: "home"))
    try await follows("b/1")
    #expect(
      try reader(.cards, route).cards(in: "home").cards.map(\.id.description) == ["b/1"])
    set(down: [])
    place.clock.advance(by: .seconds(30))
    isTrying.withLock { $0 = true }
    let before = asked(other)["a"]
    async let tried = first.refresh(.cards(in: "home"))
    await gate.isHolding(1)
    _ = await second.refresh(.cards(in: "home"))
    #expect(asked(other)["a"] == before)
    gate.open()
    #expect(await tried.isComplete)
    try await follows("a/1")
    running.cancel()
    try await running.value
    try await one.end()
    try await other.end()
  }

  @Test("X9 G11: a process that does not run follows another with its next refresh")
  func notRunning() async throws {
    let route = try Self.route(1)
    let (one, other) = (try await stage(.cards, route), try await stage(.cards, route))
    try await one.signIn("u-1", consent: .full)
    try await other.signIn("u-1", consent: .full)
    _ = await other.engagement.refresh(.cards(in: "home"))
    try await fall(one, .cards, 1)
    #expect(FailOverSpot.cards.shown(by: other.engagement) == ["a/1"])
    #expect(await other.engagement.refresh(.cards(in: "home")).providers == ["b": .fresh])
    #expect(FailOverSpot.cards.shown(by: other.engagement) == ["b/1"])
    #expect(asked(other) == ["a": 1, "b": 1])
    try await one.end()
    try await other.end()
  }

  @Test("X9 G5: an open breaker holds up nothing that is delivered")
  func deliveries() async throws {
    let stage = try await stage(.cards, try Self.route(1)) { [down] request in
      let isDown = down.withLock { $0.contains("a") } && request.isFor("a")
      return isDown && request.method == "GET" ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await fall(stage, .cards, 1)
    try await stage.engagement.perform(.dismiss, on: ItemID("a", "1"), surface: .cards)
    await stage.drain("a")
    #expect(stage.transport.requests.count { $0.method == "POST" && $0.isFor("a") } == 1)
    #expect(try await stage.waiting(for: "a", of: "u-1").isEmpty)
    try await stage.end()
  }

  @Test("X9: another route begins with its first choice, and what failed before is forgotten")
  func otherRoute() async throws {
    let stage = try await stage(.cards, try Self.route(1))
    try await fall(stage, .cards, 1)
    let engagement = stage.engagement
    try await engagement.setRoute(try Self.route(2), for: .cards)
    #expect(FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(asked(stage)["a"] == 3 && FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    try await engagement.resetRoute(for: .cards)
    #expect(FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    try await stage.end()
  }

  @Test("X9: a vendor with containers gets one request when it is tried")
  func containers() async throws {
    let abilities = PuppetAdapter.able.filter { $0.key != .settings }
    let vendors = [
      PuppetAdapter("a", abilities: abilities, hasContainers: true),
      PuppetAdapter("b", abilities: abilities, hasContainers: true),
    ]
    let stage = try await Stage(
      vendors, routes: FailOverSpot.cards.routes(try Self.route(2)),
      containers: ["home": [:], "news": [:], "shop": [:]], at: place
    ) { [down] request in
      down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    #expect(await stage.engagement.refresh(.cards).isComplete)
    #expect(asked(stage) == ["a": 3, "b": 0])
    set(down: ["a"])
    // However many containers fail, a refresh is one failure.
    #expect(await !stage.engagement.refresh(.cards).isComplete)
    #expect(asked(stage) == ["a": 6, "b": 0])
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["a/1"])
    // The second failure opens the breaker: the other containers are not asked for any more.
    _ = await stage.engagement.refresh(.cards)
    #expect(asked(stage) == ["a": 7, "b": 3])
    for container: ContainerID in ["home", "news", "shop"] {
      #expect(
        stage.engagement.cards(in: container).cards.map(\.id.description) == ["b/1"])
    }
    place.clock.advance(by: .seconds(30))
    _ = await stage.engagement.refresh(.cards)
    #expect(asked(stage) == ["a": 8, "b": 6])
    set(down: [])
    place.clock.advance(by: .seconds(30))
    _ = await stage.engagement.refresh(.cards)
    #expect(asked(stage) == ["a": 11, "b": 9])
    #expect(FailOverSpot.cards.shown(by: stage.engagement) == ["a/1"])
    try await stage.end()
  }

  @Test("X9: a container with a route of its own stays with its provider while the others leave it")
  func beside() async throws {
    var routes = FailOverSpot.cards.routes(try Self.route(1))
    routes.containers = ["news": .only("a")]
    let abilities = PuppetAdapter.able.filter { $0.key != .settings }
    let stage = try await Stage(
      ["a", "b"].map { PuppetAdapter($0, abilities: abilities, hasContainers: true) },
      routes: routes, containers: ["home": [:], "news": [:]], at: place
    ) { [down] request in
      down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards)
    set(down: ["a"])
    for _ in 0..<2 { _ = await stage.engagement.refresh(.cards) }
    #expect(stage.engagement.cards(in: "home").cards.map(\.id.description) == ["b/1"])
    #expect(stage.engagement.cards(in: "news").cards.map(\.id.description) == ["a/1"])
    // The container goes on asking its only provider.
    #expect(asked(stage) == ["a": 5, "b": 2])
    try await stage.end()
  }

  @Test("X9: a disk that fails changes nothing of what is shown, and says so")
  func failingDisk() async throws {
    let stage = try await stage(.cards, try Self.route(1))
    try await stage.signIn("u-1", consent: .full)
    let engagement = stage.engagement
    _ = await engagement.refresh(.cards(in: "home"))
    set(down: ["a"])
    _ = try await FaultyDisk.failing(.write, under: place.folder.path) {
      await engagement.refresh(.cards(in: "home"))
    }
    #expect(FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    #expect(
      stage.lines.all.contains {
        $0.level == .warning && $0.message.hasPrefix("The state of a fail-over could not be kept")
      })
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(FailOverSpot.cards.shown(by: engagement) == ["b/1"])
    #expect(try moves() == ["fellThrough a>b failures"])
    try await stage.end()
  }

  @Test("X9: observers see one change, and nothing of the former provider after it")
  func observers() async throws {
    let stage = try await stage(.cards, try Self.route(1))
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let seen = Locked<[[String]]>([])
    _ = stage.engagement.feedPublisher.add(
      .cards(
        "home", matching: [],
        { snapshot in seen.withLock { $0.append(snapshot.feed.cards.map(\.id.description)) } },
        finish: {}))
    set(down: ["a"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(seen.withLock(\.self) == [["a/1"], ["b/1"]])
    try await stage.end()
  }

  @Test("X9: a refresh that is cancelled while it tries the first choice leaves the next one free")
  func cancelled() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = try await stage(.cards, try Self.route(1)) { [down] request in
      if request.isFor("a"), isHeld.withLock(\.self) { await gate.pass() }
      return down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await fall(stage, .cards, 1)
    let engagement = stage.engagement
    set(down: [])
    place.clock.advance(by: .seconds(30))
    isHeld.withLock { $0 = true }
    let refreshing = Task { await engagement.refresh(.cards(in: "home")) }
    await gate.isHolding(1)
    refreshing.cancel()
    gate.open()
    _ = await refreshing.value
    isHeld.withLock { $0 = false }
    place.clock.advance(by: .seconds(30))
    _ = await engagement.refresh(.cards(in: "home"))
    #expect(FailOverSpot.cards.shown(by: engagement) == ["a/1"])
    try await stage.end()
  }

  @Test("X9: a return by hand moves no other route that was set while it asked")
  func returnToOther() async throws {
    let gate = Gate()
    let isHeld = Locked(false)
    let stage = try await stage(.cards, try Self.route(1, .byHand)) { [down] request in
      if request.isFor("a"), isHeld.withLock(\.self) { await gate.pass() }
      return down.withLock { $0.contains("a") } && request.isFor("a")
        ? HTTPResponse(503) : .json(200, #"["1"]"#)
    }
    try await fall(stage, .cards, 1)
    let engagement = stage.engagement
    set(down: [])
    place.clock.advance(by: .seconds(30))
    isHeld.withLock { $0 = true }
    let returning = Task { try await engagement.returnToFirstChoice(of: .cards) }
    await gate.isHolding(1)
    let other = try FailOver(
      failures: 1, within: .seconds(300), coolDown: .seconds(30), returning: .byHand)
    try await engagement.setRoute(.firstReady(["b", "a"], other), for: .cards)
    gate.open()
    await #expect {
      try await returning.value
    } throws: {
      ($0 as? EngagementError)?.code == .conflict
    }
    #expect(FailOverSpot.cards.shown(by: engagement) == ["b/1"])
    #expect(try moves() == ["fellThrough a>b failures"])
    try await stage.end()
  }
}
