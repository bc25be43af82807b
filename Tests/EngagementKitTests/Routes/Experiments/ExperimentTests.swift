import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("experiments between vendors", .timeLimit(.minutes(20))) struct ExperimentTests {
  private typealias Setup = ExperimentStage
  private let place = Stage.Place()

  @Test(
    "X11: cards and inbox are those of the person's arm, and no other vendor is asked",
    arguments: [
      ("a", ["a"]), ("b", ["b"]), ("both", ["a", "b"]), ("none", []),
    ])
  func arms(arm: String, vendors: [String]) async throws {
    let split = try Setup.split()
    let stage = try await Setup.open(Setup.routes(split), at: place)
    let user = Setup.user(.arm(arm), of: split)
    try await stage.signIn(user, consent: .full)
    #expect(try place.experiments() == ["assigned e 1 \(arm)"])
    await stage.refresh()
    #expect(Set(stage.shown) == Set(vendors))
    #expect(stage.shown.count == 4 * vendors.count)
    let others = ["a", "b", "c"].filter { !vendors.contains($0) }
    for other in others {
      #expect(!stage.transport.requests.contains { $0.isFor(ProviderID(other)) })
    }
    try await stage.end()
  }

  @Test("X11: an arm holds over restarts, other weights and other versions, recorded once for each")
  func sticky() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let designs = [
      split, split, try Setup.split(weights: [0, 5, 5, 5]),
      try Setup.split(version: 2, weights: [0, 1, 1, 1]), try Setup.split(weights: [0, 0, 0, 1]),
    ]
    for design in designs {
      let stage = try await Setup.open(Setup.routes(design), at: place)
      try await stage.signIn(user, consent: .full)
      await stage.refresh()
      #expect(Set(stage.shown) == ["a"])
      try await stage.end()
    }
    #expect(
      try place.experiments(user) == [
        "assigned e 1 a", "exposed e 1 a", "assigned e 2 a", "exposed e 2 a",
      ])
  }

  @Test("X11: arms that are renamed and renamed back under one version are recorded once")
  func renamed() async throws {
    let split = try Setup.split()
    let renamed = try Engagement.Split(
      "e", arms: [.init("x", providers: ["b"]), .init("y", providers: ["c"])])
    let user = Setup.user(.arm("a"), of: split)
    for design in [split, renamed, split, renamed] {
      let stage = try await Setup.open(Setup.routes(design), at: place)
      try await stage.signIn(user, consent: .full)
      await stage.refresh()
      #expect(design != split || Set(stage.shown) == ["a"])
      #expect(!stage.shown.isEmpty)
      try await stage.end()
    }
    #expect(try place.experiments(user) == ["assigned e 1 a", "exposed e 1 a"])
  }

  @Test("X11: people outside and held out get the others' providers; only the latter are recorded")
  func heldOut() async throws {
    let split = try Setup.split(
      layer: .init("l", slots: 0..<5_000), holdOut: .init("h", share: 0.3))
    for (standing, events) in [
      (Engagement.Split.Standing.outside, []),
      (.heldOut, ["assigned e 1 hold-out", "exposed e 1 hold-out"]),
    ] {
      let stage = try await Setup.open(Setup.routes(split), at: place)
      let user = Setup.user(standing, of: split)
      try await stage.signIn(user, consent: .full)
      await stage.refresh()
      #expect(Set(stage.shown) == ["c"])
      try await stage.end()
      #expect(try place.experiments(user) == events)
    }
  }

  @Test("X11: without an id the installation has the arm, also for a reader in another process")
  func anonymous() async throws {
    let split = try Setup.split(
      weights: [1, 1, 0, 0], layer: .init("l", slots: 0..<9_999))
    let stage = try await Setup.open(Setup.routes(split), at: place)
    let arm = try #require(split.standing(of: Device.test.id).arm)
    await stage.refresh()
    #expect(Set(stage.shown) == [arm])
    try await stage.engagement.setConsent(.full)
    #expect(try place.experiments().contains("assigned e 1 \(arm)"))
    for user in [User.anonymous] + Setup.users(.arm("a"), of: split, 2)
      + Setup.users(.arm("b"), of: split, 2)
    {
      if !user.isAnonymous { try await stage.signIn(user) }
      await stage.refresh()
      let reader = try EngagementReader.open(
        at: place, Setup.vendors, routes: Setup.routes(split))
      #expect(try reader.cards(in: "home").cards == stage.engagement.cards(in: "home").cards)
      #expect(try reader.inbox().messages == stage.engagement.inbox.messages)
    }
    try await stage.end()
  }

  @Test("X11: a change of user gives the arm of the other user in the same step as the feeds")
  func otherUser() async throws {
    let split = try Setup.split()
    let (first, second) = (
      Setup.user(.arm("a"), of: split), Setup.user(.arm("b"), of: split)
    )
    let stage = try await Setup.open(Setup.routes(split), at: place)
    let seen = Locked<[(user: User, vendors: Set<String>)]>([])
    let publisher = stage.engagement.feedPublisher
    for user in [first, second, first] {
      try await stage.signIn(user, consent: .full)
      // Nothing comes between the sign-in and the arm: the first refresh asks the right vendor.
      let before = stage.transport.requests.count
      await stage.refresh()
      let asked = stage.transport.requests.dropFirst(before)
      #expect(asked.allSatisfy { $0.isFor(user == first ? "a" : "b") } && !asked.isEmpty)
      _ = publisher.add(
        .cards(
          "home", matching: [],
          { snapshot in
            let vendors =
              snapshot.feed.cards.map(\.id.provider.rawValue)
              + snapshot.feed.freshness.keys.map(\.rawValue)
            seen.withLock { $0.append((stage.engagement.user, Set(vendors))) }
          }, finish: {}))
    }
    let wrong = seen.withLock(\.self).filter { $0.vendors != [$0.user == first ? "a" : "b"] }
    #expect(wrong.isEmpty, "\(wrong)")
    try await stage.end()
  }

  @Test("X11: a route that is set at run time shows the arm in one step, also in another process")
  func setRoute() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("b"), of: split)
    let onlyC = Routes(cards: .only("c"), inbox: .only("c"))
    let stage = try await Setup.open(onlyC, at: place)
    let other = try await Setup.open(onlyC, at: place)
    for stage in [stage, other] { try await stage.signIn(user, consent: .full) }
    for stage in [stage, other] { await stage.refresh() }
    let seen = Locked<[Set<String>]>([])
    for stage in [stage, other] {
      _ = stage.engagement.feedPublisher.add(
        .cards(
          "home", matching: [],
          { snapshot in
            seen.withLock { $0.append(Set(snapshot.feed.freshness.keys.map(\.rawValue))) }
          }, finish: {}))
    }
    try await stage.engagement.setRoute(.split(split), for: .cards)
    await other.engagement.routeChanges.follow()
    #expect(seen.withLock(\.self) == [["c"], ["c"], ["b"], ["b"]])
    #expect(try place.experiments() == ["assigned e 1 b"])
    _ = await other.engagement.refresh(.cards(in: "home"))
    #expect(other.engagement.cards(in: "home").cards.map(\.id.provider) == ["b", "b"])
    #expect(try place.experiments() == ["assigned e 1 b", "exposed e 1 b"])
    for stage in [stage, other] { try await stage.end() }
  }

  @Test("X11 X20: without consent nothing is kept or recorded, and the person sees the same arm")
  func consent() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let stage = try await Setup.open(Setup.routes(split), at: place)
    try await stage.signIn(user, consent: .denied)
    await stage.refresh()
    let partition = try await stage.engagement.dependencies.store.partition(
      of: user, at: stage.clock.now)
    #expect(try await stage.engagement.dependencies.store.assignments(of: partition).isEmpty)
    #expect(stage.engagement.feedPublisher.plans[.inbox]?.shown == ["a"])
    try await stage.engagement.setConsent(.essential)
    #expect(
      try await stage.engagement.dependencies.store.assignments(of: partition).map(\.arm) == ["a"])
    #expect(Set(stage.shown) == ["a"] || stage.shown.isEmpty)
    #expect(try place.experiments(user).isEmpty)
    await stage.refresh()
    #expect(Set(stage.shown) == ["a"])
    #expect(try place.experiments(user).isEmpty)
    // What was seen before the consent is recorded once it is there.
    try await stage.engagement.setConsent(.full)
    #expect(try place.experiments(user) == ["assigned e 1 a", "exposed e 1 a"])
    try await stage.end()
    #expect(try place.experiments(user).count == 2)
  }

  @Test(
    "X11 X20 G8: what a person saw is recorded once another process has the consent",
    arguments: [Consent.unknown, .essential])
  func consentElsewhere(before: Consent) async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let stage = try await Setup.open(Setup.routes(split), at: place)
    try await stage.signIn(user, consent: before)
    let running = Task { try await stage.engagement.run() }
    await stage.refresh()
    #expect(Set(stage.shown) == ["a"])
    // The other process has no experiment of its own.
    let other = try await Setup.open(Routes(cards: .none, inbox: .none), at: place)
    try await other.signIn(user)
    place.clock.advance(by: .seconds(2))
    #expect(try place.experiments(user).isEmpty)
    try await other.engagement.setConsent(.full)
    for _ in 0..<200 where try place.experiments(user).count < 2 {
      place.clock.advance(by: .milliseconds(100))
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try place.experiments(user) == ["assigned e 1 a", "exposed e 1 a"])
    running.cancel()
    try await running.value
    for stage in [stage, other] { try await stage.end() }
    #expect(try place.experiments(user).count == 2)
  }

  @Test("X11 X16: the push token goes to the vendor of the arm, and moves with a change of user")
  func push() async throws {
    let split = try Setup.split()
    let (first, second, third) = (
      Setup.user(.arm("a"), of: split), Setup.user(.arm("b"), of: split),
      Setup.user(.arm("none"), of: split)
    )
    var routes = Routes(cards: .none, inbox: .none)
    routes.push = .split(split)
    let stage = try await Setup.open(routes, at: place)
    func sent() -> [String] {
      stage.transport.requests.compactMap { request in
        let target = (try? request.target())?.path ?? ""
        guard target.contains("ush") else { return nil }
        return "\(["a", "b", "c"].first { request.isFor(ProviderID($0)) } ?? "?") \(target)"
      }
    }
    try await stage.signIn(first, consent: .full)
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0aff"), service: .apns))
    #expect(try place.experiments() == ["assigned e 1 a", "exposed e 1 a"])
    await stage.drain("a", "b", "c")
    let verb = EngagementAdapterAPI.Operation.Verb.registerPush.rawValue
    let back = EngagementAdapterAPI.Operation.Verb.unregisterPush.rawValue
    #expect(sent() == ["a /\(verb)"])
    try await stage.signIn(second, consent: .full)
    await stage.drain("a", "b", "c")
    #expect(sent() == ["a /\(verb)", "a /\(back)", "b /\(verb)"])
    try await stage.signIn(third, consent: .full)
    await stage.drain("a", "b", "c")
    #expect(sent() == ["a /\(verb)", "a /\(back)", "b /\(verb)", "b /\(back)"])
    // Nobody is told of a token in the empty arm, and the person is exposed to that.
    try await stage.engagement.registerPush(
      PushRegistration(token: Secret("0bff"), service: .apns))
    await stage.drain("a", "b", "c")
    #expect(sent().count == 4)
    #expect(try place.experiments() == ["assigned e 1 none", "exposed e 1 none"])
    try await stage.end()
  }

  @Test("X11 C7: campaigns of the arm's vendor are presented, and the exposure is there before")
  func templates() async throws {
    let split = try Engagement.Split(
      "t", arms: [.init("with", providers: ["p"]), .init("without", providers: [])])
    let stage = try await CampaignStage(at: place, signsIn: false)
    try await stage.engagement.setRoute(.split(split), for: .templates)
    for (arm, lines) in [("with", ["show offer c-1"]), ("without", [])] {
      try await stage.stage.signIn(Setup.user(.arm(arm), of: split), consent: .full)
      await stage.settle()
      if arm == "with" { #expect(try place.experiments() == ["assigned t 1 with"]) }
      try await stage.list(.due("c-1", on: "paid"))
      await stage.settle()
      #expect(try place.experiments() == ["assigned t 1 \(arm)", "exposed t 1 \(arm)"])
      let before = stage.presenter.lines.count
      try await stage.engagement.track("paid")
      await stage.settle()
      #expect(Array(stage.presenter.lines.dropFirst(before)) == lines)
      stage.presenter["c-1"]?.dismissed()
      await stage.settle()
    }
    try await stage.stage.end()
  }

  @Test("X11: another version that was set for two surfaces holds after a restart")
  func versionsSet() async throws {
    let (first, second) = (try Setup.split(), try Setup.split(version: 2))
    let stage = try await Setup.open(Setup.routes(first), at: place)
    try await stage.engagement.setRoute(.none, for: .cards)
    try await stage.engagement.setRoute(.split(second), for: .inbox)
    // The configured one has another version now than the inbox.
    await #expect {
      try await stage.engagement.resetRoute(for: .cards)
    } throws: {
      ($0 as? EngagementError)?.code == .invalidConfiguration
    }
    try await stage.engagement.setRoute(.split(second), for: .cards)
    try await stage.engagement.setRoute(.none, for: .events)
    #expect(stage.engagement.routes.inbox == .split(second))
    try await stage.end()
    let later = try await Setup.open(Setup.routes(first), at: place)
    #expect(later.engagement.routes.cards == .split(second))
    #expect(later.engagement.routes.inbox == .split(second))
    try await later.end()
  }
}
