import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

extension EngagementReader {
  /// A reader of the cache of a stage with these vendors.
  static func open(
    at place: Stage.Place, _ vendors: [PuppetAdapter], routes: Routes? = nil,
    containers: ContainerMap = [:], contentKeys: ContentKeys = [:]
  ) throws(EngagementError) -> EngagementReader {
    let all = Route.merge(vendors.map(\.provider))
    return try open(
      cache: place.cache, providers: Engagement.Providers(vendors.map { ($0.provider, $0) }),
      routes: routes ?? Routes(cards: all, inbox: all), containers: containers,
      contentKeys: contentKeys, environment: "test", clock: place.clock)
  }
}

@Suite("reading from another process", .timeLimit(.minutes(20))) struct EngagementReaderTests {
  private let place = Stage.Place()
  private let vendors = [PuppetAdapter("braze"), PuppetAdapter("vibes")]

  private func stage(_ ids: String = #"["a","b","c"]"#) async throws -> Stage {
    let stage = try await Stage(vendors, at: place) { _ in .json(200, ids) }
    try await stage.signIn("u-1")
    _ = await stage.engagement.refresh(.cards(in: "home"))
    _ = await stage.engagement.refresh(.inbox)
    return stage
  }

  @Test("X6: a reader returns the same feeds, items and counts as the application")
  func same() async throws {
    let stage = try await stage()
    let reader = try EngagementReader.open(at: place, vendors)
    let engagement = stage.engagement
    try await engagement.perform(.dismiss, on: ItemID("braze", "b"), surface: .cards)
    #expect(try reader.user == "u-1")
    #expect(engagement.cards(in: "home").cards.count == 5)
    #expect(try reader.cards(in: "home") == engagement.cards(in: "home"))
    #expect(try reader.cardCount(in: "home") == engagement.cardCount(in: "home"))
    #expect(engagement.inbox.messages.count == 6)
    #expect(try reader.inbox() == engagement.inbox)
    for id in ["a", "b", "nobody's"] {
      let (card, message) = (ItemID("braze", id), ItemID("vibes", id))
      #expect(try reader.card(card) == engagement.card(card))
      #expect(try reader.message(message) == engagement.message(message))
    }
    try await engagement.setRoute(.only("vibes"), for: .cards)
    #expect(try reader.cards(in: "home") == engagement.cards(in: "home"))
    #expect(try reader.cards(in: "home").cards.count == 3)
    try await stage.end()
  }

  @Test("X6: a reader applies card filters and container extras")
  func conditions() async throws {
    let containers: ContainerMap = ["none": ["braze": .extra("slot", is: "x")]]
    let vendors = [PuppetAdapter("braze")]
    let stage = try await Stage(vendors, containers: containers, at: place) { _ in
      .json(200, #"["a"]"#)
    }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    let reader = try EngagementReader.open(at: place, vendors, containers: containers)
    #expect(try reader.cards(in: "none").cards.isEmpty)
    let viewed = CardOptions(filters: [.priority(.equals(1))])
    #expect(try reader.cards(in: "home", options: viewed).cards.isEmpty)
    #expect(try reader.cards(in: "home").cards.map(\.id.value) == ["a"])
    try await stage.end()
  }

  @Test("X6 X8: a reader says whether somebody has signed out, also after an erasure")
  func signedOut() async throws {
    let stage = try await Stage(vendors, at: place) { _ in .json(200, "[]") }
    let reader = try EngagementReader.open(at: place, vendors)
    #expect(try !reader.hasSignedOut)
    try await stage.signIn("u-1")
    #expect(try !reader.hasSignedOut)
    _ = try await stage.engagement.signOut()
    #expect(try reader.hasSignedOut && reader.user == .anonymous)
    try await stage.signIn("u-2")
    #expect(try !reader.hasSignedOut && reader.user == "u-2")
    _ = try await stage.engagement.eraseData(of: "u-2")
    #expect(try reader.hasSignedOut && reader.user == .anonymous)
    try await stage.end()
  }

  @Test("X6 X8: a reader follows a user switch and can read for a named user")
  func users() async throws {
    let stage = try await stage()
    let reader = try EngagementReader.open(at: place, vendors)
    let first = try reader.cards(in: "home")
    try await stage.signIn("u-2")
    #expect(try reader.user == "u-2")
    #expect(try reader.cards(in: "home").cards.isEmpty)
    #expect(try reader.inbox().messages.isEmpty)
    #expect(try reader.card(ItemID("braze", "a")) == nil)
    #expect(try reader.cards(in: "home", of: "u-1") == first)
    #expect(try reader.inbox(of: "u-1").messages.count == 6)
    #expect(await failure { try reader.inbox(of: "u-3") }?.code == .notFound)
    _ = try await stage.engagement.eraseData(of: "u-1")
    #expect(await failure { try reader.cards(in: "home", of: "u-1") }?.code == .notFound)
    try await stage.end()
  }

  @Test("G11: a reader works under a writer's lock and changes no byte, even during suspend")
  func lock() async throws {
    let stage = try await stage()
    let file = place.path
    try await stage.engagement.suspend()
    let before = try Data(contentsOf: URL(filePath: file))
    let lock = open(file + ".lock", O_RDWR)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let reader = try EngagementReader.open(at: place, vendors)
    #expect(try reader.cards(in: "home").cards.count == 6)
    #expect(try Data(contentsOf: URL(filePath: file)) == before)
    let log = try? Data(contentsOf: URL(filePath: file + "-wal"))
    #expect(log?.isEmpty ?? true)
    close(lock)
    try await stage.engagement.resume()
    _ = await stage.engagement.refresh(.cards(in: "home"))
    try await stage.end()
  }

  @Test("X6: a reader continues with a new cache file at the same path")
  func replaced() async throws {
    let stage = try await stage()
    try await stage.end()
    let reader = try EngagementReader.open(at: place, vendors)
    #expect(try reader.cards(in: "home").cards.count == 6)
    let file = URL(filePath: place.path)
    try FileManager.default.moveItem(at: file, to: place.folder.appending(path: "old"))
    #expect(await failure { try reader.user }?.code == .notFound)
    let next = try await Stage(vendors, at: place)
    #expect(try reader.user == .anonymous)
    #expect(try reader.cards(in: "home").cards.isEmpty)
    try await next.end()
  }

  @Test("G10 G12: a missing, newer or unreadable cache each has its own error code")
  func refused() async throws {
    func code() async -> EngagementError.Code? {
      await failure { try EngagementReader.open(at: place, vendors) }?.code
    }
    #expect(await code() == .notFound)
    #expect(!FileManager.default.fileExists(atPath: place.folder.path))
    let stage = try await stage()
    try await stage.end()
    let file = URL(filePath: place.path)
    var bytes = try Data(contentsOf: file)
    // Bytes 60 to 63 of the header hold the schema version.
    bytes[63] = 99
    try bytes.write(to: file)
    #expect(await code() == .newerSchema)
    #expect(try Data(contentsOf: file) == bytes)
    try Data("a list of what to buy, and of nothing else".utf8).write(to: file)
    #expect(await code() == .unreadable)
  }

  @Test("a reader names the fault in its configuration")
  func configuration() async throws {
    let wrong = await failure {
      try EngagementReader.open(
        at: place, vendors, routes: Routes(cards: .only("vibe"), inbox: .none))
    }
    #expect(wrong?.code == .invalidConfiguration)
    #expect(wrong?.message.contains("\"vibes\"") == true)
    let temporary = await failure {
      try EngagementReader.open(
        cache: .temporary, providers: [:], routes: Routes(cards: .none, inbox: .none))
    }
    #expect(temporary?.code == .invalidConfiguration)
  }
}

private let size = 20

/// Reads many times. In each read all cards must be of one commit, and of no earlier one than in
/// the read before.
private func watch(_ path: String) async throws {
  let reader = try EngagementReader.open(
    cache: .file(path), providers: ["braze": PuppetAdapter("braze")],
    routes: Routes(cards: .only("braze"), inbox: .none), environment: "test", clock: TestClock())
  var last = -1
  for _ in 0..<100 {
    let cards = try reader.cards(in: "home").cards
    let rounds = Set(cards.map { Int($0.id.value.prefix { $0 != "." }) ?? -2 })
    try #require(cards.count == size && rounds.count == 1)
    let round = try #require(rounds.first)
    try #require(round >= last)
    last = round
  }
}

@Suite("several reader processes", .timeLimit(.minutes(20))) struct ReadingProcessTests {
  @Test("X6 G11: reader processes see whole commits while a writer continues")
  func processes() async throws {
    let place = Stage.Place()
    let path = place.path
    let round = Locked(0)
    let stage = try await Stage([PuppetAdapter("braze")], at: place) { _ in
      let number = round.withLock { $0 }
      return .json(200, "[\((0..<size).map { "\"\(number).\($0)\"" }.joined(separator: ","))]")
    }
    _ = await stage.engagement.refresh(.cards(in: "home"))
    await withTaskGroup(of: Void.self) { group in
      let left = Locked(3)
      for _ in 0..<3 {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = path as String] in
            try await watch(path)
          }
          left.withLock { $0 -= 1 }
        }
      }
      while left.withLock({ $0 }) > 0 {
        round.withLock { $0 += 1 }
        let outcome = await stage.engagement.refresh(.cards(in: "home"))
        #expect(outcome.providers["braze"] == .fresh)
      }
    }
    try await stage.end()
  }
}
