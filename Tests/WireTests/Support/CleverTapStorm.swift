import EngagementCleverTap
import EngagementCleverTapTools
import EngagementCurl
import EngagementEmulator
import EngagementModel
import EngagementStore
import EngagementTesting
import EngagementVendors
import Foundation
import TestSupport

@testable import EngagementKit

/// An installation with CleverTap on a bad network, with random events, attributes, actions on messages
/// and pauses.
///
/// CleverTap de-duplicates nothing. So each delivered row has its effect once for each answer that the
/// client got, and once more for each that it could not get.
final class CleverTapStorm {
  private let emulator: Emulator
  private let engagement: Engagement
  private let network: WatchedTransport
  private let clock = TestClock()
  private let folder: URL
  private var random: SeededGenerator
  private var troubles: [Trouble] = []
  private var accepted: [(effect: VendorEffect, receipt: Engagement.Receipt)] = []
  private var serial = 0
  private(set) var findings: [String] = []

  private static let user = "u-1"

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let bits = Locked(SeededGenerator(seed: ~seed))
    emulator = try await Emulator.start(.init([.cleverTap], seed: seed, clock: clock.now))
    network = WatchedTransport(CurlTransport(.patient()), clock)
    folder = FileManager.default.temporaryDirectory.appending(path: "clevertap-storm-\(UUID())")
    engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: network,
      providers: [
        "clevertap": try .clevertap(
          accountID: "demo", token: Secret("demo"), endpoint: emulator.endpoint(of: "clevertap"))
      ],
      routes: Engagement.Routes(cards: .none, inbox: .only("clevertap")),
      options: Engagement.Options(
        secrets: MemorySecretStore(), clock: clock, random: { bits.withLock { $0.next() } }))
    try await engagement.signIn(User(UserID(Self.user)), consent: .full)
    await engagement.deliver(to: "clevertap")
    _ = await engagement.refresh(.inbox)
  }

  /// What the faults have done so far.
  var strikes: Strikes { get async { Strikes(await emulator.requests()) } }

  /// Runs until `count` faults have struck, then without faults until everything is delivered.
  func blow(_ count: Int) async throws {
    while await strikes.struck.values.reduce(0, +) < count {
      // A success without a body says that a batch was taken, so 204 is left out.
      try await emulator.load(
        try Trouble.script(
          [304, 400, 404, 408, 409, 425, 500, 502, 503, 504], from: &troubles, &random))
      for _ in 0..<(1 + random.below(4)) { try await act() }
      if random.chance(40) {
        _ = await engagement.refresh(random.pick([.inbox, .campaigns, .settings]))
      }
      if random.chance(40) {
        try await emulator.put(["msg": ["type": "simple", "content": []]], in: "clevertap")
      }
      for _ in 0..<(1 + random.below(3)) {
        await engagement.deliver(to: "clevertap")
        try await check()
        await advance(by: .milliseconds(random.pick([300, 2_000, 7_000, 45_000, 200_000])))
      }
    }
    try await settle()
    try await engagement.close()
    await emulator.stop()
    try FileManager.default.removeItem(at: folder)
  }

  private func advance(by duration: Duration) async {
    await emulator.advanceClock(by: duration)
    clock.advance(by: duration)
  }

  // MARK: Steps

  private func act() async throws {
    serial += 1
    let messages = engagement.inbox.messages.filter { message in
      !accepted.contains { $0.effect.subject == message.id.value }
    }
    switch random.below(6) {
    case 0..<3: note("event", "n\(serial)", try await engagement.track("n\(serial)", ["step": 1]))
    case 3:
      var update = PersonUpdate()
      update.custom = JSONObject(uniqueMembers: [.init("a\(serial)", true)])
      note("profile", "a\(serial)", try await engagement.updatePerson(update))
    case 4:
      guard let message = messages.first(where: { !$0.isRead }) else { return }
      note(
        "Notification Viewed", message.id.value,
        try await engagement.perform(.read, on: message.id))
    default:
      guard messages.count > 2 else { return }
      let message = random.pick(messages)
      note(
        "deleteMessages", message.id.value, try await engagement.perform(.delete, on: message.id))
    }
  }

  private func note(_ name: String, _ subject: String, _ receipt: Engagement.Receipt) {
    accepted.append((VendorEffect(name, of: subject, by: Self.user), receipt))
  }

  // MARK: Invariants

  private func check() async throws {
    let counts =
      try await engagement.dependencies.store.deliveryCounts()["clevertap"] ?? DeliveryCounts()
    let waiting = try await engagement.pendingCounts["clevertap"] ?? 0
    if !counts.isConserved { findings.append("not conserved: \(counts)") }
    if counts.pending != waiting { findings.append("\(waiting) rows are pending: \(counts)") }
    if counts.expired + counts.evicted + counts.wiped > 0 { findings.append("given up: \(counts)") }
  }

  /// Ends the faults. Everything must arrive.
  private func settle() async throws {
    try await emulator.load(EmulatorFaults())
    for _ in 0..<100 where try await engagement.pendingCounts["clevertap"] ?? 0 > 0 {
      await advance(by: .seconds(60))
      await engagement.deliver(to: "clevertap")
    }
    try await check()
    await advance(by: .seconds(3_600))
    note("event", "last", try await engagement.track("last"))
    await engagement.deliver(to: "clevertap")
    if await emulator.times("event", of: "last") != 1 {
      findings.append("G8: an event after the faults is not delivered at once")
    }
    let waiting = try await engagement.pendingCounts["clevertap"] ?? 0
    guard waiting == 0 else { return findings.append("\(waiting) rows are still pending") }
    await compare()
    findings += Politeness.findings(in: network.passages)
  }

  /// Compares the delivered rows with the vendor's record.
  private func compare() async {
    let requests = await emulator.requests()
    let arrivals = Storm.Arrivals.all(in: requests) { Self.name(of: $0) }
    // An empty success says no less than the vendor's own answer, which the clients do not read.
    let seemsDone = requests.contains { $0.fault == "empty" }
    let losesMembers = requests.contains { ["missingField", "wrongType"].contains($0.fault) }
    for (effect, receipt) in accepted {
      let came = arrivals[Self.name(of: effect)] ?? Storm.Arrivals()
      switch try? await receipt.outcome() {
      case .delivered:
        // A message is deleted once; a second request for it is answered as the first.
        let isDeleted = effect.name == "deleteMessages" && came.all == 1
        if !came.may(be: 1), !isDeleted, !(seemsDone && came.may(be: 0)) {
          findings.append("\(effect.name) \(effect.subject) was delivered: \(came)")
        }
      // Only an answer in the vendor's form may reject a row.
      case .rejected(let error) where ["400", "404", "409"].contains(error.underlying):
        if came.heard > 0 { findings.append("\(effect) was refused: \(came)") }
      // Without its mark of the vendor's own list, a message is one of this device.
      case .kept where losesMembers && effect.name != "event":
        if came.heard > 0 { findings.append("\(effect) was kept: \(came)") }
      case let other: findings.append("\(effect) ended as \(String(describing: other))")
      }
    }
    let expected = Set(accepted.map { Self.name(of: $0.effect) })
    let own = ["event", "Notification Viewed", "deleteMessages", "fault"]
    for name in arrivals.keys where !expected.contains(name) {
      if own.contains(where: { name.hasPrefix("\($0) ") }) {
        findings.append("\(name) was never accepted")
      }
    }
  }

  private static func name(of effect: VendorEffect) -> String {
    "\(effect.name) \(effect.subject) \(effect.user)"
  }
}

extension Storm.Arrivals {
  /// How often each effect happened, under a name of its own.
  static func all(
    in requests: [EmulatorRequest], name: (VendorEffect) -> String
  ) -> [String: Storm.Arrivals] {
    var arrivals: [String: Storm.Arrivals] = [:]
    for request in requests {
      // The network sent the request twice.
      let times = request.fault == "duplicateRequest" ? 2 : 1
      for (name, group) in Dictionary(grouping: request.effects, by: name) {
        let count = group.count / times
        switch request.fault.map(Trouble.hearing) ?? .heard {
        case .heard: arrivals[name, default: .init()].heard += count
        case .lost, .undone: arrivals[name, default: .init()].lost += count
        case .unclear: arrivals[name, default: .init()].unclear += count
        }
      }
    }
    return arrivals
  }
}
