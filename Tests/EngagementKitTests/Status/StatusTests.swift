import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("status", .timeLimit(.minutes(20))) struct StatusTests: FailOverSuite {
  let place = Stage.Place()
  let down = Locked<Set<ProviderID>>([])

  private func status(
    of surface: Engagement.Surface, in container: ContainerID? = nil, _ stage: Stage
  ) async throws -> SurfaceStatus {
    let surfaces = try await stage.engagement.status()
    return try #require(surfaces.first { $0.surface == surface && $0.container == container })
  }

  /// `provider state` of each, with a star where it is shown.
  private func words(_ status: SurfaceStatus) -> [String] {
    status.providers.map { "\($0.provider)\($0.isShown ? "*" : "") \($0.state.name)" }
  }

  private static let merge = Route.merge(["a", "b"])

  @Test(
    "X3 X19: a surface is as its worst provider, not its best, with what is shown meanwhile",
    arguments: [FailOverSpot.cards, .inbox])
  func worst(spot: FailOverSpot) async throws {
    let surface: Engagement.Surface = spot == .inbox ? .inbox : .cards
    let stage = try await stage(spot, Self.merge)
    try await stage.signIn("u-1", consent: .full)
    var found = try await status(of: surface, stage)
    #expect(found.state == .unknown && words(found) == ["a* unknown", "b* unknown"])
    set(down: ["b"])
    _ = await stage.engagement.refresh(spot.target)
    found = try await status(of: surface, stage)
    #expect(found.state?.name == "failed" && words(found) == ["a* fresh", "b* failed"])
    #expect(found.providers.map(\.refreshedAt) == [place.clock.now, nil])
    set(down: [])
    _ = await stage.engagement.refresh(spot.target)
    #expect(try await status(of: surface, stage).state == .fresh)
    let date = place.clock.now
    place.clock.advance(by: .seconds(60))
    set(down: ["b"])
    _ = await stage.engagement.refresh(spot.target)
    found = try await status(of: surface, stage)
    guard case .stale(date, let error)? = found.state else {
      Issue.record("\(found)")
      return
    }
    #expect(error.code == .unavailable && error.provider == "b")
    #expect(words(found) == ["a* fresh", "b* stale"])
    #expect(found.providers.map(\.refreshedAt) == [place.clock.now, date])
    try await stage.end()
  }

  @Test("X3: a failure counts in every process and over restarts, until the request is answered")
  func restart() async throws {
    let first = try await stage(.cards, Self.merge)
    try await first.signIn("u-1", consent: .full)
    _ = await first.engagement.refresh(.cards(in: "home"))
    set(down: ["b"])
    let second = try await stage(.cards, Self.merge)
    _ = await second.engagement.refresh(.cards(in: "home"))
    #expect(words(try await status(of: .cards, first)) == ["a* fresh", "b* stale"])
    try await second.end()
    try await first.end()
    let third = try await stage(.cards, Self.merge)
    #expect(words(try await status(of: .cards, third)) == ["a* fresh", "b* stale"])
    #expect(try await status(of: .cards, third).state?.error?.message == "The vendor is down.")
    set(down: [])
    _ = await third.engagement.refresh(.cards(in: "home"))
    #expect(try await status(of: .cards, third).state == .fresh)
    try await third.end()
  }

  @Test("X3 X8: one user's failures are not another's")
  func users() async throws {
    let stage = try await stage(.cards, Self.merge)
    try await stage.signIn("u-1", consent: .full)
    set(down: ["a", "b"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(try await status(of: .cards, stage).state?.name == "failed")
    try await stage.signIn("u-2", consent: .full)
    #expect(try await status(of: .cards, stage).state == .unknown)
    try await stage.end()
  }

  @Test("X9: a provider that was replaced counts, and one that waits to take over does not")
  func failOver() async throws {
    let stage = try await stage(.cards, try Self.route())
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    var found = try await status(of: .cards, stage)
    #expect(found.state == .fresh && found.replaced == nil)
    #expect(words(found) == ["a* fresh", "b unknown"])
    set(down: ["a"])
    for _ in 0..<3 { _ = await stage.engagement.refresh(.cards(in: "home")) }
    found = try await status(of: .cards, stage)
    #expect(words(found) == ["a stale", "b* fresh"])
    #expect(found.state?.name == "stale" && found.replaced == "a")
    try await stage.end()
  }

  @Test("X2: a container with a route of its own has a status of its own")
  func container() async throws {
    let stage = try await Stage(
      Self.vendors,
      routes: Routes(cards: .only("a"), inbox: .none, containers: ["news": .only("b")]),
      at: place
    ) { [down] request in
      down.withLock { all in all.contains { request.isFor($0) } }
        ? HTTPResponse(503) : .json(200, "[]")
    }
    try await stage.signIn("u-1", consent: .full)
    set(down: ["b"])
    _ = await stage.engagement.refresh(.cards)
    #expect(words(try await status(of: .cards, stage)) == ["a* fresh"])
    #expect(words(try await status(of: .cards, in: "news", stage)) == ["b* failed"])
    #expect(try await status(of: .inbox, stage).state == nil)
    try await stage.engagement.setRoute(.only("a"), for: .cards, in: "news")
    #expect(words(try await status(of: .cards, in: "news", stage)) == ["a* fresh"])
    try await stage.end()
  }

  @Test("X3 X20: what keeps a vendor from being asked is told without a request")
  func obstacles() async throws {
    var known = Self.plain("b")
    known.capabilities.needsUser = true
    let stage = try await Stage(
      [Self.plain("a"), known], routes: Routes(cards: Self.merge, inbox: .none), at: place
    ) { request in
      request.isFor("a") ? HTTPResponse(429) : .json(200, "[]")
    }
    #expect(words(try await status(of: .cards, stage)) == ["a* unknown", "b* failed"])
    #expect(try await status(of: .cards, stage).state?.error?.code == .signedOut)
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let until = place.clock.now.addingTimeInterval(60)
    #expect(try await status(of: .cards, stage).state == .throttled(until: until))
    try await stage.engagement.setConsent(.denied)
    let denied = try await status(of: .cards, stage)
    #expect(denied.providers.map { $0.state.error?.code } == [.consentDenied, .consentDenied])
    #expect(words(denied) == ["a* failed", "b* stale"])
    try await stage.end()
  }

  @Test("X16: the status of pushes is that of the tokens, and of persons that all was told")
  func told() async throws {
    let stage = try await stage(.cards, Self.merge)
    try await stage.signIn("u-1", consent: .full)
    #expect(try await status(of: .push, stage).state == .unknown)
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    var update = PersonUpdate()
    update.email = "x@example.com"
    try await stage.engagement.updatePerson(update)
    #expect(try await status(of: .push, stage).state == .pending)
    #expect(try await status(of: .person, stage).state == .pending)
    await stage.drain("a", "b")
    #expect(words(try await status(of: .push, stage)) == ["a* fresh", "b* fresh"])
    #expect(try await status(of: .person, stage).state == .fresh)
    try await stage.end()
  }

  @Test("X3: a late reader gets the present status first, and then one for each change")
  func updates() async throws {
    let stage = try await stage(.cards, Self.merge)
    try await stage.signIn("u-1", consent: .full)
    set(down: ["b"])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let present = try await stage.engagement.status()
    var late = stage.engagement.statusUpdates().makeAsyncIterator()
    #expect(await late.next() == present)
    // Nothing that the status depends on: no value follows.
    _ = await stage.engagement.refresh(.cards(in: "home"))
    set(down: [])
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let next = try #require(await late.next())
    #expect(next.first { $0.surface == .cards }?.state == .fresh)
    try await stage.engagement.setRoute(.only("a"), for: .cards)
    let routed = try #require(await late.next())
    #expect(routed.first { $0.surface == .cards }?.providers.map(\.provider) == ["a"])
    try await stage.end()
    #expect(await late.next() == nil)
  }

  @Test("X3: the end of a pause is told when it comes")
  func pause() async throws {
    let stage = try await Stage(
      [Self.plain("a")], routes: Routes(cards: .only("a"), inbox: .none), at: place
    ) { _ in HTTPResponse(429) }
    try await stage.signIn("u-1", consent: .full)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    var updates = stage.engagement.statusUpdates().makeAsyncIterator()
    #expect(await updates.next()?.first?.state?.name == "throttled")
    async let next = updates.next()
    await place.clock.sleepers(1)
    place.clock.advance(by: .seconds(61))
    #expect(await next?.first?.state == .unknown)
    try await stage.end()
  }
}
