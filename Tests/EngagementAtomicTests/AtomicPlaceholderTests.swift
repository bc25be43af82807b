import AtomicFixtures
import EngagementAdapterAPI
import EngagementAtomic
import EngagementJSON
import EngagementModel
import Testing

/// Placeholders and addresses in Atomic's cards.
@Suite struct AtomicPlaceholderTests {
  @Test(
    "A23: a title shows the default of each variable and drops unknown variables",
    arguments: [
      ("!{a}", "1"), ("!{a}!{a}", "11"), ("x!{a}y!{b}z", "x1y!{a}z"), ("!{none}.", "."),
      ("!{", "!{"), ("!{a", "!{a"), ("!", "!"), ("! {a}", "! {a}"), ("!!{a}}", "!1}"),
      ("!{!{a}}", "}"), ("!{}", ""), ("", ""), ("é!{a}é", "é1é"),
    ])
  func placeholders(_ text: String, _ filled: String) throws {
    let item = """
      {"instance":{"id":"a"},"runtimeVariables":[{"name":"a","defaultValue":1},\
      {"name":"b","defaultValue":"!{a}"},{"name":"a","defaultValue":2}],\
      "defaultView":{"nodes":[{"type":"headline","attributes":{"text":"\(text)"}}]}}
      """
    #expect(try card(item).title == filled)
  }

  @Test("A23 G17: many placeholders with a long default give a title of limited size")
  func placeholderBomb() throws {
    let item = """
      {"instance":{"id":"a"},\
      "runtimeVariables":[{"name":"a","defaultValue":"\(String(repeating: "x", count: 50_000))"}],\
      "defaultView":{"nodes":[{"type":"headline",\
      "attributes":{"text":"\(String(repeating: "!{a}", count: 50_000))"}}]}}
      """
    #expect(try card(item).title?.utf8.count ?? 0 <= 65_536 + 50_000)
  }

  @Test(
    "A23: a date variable uses its author's format, in English and UTC",
    arguments: [
      ("DD MMM YYYY", "05 Oct 2026"), ("D MMMM YY", "5 October 26"),
      ("MM/M HH:mm:ss", "10/10 09:07:03"),
      ("H [h]", "9 [h]"), ("", ""),
    ])
  func dates(_ format: String, _ text: String) throws {
    let item = """
      {"instance":{"id":"a"},"runtimeVariables":[{"name":"a","type":"date",\
      "defaultValue":"2026-10-05T09:07:03.004Z","defaultFormatterOption":"\(format)"},\
      {"name":"b","type":"date","defaultValue":"2026-10-05T09:07:03.004Z"},\
      {"name":"c","type":"date","defaultValue":"soon","defaultFormatterOption":"DD"}]}
      """
    #expect(
      try card(item).runtimeVariables.map(\.defaultValue)
        == [text, "2026-10-05T09:07:03.004Z", "soon"])
  }

  // MARK: Addresses

  @Test(
    "A29 G18: a URL that can run code never reaches the model",
    arguments: [
      "javascript:alert(1)", " JavaScript:alert(1)", "java\\nscript:alert(1)",
      "\\u0001javascript:x",
      "data:text/html,x", "vbscript:x", "file:///etc/passwd", "view-source:javascript:x",
    ])
  func hostileAddresses(_ address: String) throws {
    let item = """
      {"instance":{"id":"a"},"runtimeVariables":[{"name":"a","defaultValue":"\(address)"}],\
      "defaultView":{"nodes":[\
      {"type":"image","attributes":{"src":"!{a}","thumbnailSrc":"\(address)"}},\
      {"type":"video","attributes":{"src":"\(address)"}},\
      {"type":"text","attributes":{"text":"x","iconUrl":"\(address)"}},\
      {"type":"submitButton","attributes":{"url":"\(address)"}},\
      {"type":"linkButton","attributes":{"text":"Go","url":"\(address)"}},\
      {"type":"linkButton","attributes":{"text":"Nowhere"}}]}}
      """
    let card = try card(item)
    #expect(card.imageURL == nil)
    #expect(card.components.map(\.attributes) == [["url": "!{a}"], [:], ["text": "x"]])
    #expect(card.buttons == [CardButton("", .submit(name: nil, values: [:]))])
  }

  private func card(_ item: String) throws -> Card {
    try AtomicSamples.adapter().card(in: RawItem(index: 0, bytes: Array(item.utf8)[...]))
  }
}
