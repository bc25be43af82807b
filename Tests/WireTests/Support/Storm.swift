import EngagementEmulator
import EngagementModel
import EngagementStore
import EngagementTesting
import EngagementVendors
import FoundationEssentials
import TestSupport

@testable import EngagementKit

/// An installation on a bad network, with random actions, faults and pauses. It checks its
/// invariants after every step.
final class Storm {
  private let scene: WireScene
  private var random: SeededGenerator
  private var deeds: [Deed] = []
  /// The kinds left in this round. All kinds strike equally often.
  private var troubles: [Trouble] = []
  private var serial = 0
  private var acceptedBefore: Int64 = 0
  private(set) var findings: [String] = []

  /// An accepted operation, with its expected effect at the vendor.
  private struct Deed {
    var effect: VendorEffect
    var receipt: Receipt
  }

  private static let user = "u-1"

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let bits = Locked(SeededGenerator(seed: ~seed))
    scene = try await WireScene(seed: seed, signs: true) { bits.withLock { $0.next() } }
    try await scene.emulator.configure("braze", ["authentication": "required"])
    try await scene.signIn(Self.user)
    _ = await scene.refresh()
  }

  /// What the faults have done so far.
  var strikes: Strikes { get async { Strikes(await scene.emulator.requests()) } }

  /// Runs until `count` faults have struck, then without faults until everything is delivered.
  func blow(_ count: Int) async throws {
    while await strikes.struck.values.reduce(0, +) < count {
      try await scene.emulator.load(try script())
      for _ in 0..<(1 + random.below(4)) { try await act() }
      if random.chance(30) {
        _ = await scene.refresh(random.chance(30) ? .settings : .cards(in: "home"))
      }
      if random.chance(20) { try await change() }
      for _ in 0..<(1 + random.below(3)) {
        await scene.engagement.deliver(to: "braze")
        try await check()
        await scene.advance(by: .milliseconds(random.pick([300, 2_000, 7_000, 45_000, 200_000])))
      }
    }
    try await settle()
    try await scene.end()
  }

  // MARK: Steps

  /// The next one to four faults, each for a request of its own.
  private func script() throws -> EmulatorFaults {
    try Trouble.script(
      [204, 304, 400, 404, 408, 409, 425, 500, 502, 503, 504], from: &troubles, &random)
  }

  private func act() async throws {
    serial += 1
    let cards = scene.cards
    switch random.below(10) {
    case 0..<4:
      note("ce", "n\(serial)", try await scene.engagement.track("n\(serial)", ["step": 1]))
    case 4:
      let receipt = try await scene.engagement.track(
        .purchase, name: "p\(serial)", ["currency": "EUR", "price": 1])
      note("p", "p\(serial)", receipt)
    case 5:
      var update = PersonUpdate()
      update.custom = JSONObject(uniqueMembers: [.init("a\(serial)", true)])
      note("attribute", "custom.a\(serial)", try await scene.engagement.updatePerson(update))
    case 6, 7: try await act(.impression, "cci", on: cards)
    case 8:
      try await act(.click, "ccc", on: cards.filter { $0.urlText?.hasPrefix("https:") == true })
    default: try await act(.dismiss, "ccd", on: cards.filter(\.isDismissible))
    }
  }

  private func act(_ action: ItemAction, _ name: String, on cards: [Card]) async throws {
    guard !cards.isEmpty else { return }
    let card = random.pick(cards)
    note(name, card.id.value, try await scene.engagement.perform(action, on: card.id))
  }

  private func note(_ name: String, _ subject: String, _ receipt: Receipt) {
    let effect = VendorEffect(name, of: subject, by: Self.user)
    deeds.append(Deed(effect: effect, receipt: receipt))
  }

  /// Adds a card at the vendor.
  private func change() async throws {
    try await scene.emulator.put(
      [
        "tp": "short_news", "tt": .string("Card \(serial)"), "db": true,
        "u": "https://harbour.example.com/more",
      ], in: "braze")
  }

  // MARK: Invariants

  private func check() async throws {
    let tally =
      try await scene.engagement.dependencies.store.deliveryCounts()["braze"] ?? DeliveryCounts()
    let waiting = try await scene.engagement.pendingCounts["braze"] ?? 0
    if !tally.isConserved { findings.append("not conserved: \(tally)") }
    if tally.pending != waiting {
      findings.append("\(waiting) rows are pending, and the counts are \(tally)")
    }
    if tally.accepted < deeds.count || tally.accepted < acceptedBefore {
      findings.append("\(deeds.count) rows were accepted, and the counts are \(tally)")
    }
    if tally.expired + tally.evicted + tally.wiped > 0 { findings.append("given up: \(tally)") }
    acceptedBefore = tally.accepted
  }

  /// Ends the faults. All rows and a new one must arrive.
  private func settle() async throws {
    try await scene.emulator.load(EmulatorFaults())
    for _ in 0..<100 where try await scene.engagement.pendingCounts["braze"] ?? 0 > 0 {
      await scene.advance(by: .seconds(60))
      await scene.engagement.deliver(to: "braze")
    }
    try await check()
    note("ce", "last", try await scene.engagement.track("last"))
    await scene.engagement.deliver(to: "braze")
    if await scene.emulator.times("ce", of: "last") != 1 {
      findings.append("G8: an event after the faults is not delivered at once")
    }
    let waiting = try await scene.engagement.pendingCounts["braze"] ?? 0
    guard waiting == 0 else { return findings.append("\(waiting) rows are still pending") }
    await compare()
    findings += Politeness.findings(in: scene.network.passages)
  }

  /// Compares the delivered rows with the vendor's record.
  private func compare() async {
    var delivered: [VendorEffect: Int] = [:]
    for deed in deeds {
      switch try? await deed.receipt.outcome() {
      case .delivered: delivered[deed.effect, default: 0] += 1
      case .rejected(let error):
        delivered[deed.effect, default: 0] += 0
        // Only an answer of the vendor may reject a row, and no network fault.
        if !["400", "404", "409"].contains(error.underlying) {
          findings.append("\(deed.effect.name) was refused: \(error)")
        }
      case let other: findings.append("\(deed.effect) ended as \(String(describing: other))")
      }
    }
    let arrivals = await arrivals
    for (effect, count) in delivered {
      let came = arrivals[effect] ?? Arrivals()
      if !came.may(be: count) {
        findings.append("\(effect.name) \(effect.subject): \(count) delivered, \(came)")
      }
    }
    for effect in arrivals.keys where delivered[effect] == nil && effect.name != "ss" {
      findings.append("\(effect) was never accepted")
    }
  }

  /// How often an effect happened, by what the client could know of it.
  struct Arrivals {
    var heard = 0
    var unclear = 0
    var lost = 0

    var all: Int { heard + unclear + lost }

    /// Whether the client may have delivered `count` rows. It sends a row again only if it did not
    /// get the answer.
    func may(be count: Int) -> Bool { (heard...(heard + unclear)).contains(count) }
  }

  private var arrivals: [VendorEffect: Arrivals] {
    get async {
      var arrivals: [VendorEffect: Arrivals] = [:]
      for request in await scene.emulator.requests() {
        // The network sent the request twice.
        let times = request.fault == "duplicateRequest" ? 2 : 1
        for (effect, group) in Dictionary(grouping: request.effects, by: \.self) {
          let count = group.count / times
          switch request.fault.map(Trouble.hearing) ?? .heard {
          case .heard: arrivals[effect, default: Arrivals()].heard += count
          case .lost, .undone: arrivals[effect, default: Arrivals()].lost += count
          case .unclear: arrivals[effect, default: Arrivals()].unclear += count
          }
        }
      }
      return arrivals
    }
  }
}

