import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngagementStore

@Suite struct ItemCacheQuarantineTests {
  private let stand: ItemCacheStand

  init() throws { stand = try ItemCacheStand() }

  private static let deep =
    String(repeating: "[", count: 80) + String(repeating: "]", count: 80)

  private static let bad: [String] = [
    "null", "7", #""text""#, "[]", "{}", #"{"id":7}"#, #"{"id":null,"x":"y"}"#,
    #"{"id":"a\u0000"}"#, #"{"id":"x","x":"\ud800"}"#, #"{"id":"x","id":"y"}"#,
    #"{"id":"x","n":99999999999999999999}"#, #"{"id":"x","n":1e999}"#,
    #"{"id":"x","n":\#(deep)}"#,
  ]

  private func list(of count: Int, with bad: String? = nil, at place: Int = 41) -> [RawItem] {
    var texts = (0..<count).map { #"{"id":"\#($0)","x":"\#($0)"}"# }
    if let bad { texts[place] = bad }
    var cursor = JSONCursor(Array("[\(texts.joined(separator: ","))]".utf8))
    return (try? cursor.items() ?? []) ?? []
  }

  @Test(
    "G17: one bad item of a hundred is quarantined alone, whatever is wrong with it", arguments: bad
  )
  func oneOfAHundred(bad: String) throws {
    let report = try stand.commit(.items(.cards, .replace(.nothing), list(of: 100, with: bad)))
    #expect(report.quarantined.map(\.index) == [41])
    #expect(report.quarantined.allSatisfy { !$0.reason.isEmpty })
    #expect(try stand.ids() == (0..<100).filter { $0 != 41 }.map(String.init))
  }

  @Test(
    "G17: a bad item is reported once across lists, patches and restarts",
    arguments: bad)
  func toldOnce(bad: String) throws {
    let items = list(of: 10, with: bad, at: 4)
    let key = FeedKey("paper", .cards)
    #expect(try stand.commit(.items(.cards, .replace(.nothing), items)).quarantined.count == 1)
    for isFresh in [false, true] {
      if isFresh { try stand.restart() }
      for items in [items, Array(items.reversed()), [items[4], items[4]]] {
        for mode in [ItemMode.replace(.nothing), .put, .patch(PatchRules())] {
          let report = try stand.commit(.items(.cards, mode, items))
          #expect(report.quarantined.isEmpty)
          #expect(report.feeds == [key])
        }
      }
    }
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 1)
    #expect(try stand.count("SELECT place FROM quarantine") == 4)
  }

  @Test("a bad item is reported once for each feed that lists it")
  func perFeed() throws {
    let report = try stand.commit(
      .list(["{}", "{}"]), .list(["{}"], in: Feed(.cards, in: "home")), .list(["{}"], in: .inbox))
    #expect(report.quarantined.map(\.index) == [0, 0, 0])
    #expect(Set(report.quarantined.map(\.feed)).count == 3)
  }

  @Test("an item of an unknown kind is left out and not quarantined")
  func unknownKind() throws {
    let report = try stand.commit(.list([#"{"id":"a"}"#, #"{"id":"b","kind":"game"}"#]))
    #expect(report.quarantined.isEmpty)
    #expect(try stand.ids() == ["a"])
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 0)
  }

  @Test("an item that turns bad is hidden until it is valid again")
  func goodThenBad() throws {
    try stand.commit(.list([#"{"id":"a"}"#, #"{"id":"b"}"#]))
    try stand.commit(.list([#"{"id":"a","x":"\ud800"}"#, #"{"id":"b"}"#]))
    #expect(try stand.ids() == ["b"])
    try stand.commit(.list([#"{"id":"a"}"#, #"{"id":"b"}"#]))
    #expect(try stand.ids() == ["a", "b"])
  }

  @Test(
    "a bad patch is reported and leaves the item unchanged",
    arguments: [#"{"x":"\ud800"}"#, "[]", "7", #"{"id":7}"#, #"{"x":1,"x":2}"#])
  func badPatch(patch: String) throws {
    try stand.commit(.list([#"{"id":"a","x":"old"}"#]))
    let report = try stand.commit(.patch([("a", patch)]))
    #expect(report.quarantined.count == 1)
    #expect(try stand.titles() == ["old"])
  }

  @Test("a patch to an unknown kind leaves the item unchanged")
  func unknownPatch() throws {
    try stand.commit(.list([#"{"id":"a","x":"old"}"#]))
    let report = try stand.commit(.patch([("a", #"{"kind":"game"}"#)]))
    #expect(report.quarantined.isEmpty)
    #expect(try stand.titles() == ["old"])
  }

  @Test("G7: only the newest thousand bad items of a user are remembered")
  func bounded() throws {
    for start in [0, 700, 1_400] {
      let texts = (start..<start + 700).map { #"{"n":\#($0)}"# }
      let report = try stand.commit(.put(texts))
      #expect(report.quarantined.count == 700)
    }
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 1_000)
    #expect(try stand.commit(.put([#"{"n":2099}"#])).quarantined.isEmpty)
    #expect(try stand.commit(.put([#"{"n":0}"#])).quarantined.count == 1)
  }

  @Test("G17: a bad item is remembered until a complete list has it readable or not at all")
  func forgotten() throws {
    try stand.commit(.list([#"{"id":"a"}"#, #"{"n":1}"#, #"{"n":2}"#]))
    try stand.commit(.put([#"{"n":3}"#]))
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 3)
    try stand.commit(.list([#"{"id":"a"}"#, #"{"n":2}"#]))
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 1)
    try stand.commit(.list([#"{"id":"a"}"#, #"{"id":"b"}"#]))
    #expect(try stand.count("SELECT count(*) FROM quarantine") == 0)
  }
}
