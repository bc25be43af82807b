import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

/// Random walks through the stages, with actions, users, restarts and vendors that end items in between.
@Suite("walks of a migration", .timeLimit(.minutes(60))) struct MigrationWalkTests {
  private static let runs =
    ProcessInfo.processInfo.environment["WALK_RUNS"].flatMap { Int($0) } ?? 40
  private static let first =
    ProcessInfo.processInfo.environment["WALK_SEED"].flatMap { UInt64($0) } ?? 1

  @Test(
    "X15: any walk shows at each stage what its vendor has and the user has not ended, and off as well"
  )
  func walks() async throws {
    for seed in Self.first..<Self.first + UInt64(Self.runs) {
      var walk = Walk(seed: seed)
      try await walk.run()
      #expect(walk.faults.isEmpty, "seed \(seed): \(walk.faults)")
      if !walk.faults.isEmpty { return }
    }
  }
}

/// The vendors' lists for each user: which contents they list, less those that they have ended.
private final class Lists: Sendable {
  struct State {
    var contents: [ProviderID: Set<Int>] = [:]
    var ended: [String: Set<Int>] = [:]
  }
  let state = Locked(State())
  static let users: [User] = ["u-1", "u-2", "u-3"]

  func listed(_ provider: ProviderID, _ user: User) -> Set<Int> {
    state.withLock {
      ($0.contents[provider] ?? []).subtracting($0.ended["\(provider) \(user)"] ?? [])
    }
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let provider: ProviderID = request.isFor("a") ? "a" : "b"
    guard request.line.hasSuffix("/cards"),
      let user = Self.users.first(where: { request.url.contains($0.id?.rawValue ?? "?") })
    else { return .json(200, "[]") }
    let ids = listed(provider, user).sorted().map { "\"\(provider)\($0).k\($0)\"" }
    return .json(200, "[\(ids.joined(separator: ","))]")
  }
}

private struct Walk {
  private var random: SplitMix64
  private let place = Stage.Place()
  private let lists = Lists()
  private var dismissed: [User: Set<Int>] = [:]
  private var user = Lists.users[0]
  private var log: [String] = []
  private(set) var faults: [String] = []

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  private func open() async throws -> Stage {
    let lists = lists
    let stage = try await Stage(
      VendorLists.vendors.filter { $0.provider != "c" },
      routes: Routes(cards: .only("a"), inbox: .none),
      contentKeys: ["a": .extra("sku"), "b": .extra("sku")],
      at: place
    ) { lists.answer($0) }
    try await stage.signIn(user, consent: .full)
    return stage
  }

  private mutating func plan() throws -> MigrationPlan {
    var stages: [MigrationStage] = [.cutover, .drain, .removed]
    if Bool.random(using: &random) { stages.insert(.ramp(percent: 60), at: 0) }
    if Bool.random(using: &random) { stages.insert(.canary(percent: 30), at: 0) }
    if Bool.random(using: &random) { stages.insert(.shadow, at: 0) }
    return try MigrationPlan(from: "a", to: "b", moves: [.init(.cards, stages: stages)])
  }

  mutating func run() async throws {
    lists.state.withLock { [random] state in
      var random = random
      for provider in ["a", "b"] as [ProviderID] {
        state.contents[provider] = Set(
          (0..<8).filter { _ in Int.random(in: 0..<3, using: &random) > 0 })
      }
    }
    var stage = try await open()
    try await stage.engagement.startMigration(try plan())
    for _ in 0..<Int.random(in: 5...25, using: &random) {
      stage = try await step(stage)
      if !faults.isEmpty { break }
    }
    if try await stage.engagement.migrations().first.map({ $0.stage.kind }) != .off {
      try await stage.engagement.takeBackMigration(of: .cards, to: .off)
    }
    log.append("off")
    guard stage.engagement.routes.cards == .only("a") else {
      faults.append("off has the route \(stage.engagement.routes.cards)")
      return
    }
    for next in Lists.users {
      user = next
      try await stage.signIn(user, consent: .full)
      await look(stage)
    }
    try await stage.end()
  }

  private mutating func step(_ stage: Stage) async throws -> Stage {
    let engagement = stage.engagement
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1:
      let status = try await engagement.migrations().first
      guard let next = status?.next, next.kind != .removed else { break }
      log.append("advance to \(next.words)")
      try await engagement.advanceMigration(of: .cards, why: "a walk", isForced: true)
    case 2:
      guard try await engagement.migrations().first?.stage.kind != .off else { break }
      log.append("back")
      try await engagement.takeBackMigration(of: .cards)
    case 3, 4:
      await look(stage)
      guard let card = engagement.cards(in: "home").cards.randomElement(using: &random),
        let content = Int(card.id.value.drop { $0 != "k" }.dropFirst())
      else { break }
      log.append("dismiss \(card.id)")
      try await engagement.perform(.dismiss, on: card.id)
      dismissed[user, default: []].insert(content)
    case 5:
      log.append("the vendors hear, and end what they heard of")
      await stage.drain("a", "b")
      // Only what they have listed they can end; what they hear later they end later.
      for provider in ["a", "b"] as [ProviderID] {
        guard try await stage.waiting(for: provider, of: user).isEmpty else { continue }
        let ended = (dismissed[user] ?? []).filter { _ in Bool.random(using: &random) }
        lists.state.withLock { $0.ended["\(provider) \(user)", default: []].formUnion(ended) }
      }
    case 6:
      user = Lists.users.randomElement(using: &random) ?? user
      log.append("user \(user)")
      try await stage.signIn(user, consent: .full)
    case 7:
      log.append("restart")
      try await stage.end()
      return try await open()
    default:
      await look(stage)
    }
    return stage
  }

  /// Refreshes, and compares what is shown with what it has to be.
  private mutating func look(_ stage: Stage) async {
    let engagement = stage.engagement
    let outcome = await engagement.refresh(.cards(in: "home"))
    guard outcome.isComplete else {
      faults.append("\(outcome)")
      return
    }
    let route = engagement.routes.cards.parts
    let provider: ProviderID
    if let split = route.split {
      provider = split.standing(of: user.id?.rawValue ?? "") == .arm("moved") ? "b" : "a"
    } else {
      provider = (route.inner?.providers ?? route.named).first ?? ""
    }
    let expected = lists.listed(provider, user).subtracting(dismissed[user] ?? [])
    let wanted = Set(expected.map { "\(provider)/\(provider)\($0).k\($0)" })
    let shown = Set(engagement.cards(in: "home").cards.map(\.id.description))
    log.append("look as \(user)")
    if shown != wanted {
      faults.append("\(shown.sorted()) for \(wanted.sorted()) after \(log.joined(separator: ", "))")
    }
  }
}
