import EngagementModel
import TestSupport
import Testing

@testable import EngagementKit

@Suite("breaker") struct BreakerTests {
  private static func rules(
    _ failures: Int = 3, _ window: Duration = .seconds(300), _ coolDown: Duration = .seconds(30)
  ) throws -> FailOver {
    try FailOver(failures: failures, within: window, coolDown: coolDown)
  }

  private func breaker(
    failingAt times: [Int], _ rules: FailOver
  ) -> Breaker {
    times.reduce(into: Breaker()) { $0.note(.failed, at: .seconds($1), under: rules) }
  }

  @Test("X9: a breaker opens by failures within the window, and by no fewer")
  func opens() throws {
    let rules = try Self.rules()
    #expect(breaker(failingAt: [0, 10], rules).isClosed)
    #expect(!breaker(failingAt: [0, 10, 299], rules).isClosed)
    // The first is out of the window when the third comes.
    #expect(breaker(failingAt: [0, 10, 300], rules).isClosed)
    #expect(!breaker(failingAt: [0, 10, 300, 309], rules).isClosed)
    #expect(!breaker(failingAt: [0], try Self.rules(1)).isClosed)
  }

  @Test("X9: an answer between failures does not take them back, and one after the opening does")
  func answers() throws {
    let rules = try Self.rules()
    var breaker = breaker(failingAt: [0, 1], rules)
    breaker.note(.answered, at: .seconds(2), under: rules)
    breaker.note(.failed, at: .seconds(3), under: rules)
    #expect(!breaker.isClosed)
    breaker.note(.answered, at: .seconds(4), under: rules)
    #expect(breaker == Breaker())
    breaker.note(.failed, at: .seconds(5), under: rules)
    #expect(breaker.isClosed)
  }

  @Test("X9: it cools down, lets one request through, and cools down again if that fails")
  func probe() throws {
    let rules = try Self.rules(1)
    var breaker = breaker(failingAt: [100], rules)
    #expect(breaker.phase(at: .seconds(110), under: rules) == .coolingDown(.seconds(20)))
    let early = breaker.admit(at: .seconds(129), under: rules)
    #expect(!early)
    #expect(breaker.phase(at: .seconds(130), under: rules) == .due)
    let first = breaker.admit(at: .seconds(130), under: rules)
    let second = breaker.admit(at: .seconds(131), under: rules)
    #expect(first && !second)
    breaker.note(.failed, at: .seconds(132), under: rules)
    #expect(breaker.phase(at: .seconds(161), under: rules) == .coolingDown(.seconds(1)))
    let third = breaker.admit(at: .seconds(162), under: rules)
    #expect(third)
    // A pause that the vendor asks for tells nothing: it stays open, and is tried again later.
    breaker.note(.neither, at: .seconds(163), under: rules)
    #expect(breaker.phase(at: .seconds(164), under: rules) == .coolingDown(.seconds(29)))
  }

  @Test("X9: what tells neither changes nothing while the breaker is closed")
  func neither() throws {
    let rules = try Self.rules(1)
    var breaker = Breaker()
    breaker.note(.neither, at: .seconds(1), under: rules)
    #expect(breaker == Breaker())
  }

  @Test("X9: a probe that a killed process left is over after two minutes")
  func left() throws {
    let rules = try Self.rules(1)
    var breaker = breaker(failingAt: [0], rules)
    let admitted = breaker.admit(at: .seconds(30), under: rules)
    #expect(admitted)
    #expect(breaker.phase(at: .seconds(149), under: rules) == .probing)
    #expect(breaker.phase(at: .seconds(150), under: rules) == .due)
  }

  @Test("X9: after a start of the machine an open breaker stays open, and one request tries it")
  func machine() throws {
    let rules = try Self.rules()
    var breaker = breaker(failingAt: [1_000, 1_001, 1_002], rules)
    #expect(!breaker.isClosed && breaker.phase(at: .seconds(5), under: rules) == .due)
    let (first, second) = (
      breaker.admit(at: .seconds(5), under: rules), breaker.admit(at: .seconds(6), under: rules)
    )
    #expect(first && !second)
    breaker.note(.answered, at: .seconds(7), under: rules)
    #expect(breaker.isClosed)
    // Failures before the start are of an unknown age, and do not count.
    var other = self.breaker(failingAt: [1_000, 1_001], rules)
    other.note(.failed, at: .seconds(5), under: rules)
    #expect(other.isClosed && other.failures == [.seconds(5)])
  }

  @Test("X9: times of any length are no fault")
  func lengths() throws {
    let rules = try FailOver(
      failures: 1, within: Duration(attoseconds: .max), coolDown: Duration(attoseconds: .max))
    let breaker = breaker(failingAt: [7], rules)
    guard case .coolingDown(let rest) = breaker.phase(at: .seconds(8), under: rules) else {
      Issue.record("the breaker does not cool down")
      return
    }
    #expect(rest > .seconds(1_000_000_000))
  }

  @Test("X9: generated requests: no breaker opens early, and an open one lets one request through")
  func generated() throws {
    for seed in 0..<400 {
      var random = SeededGenerator(seed: UInt64(seed))
      let count = 1 + random.below(4)
      let (window, coolDown) = (5 + random.below(40), random.below(20))
      let rules = try Self.rules(count, .seconds(window), .seconds(coolDown))
      var (breaker, now) = (Breaker(), 0)
      /// When requests failed since the breaker was last closed, when it opened, and its probe.
      var (failed, opened, probe): ([Int], Int?, Int?) = ([], nil, nil)
      for step in 0..<200 {
        now += random.below(8)
        if random.chance(40) {
          let isAdmitted = breaker.admit(at: .seconds(now), under: rules)
          let isFree = probe.map { now - $0 >= 120 } ?? true
          let expected = opened.map { now - $0 >= coolDown && isFree } ?? true
          #expect(isAdmitted == expected, "seed \(seed), step \(step)")
          if isAdmitted, opened != nil { probe = now }
        } else {
          let finding = random.pick([Breaker.Finding.answered, .failed, .neither])
          breaker.note(finding, at: .seconds(now), under: rules)
          switch finding {
          case .answered:
            if opened != nil { (failed, opened, probe) = ([], nil, nil) }
          case .failed:
            failed.append(now)
            if opened != nil || failed.count(where: { now - $0 < window }) >= count {
              (opened, probe) = (now, nil)
            }
          case .neither:
            if probe != nil { (opened, probe) = (now, nil) }
          }
        }
        #expect(breaker.isClosed == (opened == nil), "seed \(seed), step \(step)")
      }
    }
  }
}
