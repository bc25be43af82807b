import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite(.timeLimit(.minutes(20))) struct ValueTests {
  private let stand: StoreStand

  init() throws { stand = try StoreStand() }

  private static let changes: [Change] = {
    var person = Person("p-1", provider: "paper", vendor: "paper")
    person.custom = ["plan": "gold"]
    return [
      .keep(.installation, "device", "d-1"), .keep(.user, "caf\u{e9}", "1"),
      .keep(.user, "cafe\u{301}", "2"), .person(person),
      .settings(VendorSettings(cardsEnabled: false, sessionTimeout: .milliseconds(1_500))),
      .settings(VendorSettings(inboxEnabled: true)),
      .metrics(
        CardMetrics(active: 3, unseen: ["a"], byContainer: ["home": .init(active: 1, unseen: [])])),
      .throttled("inbox", until: StoreStand.start), .throttled(nil, until: StoreStand.start),
    ]
  }()

  @Test("values from an answer survive a restart and are reported once")
  func kept() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    let report = try await store.commit(
      Self.changes, from: "paper", in: user, at: StoreStand.start)
    #expect(report.hasNewPerson && report.hasNewMetrics && report.hasNewSettings)
    #expect(
      try await store.commit(Self.changes, from: "paper", in: user, at: StoreStand.start)
        == CommitReport())
    let memory = try await store.memory(of: "paper", in: user)
    #expect(try await stand.open().memory(of: "paper", in: user) == memory)
    #expect(memory.values[.user, "caf\u{e9}"] == "1")
    #expect(memory.values[.user, "cafe\u{301}"] == "2")
    #expect(memory.settings.cardsEnabled == false && memory.settings.inboxEnabled == true)
    #expect(memory.settings.sessionTimeout == .milliseconds(1_500))
    #expect(memory.person?.custom["plan"] == "gold")
    #expect(memory.metrics?.byContainer["home"]?.active == 1)
    #expect(memory.throttles.map(\.verb) == [nil, "inbox"])
  }

  @Test("G13: users share installation values, and each user's own values stay separate")
  func scopes() async throws {
    let store = try await stand.open()
    let (one, two) = (try await store.partition(of: "u-1"), try await store.partition(of: "u-2"))
    _ = try await store.commit(Self.changes, from: "paper", in: one, at: StoreStand.start)
    let other = try await store.memory(of: "paper", in: two)
    #expect(other.values[.installation, "device"] == "d-1")
    #expect(other.settings.cardsEnabled == false)
    #expect(other.values.all(.user).isEmpty && other.person == nil && other.throttles.isEmpty)
    #expect(try await store.memory(of: "other", in: one) == ProviderMemory())
    let staging = try await stand.open("staging")
    let there = try await staging.partition(of: "u-1")
    #expect(try await staging.memory(of: "paper", in: there) == ProviderMemory())
  }

  @Test("G6: a pause of the installation binds every user, and the last one counts")
  func pauseOfInstallation() async throws {
    let store = try await stand.open()
    let (one, two) = (try await store.partition(of: "u-1"), try await store.partition(of: "u-2"))
    let (start, end) = (StoreStand.start, StoreStand.start.addingTimeInterval(60))
    let changes: [Change] = [
      .throttled("inbox", until: start), .throttled(nil, until: start), .paused(until: end),
    ]
    for _ in 0..<2 {
      let report = try await store.commit(changes, from: "paper", in: one, at: start)
      #expect(report == CommitReport())
    }
    let own = try await store.memory(of: "paper", in: one).throttles
    #expect(
      Set(own) == [
        .init(nil, until: start), .init("inbox", until: start),
        .init(nil, until: end, of: .installation),
      ])
    let kept = try await stand.open().memory(of: "paper", in: two).throttles
    #expect(kept == [.init(nil, until: end, of: .installation)])
    _ = try await store.commit([.paused(until: start)], from: "paper", in: two, at: start)
    #expect(try await store.memory(of: "paper", in: one).throttles.map(\.until).max() == start)
    #expect(try await store.memory(of: "other", in: one).throttles.isEmpty)
  }

  @Test("forgotten values are gone after a reopen")
  func forgotten() async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    _ = try await store.commit(Self.changes, from: "paper", in: user, at: StoreStand.start)
    _ = try await store.commit(
      [.person(nil), .keep(.user, "caf\u{e9}", nil), .keep(.installation, "device", nil)],
      from: "paper", in: user, at: StoreStand.start)
    let memory = try await stand.open().memory(of: "paper", in: user)
    #expect(memory.person == nil)
    #expect(memory.values.all(.user).map(\.value) == ["2"])
    #expect(memory.values.all(.installation).isEmpty)
  }

  @Test(
    "G9: a stored value that fails its checksum is treated as absent",
    arguments: ["value = '9'", "name = X'41'", "provider = 'other'", "seal = seal + 1"])
  func damaged(column: String) async throws {
    let store = try await stand.open()
    let user = try await store.partition(of: "u-1")
    _ = try await store.commit(
      [.keep(.user, "mark", "7")], from: "paper", in: user, at: StoreStand.start)
    try stand.tamper("UPDATE value SET \(column)")
    for provider: ProviderID in ["paper", "other"] {
      #expect(try await store.memory(of: provider, in: user) == ProviderMemory())
    }
  }
}
