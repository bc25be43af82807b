import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import TestDisk
import Testing

@testable import EngagementKit

@Suite("exposures to the arms of experiments", .timeLimit(.minutes(20))) struct ExposureTests {
  private typealias Setup = ExperimentStage
  private let place = Stage.Place()

  private func observe(_ stage: Stage) {
    _ = stage.engagement.feedPublisher.add(
      .cards("home", matching: [], { _ in }, finish: {}))
  }

  @Test(
    "X11: an exposure belongs to the commit that makes the arm's feed visible to an observer",
    arguments: [#"["1"]"#, "[]"])
  func withItsCommit(body: String) async throws {
    let split = try Setup.split()
    let gate = Gate()
    let stage = try await Setup.open(Setup.routes(split), at: place, Setup.vendors) { _ in
      await gate.pass()
      return .json(200, body)
    }
    try await stage.signIn(Setup.user(.arm("a"), of: split), consent: .full)
    observe(stage)
    let engagement = stage.engagement
    async let refreshed = engagement.refresh(.cards(in: "home"))
    await gate.isHolding(1)
    await engagement.exposures.record()
    #expect(try place.experiments() == ["assigned e 1 a"])
    gate.open()
    _ = await refreshed
    // No `record()` in between: it is there with the feed.
    #expect(try place.experiments() == ["assigned e 1 a", "exposed e 1 a"])
    await stage.refresh()
    try await stage.end()
    #expect(try place.experiments().count == 2)
  }

  @Test("X11: a commit that fails records no exposure, and the next one does")
  func failingDisk() async throws {
    let split = try Setup.split()
    let stage = try await Setup.open(Setup.routes(split), at: place)
    let user = Setup.user(.arm("a"), of: split)
    try await stage.signIn(user, consent: .full)
    observe(stage)
    try await FaultyDisk.failing(.write, under: place.folder.path) {
      _ = await stage.engagement.refresh(.cards(in: "home"))
    }
    #expect(try place.experiments() == ["assigned e 1 a"])
    #expect(stage.engagement.cards(in: "home").cards.isEmpty)
    _ = await stage.engagement.refresh(.cards(in: "home"))
    #expect(try place.experiments() == ["assigned e 1 a", "exposed e 1 a"])
    #expect(try await stage.kept("a", for: user, in: Feed(.cards, in: "home")).count == 2)
    try await stage.end()
  }

  @Test("X11: reading writes nothing; the exposure is durable before the vendor is asked again")
  func reading() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let first = try await Setup.open(Setup.routes(split), at: place)
    try await first.signIn(user, consent: .full)
    // Nobody looks.
    _ = await first.engagement.refresh(.cards(in: "home"))
    try await first.end()
    #expect(try place.experiments() == ["assigned e 1 a"])
    let recorded = Locked<[[String]]>([])
    let later = try await Setup.open(Setup.routes(split), at: place, Setup.vendors) { [place] _ in
      let found = (try? place.experiments()) ?? []
      recorded.withLock { $0.append(found) }
      return .json(200, "[]")
    }
    let files = [place.path, place.path + "-wal"].map { try? Stage.bytes(at: $0) }
    #expect(later.engagement.cards(in: "home").cards.count == 2)
    #expect([place.path, place.path + "-wal"].map { try? Stage.bytes(at: $0) } == files)
    #expect(try place.experiments() == ["assigned e 1 a"])
    try await later.signIn(user)
    _ = await later.engagement.refresh(.cards(in: "home"))
    let both = ["assigned e 1 a", "exposed e 1 a"]
    #expect(recorded.withLock { $0.allSatisfy { $0 == both } && !$0.isEmpty })
    try await later.end()
    #expect(try place.experiments() == both)
  }

  @Test("X11: what was seen and not yet recorded at a kill is recorded when it is seen again, once")
  func kill() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let first = try await Setup.open(Setup.routes(split), at: place)
    try await first.signIn(user, consent: .full)
    _ = await first.engagement.refresh(.cards(in: "home"))
    _ = first.engagement.cards(in: "home")
    // Killed: nothing is closed.
    for run in 0..<3 {
      let next = try await Setup.open(Setup.routes(split), at: place)
      #expect(next.engagement.cards(in: "home").cards.count == 2)
      if run > 0 { await next.engagement.exposures.record() }
      #expect(try place.experiments().count == (run > 0 ? 2 : 1))
    }
    try await first.end()
    #expect(try place.experiments() == ["assigned e 1 a", "exposed e 1 a"])
  }

  @Test(
    "X11: two processes record an exposure once, whichever sees the arm first",
    arguments: [("a", false), ("a", true), ("none", false), ("none", true)])
  func twoProcesses(arm: String, isSecondFirst: Bool) async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm(arm), of: split)
    let stages = [
      try await Setup.open(Setup.routes(split), at: place),
      try await Setup.open(Setup.routes(split), at: place),
    ]
    for stage in stages {
      try await stage.signIn(user, consent: .full)
      observe(stage)
    }
    for stage in isSecondFirst ? stages.reversed() : stages {
      await stage.refresh()
      await stage.engagement.exposures.record()
      #expect(try place.experiments() == ["assigned e 1 \(arm)", "exposed e 1 \(arm)"])
    }
    for stage in stages { try await stage.end() }
    #expect(try place.experiments().count == 2)
  }

  @Test("X11: the emptiness of an empty arm is seen by somebody who looks, while it runs")
  func emptyArm() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("none"), of: split)
    let stage = try await Setup.open(Setup.routes(split), at: place)
    try await stage.signIn(user, consent: .full)
    await stage.engagement.exposures.record()
    #expect(try place.experiments() == ["assigned e 1 none"])
    let running = Task { try await stage.engagement.run() }
    #expect(stage.engagement.inbox.messages.isEmpty)
    for _ in 0..<2_000 where try place.experiments().count < 2 {
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try place.experiments() == ["assigned e 1 none", "exposed e 1 none"])
    running.cancel()
    try await running.value
    try await stage.end()
  }

  @Test("X11: each person is recorded in the ledger of that person, over changes of user")
  func people() async throws {
    let split = try Setup.split()
    let users = ["a", "b", "both", "none"].map { Setup.user(.arm($0), of: split) }
    let stage = try await Setup.open(Setup.routes(split), at: place)
    observe(stage)
    for _ in 0..<2 {
      for user in users {
        try await stage.signIn(user, consent: .full)
        await stage.refresh()
      }
    }
    try await stage.end()
    for (user, arm) in zip(users, ["a", "b", "both", "none"]) {
      #expect(try place.experiments(user) == ["assigned e 1 \(arm)", "exposed e 1 \(arm)"])
    }
  }

  @Test("X11: a purge forgets no exposure, so that the person is not exposed twice")
  func purge() async throws {
    let split = try Setup.split()
    let user = Setup.user(.arm("a"), of: split)
    let stage = try await Setup.open(Setup.routes(split), at: place)
    for _ in 0..<2 {
      try await stage.signIn(user, consent: .full)
      observe(stage)
      await stage.refresh()
      _ = try await stage.engagement.signOut(purgesCache: true)
    }
    #expect(try place.experiments(user) == ["assigned e 1 a", "exposed e 1 a"])
    try await stage.end()
  }
}
