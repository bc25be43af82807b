import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import TestSupport

@testable import EngagementStore

/// A cache on a file, with the random bits for the store and its callers.
final class StoreStand: Sendable {
  static let start = Date(timeIntervalSince1970: 1_790_845_200)

  let scratch: Scratch
  private let random: Locked<SeededGenerator>

  init(seed: UInt64 = 1) throws {
    scratch = try Scratch()
    random = Locked(SeededGenerator(seed: seed))
  }

  func open(
    _ environment: String = "production", limits: OutboxLimits = OutboxLimits(),
    retention: LedgerRetention = LedgerRetention(),
    contentKeys: [ProviderID: ContentKeySource] = [:], wait: Duration = .seconds(5),
    now: @escaping @Sendable () -> Date = { StoreStand.start }
  ) async throws -> Store {
    let random = random
    return try await Store.open(
      Store.Options(
        path: scratch.path(), environment: environment,
        adapters: ["paper": PaperAdapter(), "other": PaperAdapter("other")],
        contentKeys: contentKeys, limits: limits,
        retention: retention, wait: wait, random: { random.withLock { $0.next() } }, now: now,
        uptime: { .seconds(90) }),
      at: Self.start)
  }

  func key() -> OperationKey {
    random.withLock { OperationKey($0.next(), $0.next()) }
  }

  func event(
    _ kind: EngagementEvent.Kind = .custom, on item: String? = nil,
    _ properties: JSONObject = [:]
  ) -> EngagementEvent {
    EngagementEvent(
      id: EventID(key().id(0)), kind: kind, time: Self.start, zoneOffset: 7_200, session: "s-1",
      provider: "paper", item: item.map { Self.item($0) }, name: "looked", properties: properties)
  }

  static func item(_ id: String, _ provider: ProviderID = "paper") -> ItemReference {
    ItemReference(ItemID(provider, id), on: .cards, in: "home", handle: ["of": .string(id)])
  }

  /// An event with one row for each provider.
  func track(
    _ event: EngagementEvent, to providers: [ProviderID] = ["paper"], isAnalytics: Bool = true
  ) -> Intent {
    Intent(
      event: event,
      deliveries: providers.map {
        .init(to: $0, .event(event), key: key(), isAnalytics: isAnalytics)
      })
  }

  /// An action on a card, with its mark, its event and its delivery.
  func act(_ action: ItemAction, on id: String) -> Intent {
    let item = Self.item(id)
    return Intent(
      event: event(action.eventKind, on: id), mark: .init(action, on: item),
      deliveries: [.init(to: "paper", .operation(.act(action, on: item)), key: key())])
  }

  /// Changes the file, as another program does.
  func tamper(_ sql: String) throws {
    var database = try Database.open(
      at: scratch.path(), mode: .readWrite, newestSchema: Schema.migrations.newest)
    try database.transaction { (database) throws(EngagementError) in
      try database.connection.execute(sql)
    }
  }

  /// Gives the item of the unconfigured provider `gone` a valid checksum.
  func resealGone(_ user: Partition) throws {
    let seal = ItemChecksum(user, "gone", .cards)
    let body = Array(#"{"id":"canary-unknown-provider","x":"a"}"#.utf8)
    let name = Array("canary-unknown-provider".utf8)
    let value = seal.checksum(ContentHash.of(body[...]), of: name)
    try tamper(
      "UPDATE item SET seal = \(value) WHERE name = CAST('canary-unknown-provider' AS BLOB)")
  }

  func number(_ sql: String) throws -> Int64? {
    let database = try Database.open(
      at: scratch.path(), mode: .readOnly, newestSchema: Schema.migrations.newest)
    return try database.connection.integer(sql)
  }
}

extension Store {
  /// Accepts the intents at the start time of the tests.
  @discardableResult func accept(
    _ intents: Intent..., in partition: Partition
  ) throws(EngagementError) -> Acceptance {
    try accept(intents, in: partition, at: StoreStand.start)
  }

  func partition(of user: User) throws(EngagementError) -> Partition {
    try partition(of: user, at: StoreStand.start)
  }

  func waiting(
    for provider: ProviderID = "paper", in partition: Partition
  ) throws(EngagementError) -> [OutboxRow] {
    try pending(for: provider, in: partition, limit: 100_000)
  }

  func ids(in partition: Partition) throws(EngagementError) -> [OutboxRow.ID] {
    try waiting(in: partition).map(\.id)
  }

  func end(
    _ rows: [OutboxRow.ID], _ ending: Ending
  ) throws(EngagementError) -> CommitReport {
    try settle(rows.map { (row: $0, ending: ending) }, at: StoreStand.start)
  }

  func ledger(after sequence: Int64 = 0) throws(EngagementError) -> [EngagementEvent] {
    try entries(after: sequence, limit: 100_000).map(\.event)
  }

  func visible(in partition: Partition) throws(EngagementError) -> [String] {
    try cards(in: FeedKey("paper", .cards), of: partition, at: StoreStand.start).items
      .map(\.id.value)
  }
}
