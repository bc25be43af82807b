import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// When a candidate is read, and what its failures change.
@Suite("when a shadow reads", .timeLimit(.minutes(20))) struct ShadowRateTests: ShadowSuite {
  let place = Stage.Place()
  let answers = Locked<[ProviderID: HTTPResponse]>([:])

  private func fill() {
    set(#"["1.k"]"#, at: "a")
    set(#"["x.k"]"#, at: "b")
  }

  @Test(
    "X10: a candidate is read no more often than its interval, over restarts and jumps of the clock"
  )
  func interval() async throws {
    fill()
    let stage = try await signedIn()
    _ = try await compare(stage)
    for _ in 0..<5 { #expect(try await compare(stage).comparisons == 1) }
    place.clock.set(to: place.clock.now.addingTimeInterval(400 * 86_400))
    place.clock.advance(by: .seconds(899))
    #expect(try await compare(stage).comparisons == 1 && asked(stage) == 1)
    try await stage.end()
    let second = try await self.stage()
    #expect(try await compare(second).comparisons == 1 && asked(second) == 0)
    place.clock.advance(by: .seconds(1))
    #expect(try await compare(second).comparisons == 2 && asked(second) == 1)
    try await second.end()
  }

  @Test("X10: a long interval ends on a machine that is started each day, after few writes")
  func dailyStarts() {
    let reading = ShadowReading(
      candidate: "b", feed: .inbox, spots: [], interval: .seconds(12 * 3_600))
    var (kept, due, writes): (JSON?, [Int], Int) = (nil, [], 0)
    for day in 0..<4 {
      for minute in 0..<480 {
        // Each day the first refresh comes a little later than on the day before.
        let found = reading.claim(after: kept, at: .seconds(100 + day + minute * 60))
        if found.isDue { due.append(day) }
        if let new = found.kept { (kept, writes) = (new, writes + 1) }
      }
    }
    #expect(due == [0, 1, 2, 3])
    #expect(writes == 4 * 96)
    for spoilt: JSON in [7, ["asked": 1], ["asked": 9, "seen": 3], ["asked": "1", "seen": "2"]] {
      #expect(reading.claim(after: spoilt, at: .seconds(1)).isDue)
    }
  }

  @Test("X10: two openings of one cache share the interval")
  func processes() async throws {
    fill()
    let (stage, other) = (try await signedIn(), try await self.stage())
    _ = await stage.engagement.refresh(.cards)
    _ = await other.engagement.refresh(.cards)
    async let first = stage.engagement.compareShadows()
    async let second = other.engagement.compareShadows()
    _ = try await (first, second)
    #expect(asked(stage) + asked(other) == 1)
    try await other.end()
    try await stage.end()
  }

  @Test("X10: a candidate is not read when what is shown was not refreshed")
  func staleShown() async throws {
    fill()
    let stage = try await signedIn()
    #expect(try await stage.engagement.compareShadows().map(\.comparisons) == [0])
    set(503, at: "a")
    _ = await stage.engagement.refresh(.cards)
    _ = await stage.engagement.refresh(.inbox)
    #expect(try await stage.engagement.compareShadows().map(\.comparisons) == [0])
    #expect(asked(stage) == 0)
    try await stage.end()
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var response: HTTPResponse
    var code: EngagementError.Code
  }

  static let faults = [
    Fault(testDescription: "down", response: HTTPResponse(503), code: .unavailable),
    Fault(testDescription: "throttled", response: HTTPResponse(429), code: .rateLimited),
    Fault(testDescription: "refused", response: HTTPResponse(404), code: .notFound),
    Fault(testDescription: "unauthenticated", response: HTTPResponse(401), code: .unauthenticated),
    Fault(testDescription: "unchanged", response: HTTPResponse(304), code: .unsupported),
  ]

  @Test("X10: a candidate that fails changes nothing of what is shown", arguments: faults)
  func failures(fault: Fault) async throws {
    fill()
    answers.withLock { $0["b"] = fault.response }
    let stage = try await signedIn()
    #expect(await stage.engagement.refresh(.cards).providers == ["a": .fresh])
    let report = try #require(try await stage.engagement.compareShadows().first)
    #expect(report.failures == 1 && report.failure == fault.code && report.comparisons == 0)
    #expect(report.failedAt == place.clock.now)
    #expect(ShadowSpotKind.cards.shown(by: stage.engagement) == ["a/1.k"])
    #expect(try reader().events().allSatisfy { $0.kind != .providerFailed })
    // It answers again.
    fill()
    place.clock.advance(by: .seconds(8_000))
    let next = try await compare(stage)
    #expect(next.comparisons == 1 && next.failures == 1 && next.failure == nil)
    try await stage.end()
  }

  @Test("X10: a pause that a candidate asks for holds beyond its interval")
  func throttled() async throws {
    fill()
    set(429, at: "b")
    let stage = try await signedIn()
    _ = await stage.engagement.refresh(.cards)
    _ = try await stage.engagement.compareShadows()
    fill()
    place.clock.advance(by: .seconds(900))
    #expect(try await compare(stage).failures == 2 && asked(stage) == 1)
    place.clock.advance(by: .seconds(7_000))
    #expect(try await compare(stage).comparisons == 1 && asked(stage) == 2)
    try await stage.end()
  }

  @Test("X10: a candidate that hangs holds up no refresh, and is given up")
  func hanging() async throws {
    fill()
    let (reached, go) = (AsyncSignal(), AsyncSignal())
    let script: ScriptedTransport.Script = { (request) async throws(EngagementError) in
      guard request.isFor("b") else { return .json(200, #"["1.k"]"#) }
      reached.fire()
      await go.wait(after: 0)
      throw EngagementError(.cancelled, "It was cancelled.")
    }
    let stage = try await signedIn(script: script)
    let engagement = stage.engagement
    #expect(await engagement.refresh(.cards).isComplete)
    async let compared = engagement.compareShadows()
    await reached.wait(after: 0)
    for _ in 0..<3 { #expect(await engagement.refresh(.cards).isComplete) }
    #expect(ShadowSpotKind.cards.shown(by: engagement) == ["a/1.k"])
    await place.clock.sleepers(1)
    place.clock.advance(by: Shadows.patience)
    #expect(try await compared.map(\.failure) == [.deadlineExceeded])
    try await stage.end()
  }

  @Test("X10: what a candidate answers instead of a list is a failure")
  func garbage() async throws {
    fill()
    var vendors = Self.vendors
    vendors[1].onAnswer = { operation, _, _ in
      operation.verb == .cards ? .retry(.malformedResponse, "It is no list.") : nil
    }
    let stage = try await signedIn(vendors: vendors)
    let report = try await compare(stage)
    #expect(report.failure == .malformedResponse && report.comparisons == 0)
    try await stage.end()
  }

  @Test("X10: a wrong shadow is refused when it is set, and one whose reading changes something")
  func refused() async throws {
    var vendors = Self.vendors
    vendors[1].capabilities.abilities[.inbox]?.readingHasSideEffects = true
    let stage = try await stage(.cards, .only("a"), vendors: vendors)
    let engagement = stage.engagement
    try await engagement.setRoute(Self.route(), for: .cards)
    let fault = await failure { try await engagement.setRoute(Self.route(), for: .inbox) }
    #expect(fault?.code == .invalidConfiguration)
    #expect(fault?.message.contains("reading inbox changes something there") == true)
    try await stage.end()
  }
}