/// The limits for retries that a vendor may expect (G6).
enum Politeness {
  private static let perMinute = 12
  private static let leastGap = Duration.seconds(5)

  static func findings(in passages: [WatchedTransport.Passage]) -> [String] {
    let sent = passages.filter(\.carries)
    var findings: [String] = []
    for (place, (one, next)) in zip(sent, sent.dropFirst()).enumerated() {
      let gap = next.sentAt - one.sentAt
      if isFailure(one), gap < leastGap {
        findings.append(
          "request \(place + 1) failed with \(one.outcome), and the next came after \(gap)")
      }
      if one.status == 429, let asked = one.retryAfter, gap < max(asked, .seconds(1)) {
        findings.append("the vendor asked for \(asked), and the next request came after \(gap)")
      }
    }
    let failures = sent.filter(isFailure)
    for (place, last) in failures.enumerated().dropFirst(perMinute)
    where last.sentAt - failures[place - perMinute].sentAt < .seconds(60) {
      findings.append("more than \(perMinute) attempts failed in a minute")
    }
    return findings
  }

  /// Whether the vendor was unavailable or asked for a delay. After a refusal, the next request may
  /// follow at once.
  private static func isFailure(_ passage: WatchedTransport.Passage) -> Bool {
    guard let status = passage.status else { return true }
    return status >= 500 || [304, 307, 408, 425, 429].contains(status)
  }
}
