import EngagementAdapterAPI
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

/// How long counts what was done to a content that no vendor lists any more.
@Suite struct UnlistedContentTests {
  private static let keys: [ProviderID: ContentKeySource] = [
    "a": .extra("sku"), "b": .extra("sku"), "c": .extra("sku"),
  ]
  private static let day: TimeInterval = 86_400
  private let stand: ItemCacheStand

  init() throws { stand = try Self.stand(Self.keys) }

  private static func stand(_ keys: [ProviderID: ContentKeySource]) throws -> ItemCacheStand {
    try ItemCacheStand(
      ["a": PaperAdapter("a"), "b": PaperAdapter("b"), "c": PaperAdapter("c")], contentKeys: keys)
  }

  private func list(_ ids: String..., at provider: ProviderID) throws {
    let items = ids.map { #"{"id":"\#($0)","g":"k"}"# }
    try stand.commit(.list(items, in: .cards), from: provider)
  }

  private func cards(_ provider: ProviderID) throws -> [String] {
    try stand.view(of: provider).items.map(\.id.value)
  }

  private func marks() throws -> Int? { try stand.count("SELECT count(*) FROM content_mark") }

  private func unlisted() throws -> Int? {
    try stand.count("SELECT count(*) FROM unlisted_content")
  }

  /// One vendor lists a content, the user dismisses it, and the vendor lists it no more.
  private func endAtFirst() throws {
    try list("a1", at: "a")
    try stand.act(.dismiss, on: "a1", of: "a")
    try list(at: "a")
  }

  @Test(
    "X4 R4.7: a copy at a vendor that is asked for the first time, or lists it late, is not seen",
    arguments: [0, 3_600, day * 29])
  func late(_ seconds: TimeInterval) throws {
    try endAtFirst()
    try stand.restart()
    // The vendor that had it answers, and so does one that has no copy yet.
    try list(at: "a")
    try list(at: "c")
    stand.now += seconds
    try list("b1", at: "b")
    #expect(try cards("b") == [])
    #expect(try unlisted() == 0)
    try stand.restart()
    #expect(try cards("b") == [])
  }

  @Test("X4: the marks end when each other vendor has answered a day later, and not before")
  func answered() throws {
    try endAtFirst()
    try list(at: "b")
    try list(at: "c")
    stand.now += Self.day
    try list(at: "b")
    try stand.restart()
    try list(at: "a")
    try list("b1", at: "b")
    #expect(try cards("b") == [])
    try list(at: "b")
    // Since it was listed again, the day begins again.
    try list(at: "c")
    #expect(try marks() == 1)
    stand.now += Self.day
    try list(at: "c")
    #expect(try marks() == 1)
    try list(at: "a")
    #expect(try marks() == 0)
    #expect(try unlisted() == 0)
    try list("b1", at: "b")
    #expect(try cards("b") == ["b1"])
  }

  @Test("X4: that nothing has changed is an answer, and an older state or one item is none")
  func unchanged() throws {
    try endAtFirst()
    stand.now += Self.day
    try stand.commit(.unchanged(.cards), from: "b")
    #expect(try marks() == 1)
    try stand.commit([.unchanged(.cards)], from: "c", settling: false)
    #expect(try marks() == 1)
    try stand.commit(.unchanged(.cards), from: "c")
    #expect(try marks() == 0)
  }

  @Test("X4: a vendor that never answers is waited for 30 days")
  func longest() throws {
    try endAtFirst()
    stand.now += Self.day * 30 - 1
    try list(at: "a")
    #expect(try marks() == 1)
    stand.now += 1
    try list(at: "a")
    #expect(try marks() == 0)
    #expect(try unlisted() == 0)
  }

  @Test("X4: with content keys of one vendor alone the marks end at once, and what comes is new")
  func alone() throws {
    let stand = try Self.stand(["a": .extra("sku")])
    for _ in 0..<2 {
      try stand.commit(.list([#"{"id":"a1","g":"k"}"#], in: .cards), from: "a")
      #expect(try stand.view(of: "a").items.map(\.id.value) == ["a1"])
      try stand.act(.dismiss, on: "a1", of: "a")
      try stand.commit(.list([], in: .cards), from: "a")
      #expect(try stand.count("SELECT count(*) FROM content_mark") == 0)
    }
  }

  @Test("X4: a vendor whose key is taken out of the configuration is not waited for")
  func unconfigured() throws {
    try endAtFirst()
    try stand.restart(contentKeys: ["a": .extra("sku"), "b": .extra("sku")])
    stand.now += Self.day
    try list(at: "b")
    #expect(try marks() == 0)
  }

  @Test(
    "X4 G9: where the list of the awaited vendors is damaged, all of them are awaited",
    arguments: ["", "[", "{}", "[1]"])
  func damaged(_ text: String) throws {
    try endAtFirst()
    try stand.tamper("UPDATE unlisted_content SET awaited = '\(text)'")
    try stand.restart()
    stand.now += Self.day
    try list(at: "b")
    #expect(try marks() == 1)
    try list("c1", at: "c")
    #expect(try cards("c") == [])
  }

  @Test("X4: a clock that goes back does not keep the marks for years")
  func backwards() throws {
    stand.now += Self.day * 3_650
    try endAtFirst()
    stand.now -= Self.day * 3_650
    try list(at: "a")
    stand.now += Self.day
    try list(at: "b")
    try list(at: "c")
    #expect(try marks() == 0)
  }

  @Test("X4: what is taken back while nobody lists the content leaves nothing")
  func undone() throws {
    try endAtFirst()
    try stand.undo(.dismiss, on: "a1", of: "a")
    #expect(try marks() == 0)
    try list("b1", at: "b")
    #expect(try cards("b") == ["b1"])
    #expect(try unlisted() == 0)
  }
}
