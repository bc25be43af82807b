import EngagementAdapterAPI
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// The expected state of the outbox.
private struct Model {
  struct Row: Equatable {
    let key: OperationKey
    let isAnalytics: Bool
    var attempts = 0
  }

  var rows: [User: [ProviderID: [Row]]] = [:]
  var accepted: [ProviderID: Int64] = [:]
  var endings: [ProviderID: [String: Int64]] = [:]

  mutating func end(_ index: Int, of provider: ProviderID, _ user: User, _ ending: Ending) {
    rows[user]?[provider]?.remove(at: index)
    endings[provider, default: [:]][ending.name, default: 0] += 1
  }
}

@Suite(.timeLimit(.minutes(20))) struct RandomWalkTests {
  private static let users: [User] = [.anonymous, "u-1", "u-2"]
  private static let providers: [ProviderID] = ["paper", "other"]

  @Test("G1 G2 G3 G4: a random walk loses, duplicates and reorders no row", arguments: 1...4)
  func walk(seed: Int) async throws {
    let stand = try StoreStand(seed: UInt64(seed))
    var random = SeededGenerator(seed: UInt64(seed) &* 977)
    var model = Model()
    var store = try await stand.open()
    for step in 0..<Effort.share(of: 600) {
      let (user, provider) = (random.pick(Self.users), random.pick(Self.providers))
      let partition = try await store.partition(of: user)
      let rows = try await store.waiting(for: provider, in: partition)
      switch random.below(100) {
      case ..<45: try await accept(stand, store, partition, &model, &random)
      case ..<55:
        guard !rows.isEmpty else { continue }
        let count = 1 + random.below(rows.count)
        try await store.begin(
          rows.prefix(count).map(\.id), as: random.chance(50) ? rows[0].id : nil,
          waited: .milliseconds(random.below(5_000)))
        for index in 0..<count { model.rows[user]?[provider]?[index].attempts += 1 }
      case ..<80:
        guard !rows.isEmpty else { continue }
        let index = random.below(rows.count)
        let ending = random.pick([
          Ending.delivered, .expired, .rejected(EngagementError(.notFound, "gone")),
        ])
        _ = try await store.end([rows[index].id], ending)
        model.end(index, of: provider, user, ending)
      case ..<88:
        guard let event = rows.last?.event else { continue }
        _ = try await store.commit(
          [.settled([event.id])], from: provider, in: partition, at: StoreStand.start)
        model.end(rows.count - 1, of: provider, user, .delivered)
      case ..<92: try await adopt(store, provider, &model)
      case ..<94:
        _ = try await store.erase(partition, at: StoreStand.start)
        for provider in Self.providers {
          for _ in model.rows[user]?[provider] ?? [] {
            model.end(0, of: provider, user, .wiped)
          }
        }
      default:
        if random.chance(50) { try await store.suspend() }
        store = try await stand.open()
      }
      if step % 10 == 0 { try await compare(store, model) }
    }
    try await compare(store, model)
    #expect(try await store.check().isSound)
  }

  private func accept(
    _ stand: StoreStand, _ store: Store, _ partition: Partition, _ model: inout Model,
    _ random: inout SeededGenerator
  ) async throws {
    var intents: [Intent] = []
    for _ in 0...random.below(3) {
      let providers = random.chance(30) ? Self.providers : [random.pick(Self.providers)]
      intents.append(
        stand.track(
          stand.event(.click, on: "\(random.below(9))"), to: providers,
          isAnalytics: random.chance(30)))
    }
    _ = try await store.accept(intents, in: partition, at: StoreStand.start)
    for delivery in intents.flatMap(\.deliveries) {
      model.accepted[delivery.provider, default: 0] += 1
      model.rows[partition.user, default: [:]][delivery.provider, default: []].append(
        Model.Row(key: delivery.key, isAnalytics: delivery.isAnalytics))
    }
  }

  private func adopt(_ store: Store, _ provider: ProviderID, _ model: inout Model) async throws {
    let (anonymous, user) = (
      try await store.partition(of: .anonymous), try await store.partition(of: "u-1")
    )
    let ids = try await store.waiting(for: provider, in: anonymous).map(\.id)
    let others = try await store.waiting(for: provider, in: user).map(\.id)
    _ = try await store.adopt(anonymous, into: user, for: [provider])
    // Sorts both by id, which is the order of acceptance.
    let rows = zip(
      ids + others,
      (model.rows[.anonymous]?[provider] ?? []) + (model.rows["u-1"]?[provider] ?? []))
    model.rows["u-1", default: [:]][provider] = rows.sorted { $0.0 < $1.0 }.map(\.1)
    model.rows[.anonymous]?[provider] = []
  }

  private func compare(_ store: Store, _ model: Model) async throws {
    for user in Self.users {
      let partition = try await store.partition(of: user)
      for provider in Self.providers {
        let rows = try await store.waiting(for: provider, in: partition)
        let known = model.rows[user]?[provider] ?? []
        #expect(rows.map(\.key) == known.map(\.key))
        #expect(rows.map(\.attempts) == known.map(\.attempts))
      }
    }
    let deliveryCounts = try await store.deliveryCounts()
    for provider in Self.providers {
      let tally = deliveryCounts[provider] ?? DeliveryCounts()
      let endings = model.endings[provider] ?? [:]
      #expect(tally.isConserved)
      #expect(tally.accepted == model.accepted[provider] ?? 0)
      #expect(tally.delivered == endings["delivered"] ?? 0)
      #expect(tally.rejected == endings["rejected"] ?? 0)
      #expect(tally.expired == endings["expired"] ?? 0)
      #expect(tally.wiped == endings["wiped"] ?? 0)
    }
  }
}
