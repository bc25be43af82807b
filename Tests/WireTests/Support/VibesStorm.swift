import EngagementCurl
import EngagementEmulator
import EngagementModel
import EngagementStore
import EngagementTesting
import EngagementVendors
import EngagementVibes
import EngagementVibesTools
import Foundation
import TestSupport

@testable import EngagementKit

/// An installation with Vibes on a bad network, with random actions on messages, pushes and pauses.
///
/// Vibes keeps what is set and de-duplicates events by their ids. So each delivered action has its
/// effect exactly once, however often a request came.
final class VibesStorm {
  private let emulator: Emulator
  private let engagement: Engagement
  private let network: WatchedTransport
  private let clock = TestClock()
  private let folder: URL
  private var random: SeededGenerator
  private var troubles: [Trouble] = []
  private var accepted: [(effect: VendorEffect, receipt: Receipt)] = []
  private var serial = 0
  private(set) var findings: [String] = []

  private static let user = "u-1"

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let bits = Locked(SeededGenerator(seed: ~seed))
    emulator = try await Emulator.start(.init([.vibes], seed: seed, clock: clock.now))
    network = WatchedTransport(CurlTransport(.patient()), clock)
    folder = FileManager.default.temporaryDirectory.appending(path: "vibes-storm-\(UUID())")
    engagement = try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: network,
      providers: [
        "vibes": try .vibes(
          appID: "demo", endpoint: "\(emulator.endpoint(of: "vibes"))/mobile_apps")
      ],
      routes: Engagement.Routes(cards: .none, inbox: .only("vibes")),
      options: Engagement.Options(
        secrets: MemorySecretStore(), clock: clock, random: { bits.withLock { $0.next() } }))
    try await engagement.signIn(User(UserID(Self.user)), consent: .full)
    _ = await engagement.refresh(.inbox)
  }

  /// What the faults have done so far.
  var strikes: Strikes { get async { Strikes(await emulator.requests()) } }

  /// Runs until `count` faults have struck, then without faults until everything is delivered.
  func blow(_ count: Int) async throws {
    while await strikes.struck.values.reduce(0, +) < count {
      try await emulator.load(try script())
      for _ in 0..<(1 + random.below(4)) { try await act() }
      if random.chance(40) {
        _ = await engagement.refresh(random.pick([.inbox, .inbox, .person, .settings]))
      }
      if random.chance(60) { try await change() }
      for _ in 0..<(1 + random.below(3)) {
        await engagement.deliver(to: "vibes")
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

  private func script() throws -> EmulatorFaults {
    // A success without a body says that an event was taken, so 204 is left out.
    try Trouble.script(
      [304, 400, 404, 408, 409, 425, 500, 502, 503, 504], from: &troubles, &random)
  }

  private func act() async throws {
    let messages = engagement.inbox.messages.filter { message in
      !accepted.contains { $0.effect.subject == message.id.value }
    }
    guard let message = messages.isEmpty ? nil : random.pick(messages) else { return }
    let (action, effect): (ItemAction, String) = random.pick([
      (.open, "inbox_open"), (.delete, "expire"), (.read, "read"),
    ])
    guard action != .read || !message.isRead else { return }
    let receipt = try await engagement.perform(action, on: message.id)
    accepted.append((VendorEffect(effect, of: message.id.value, by: Self.user), receipt))
  }

  /// Adds a message at the vendor.
  private func change() async throws {
    serial += 1
    try await emulator.put(["content": .string("Message \(serial)")], in: "vibes")
  }

  // MARK: Invariants

  private func check() async throws {
    let counts =
      try await engagement.dependencies.store.deliveryCounts()["vibes"] ?? DeliveryCounts()
    let waiting = try await engagement.pendingCounts["vibes"] ?? 0
    if !counts.isConserved { findings.append("not conserved: \(counts)") }
    if counts.pending != waiting { findings.append("\(waiting) rows are pending: \(counts)") }
    if counts.expired + counts.evicted + counts.wiped > 0 { findings.append("given up: \(counts)") }
  }

  /// Ends the faults. Everything must arrive.
  private func settle() async throws {
    try await emulator.load(EmulatorFaults())
    for _ in 0..<100 where try await engagement.pendingCounts["vibes"] ?? 0 > 0 {
      await advance(by: .seconds(60))
      await engagement.deliver(to: "vibes")
    }
    try await check()
    await advance(by: .seconds(3_600))
    guard await engagement.refresh(.inbox).providers["vibes"]?.error == nil else {
      return findings.append("G8: after the faults the inbox cannot be fetched")
    }
    let waiting = try await engagement.pendingCounts["vibes"] ?? 0
    if waiting > 0 { findings.append("\(waiting) rows are still pending") }
    await compare()
    findings += Politeness.findings(in: network.passages)
  }

  private func compare() async {
    let effects = await emulator.effects().reduce(into: [String: Int]()) { counts, effect in
      counts[Self.name(of: effect.key), default: 0] += effect.value
    }
    let requests = await emulator.requests()
    for (effect, receipt) in accepted {
      let count = effects[Self.name(of: effect)] ?? 0
      switch try? await receipt.outcome() {
      case .delivered:
        if count != 1, count > 1 || !Self.seemsDone(effect, in: requests) {
          findings.append("\(effect) was delivered and had \(count) effects")
        }
      // Only an answer in the vendor's form may reject an action. It may have had its effect before,
      // if that answer was lost.
      case .rejected(let error) where ["400", "404", "409"].contains(error.underlying):
        if count > 1 { findings.append("\(effect) was refused and had \(count) effects") }
      case let other: findings.append("\(effect) ended as \(String(describing: other))")
      }
    }
    let expected = Set(accepted.map { Self.name(of: $0.effect) })
    for name in effects.keys where !expected.contains(name) {
      let isOwn = ["inbox_open", "expire", "read"].contains { name.hasPrefix("\($0) ") }
      if isOwn
        || !name.hasSuffix(" \(Self.user)") && !name.hasPrefix("register ")
          && !name.contains(" anonymous:")
      {
        findings.append("\(name) was never accepted")
      }
    }
  }

  /// Whether a fault answered for the vendor in a way that no client of its can tell: an empty success
  /// for events, whose answer says nothing, or a 404 for a message that is to be gone.
  private static func seemsDone(
    _ effect: VendorEffect, in requests: [EmulatorRequest]
  ) -> Bool {
    requests.contains { request in
      effect.name == "inbox_open"
        ? request.fault == "empty" && request.path.hasSuffix("/events")
        : effect.name == "expire" && request.fault == "status" && request.status == 404
          && request.path.hasSuffix(effect.subject)
    }
  }

  private static func name(of effect: VendorEffect) -> String {
    "\(effect.name) \(effect.subject) \(effect.user)"
  }
}
