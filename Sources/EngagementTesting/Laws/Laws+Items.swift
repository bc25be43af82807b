import EngagementAdapterAPI
import EngagementKit
import EngagementModel

extension Law {
  static let items = [oneBadCostsOne, vendorsOrder, vendorsIDs, duplicates]

  /// Every kind of bad item, as the bytes of one element in a valid list.
  private static func badItems(_ samples: ItemSamples) -> [(String, [UInt8])] {
    let id = samples.idMember
    let texts = [
      "null", "true", "1", "\"text\"", "[]", "[{}]", "{}", "{\"\(id)\":null}", "{\"\(id)\":{}}",
      "{\"\(id)\":\"a\\u0000b\"}", "{\"\(id)\":\"bad\",\"\(id)\":\"bad\"}",
      "{\"\(id)\":\"bad\",\"n\":1e999}", "{\"\(id)\":\"bad\",\"n\":99999999999999999999}",
      "{\"\(id)\":\"bad\",\"n\":\"\\ud800\"}",
    ]
    let deep =
      "{\"\(id)\":\"bad\",\"n\":" + String(repeating: "[", count: 80)
      + String(repeating: "]", count: 80) + "}"
    let broken = Array("{\"\(id)\":\"bad\",\"n\":\"".utf8) + [0xff, 0xfe] + Array("\"}".utf8)
    return texts.map { ($0, Array($0.utf8)) } + [
      ("bytes that are not UTF-8", broken), ("eighty levels of nesting", Array(deep.utf8)),
    ]
  }

  private static let oneBadCostsOne = Law(
    "items.one-bad-costs-one", "one bad item of a hundred costs one, whatever is wrong with it"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let ids = (0..<99).map { "item-\(100 + $0)" }
      for (what, bad) in badItems(samples) {
        let scenario = try await LawScenario(subject)
        var list = ids.enumerated().map { samples.item($0.element, $0.offset) }
        list.insert(bad, at: 37)
        await scenario.server.put(list, in: samples.feed, for: LawScenario.user)
        let outcome = try await scenario.refresh(samples)
        findings.expect(outcome, is: .done, "A bad item fails the list.", what)
        let visible = try await scenario.visible(samples)
        findings.expect(
          visible == ids, "A bad item removes others.", "\(what): \(visible.count) are left")
      }
    }
  }

  private static let vendorsOrder = Law(
    "items.order", "items come in the vendor's order"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      let ids = ["m", "z", "a", "10", "9", "B"]
      await scenario.server.put(
        ids.enumerated().map { samples.item($0.element, $0.offset) }, in: samples.feed,
        for: LawScenario.user)
      try await scenario.refresh(samples)
      findings.expect(
        try await scenario.visible(samples), is: ids, "The order has changed.",
        samples.feed.surface.rawValue)
    }
  }

  private static let vendorsIDs = Law(
    "items.ids", "ids are the vendor's, byte for byte"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      let ids = ["caf\u{e9}", "cafe\u{301}", "👩‍👩‍👧‍👦", "a b", "A B", "100%", "x"]
      await scenario.server.put(
        ids.enumerated().map { samples.item($0.element, $0.offset) }, in: samples.feed,
        for: LawScenario.user)
      try await scenario.refresh(samples)
      let seen = Set(try await scenario.visible(samples).map { Array($0.utf8) })
      let known = Set(ids.map { Array($0.utf8) })
      // An adapter may refuse an id that its vendor cannot have made, but may not change it.
      findings.expect(
        seen.isSubset(of: known), "An id is changed.",
        "\(seen.subtracting(known).map { String(decoding: $0, as: UTF8.self) })")
      findings.expect(
        seen.count + (try await scenario.quarantined().count), is: ids.count, "Two ids became one.",
        samples.feed.surface.rawValue)
    }
  }

  private static let duplicates = Law(
    "items.duplicates", "an item that is listed twice is shown once"
  ) { subject, findings in
    for samples in subject.items where subject.declares(samples.listing.verb) {
      let scenario = try await LawScenario(subject)
      let list = ["a", "b", "a"].enumerated().map { samples.item($0.element, $0.offset) }
      await scenario.server.put(list, in: samples.feed, for: LawScenario.user)
      try await scenario.refresh(samples)
      findings.expect(
        try await scenario.visible(samples).sorted(), is: ["a", "b"],
        "A duplicate is shown as another item.",
        samples.feed.surface.rawValue)
    }
  }
}
