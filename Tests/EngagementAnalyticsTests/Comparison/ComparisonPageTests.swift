import EngagementJSON
import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementAnalytics

@Suite("reports of a comparison") struct ComparisonPageTests {
  private static let later = Epoch2026.date(afterDays: 30)

  /// A name that closes tags, adds others, turns the text round and hides.
  private static let hostile =
    "</title></text><script>alert('1')</script>\"onload=\"x\u{0}\u{1b}[2J\u{202e}\u{2066}\u{7f}\u{2028}&<"

  private func hostileReport() throws -> ComparisonReport {
    let (hostile, kind) = (Self.hostile, EngagementEvent.Kind(Self.hostile))
    let design = try ComparisonDesign(
      experiment: hostile, arms: [.init(hostile, share: 0.5), .init("B" + hostile, share: 0.5)],
      control: hostile,
      metrics: [
        ComparisonMetric(hostile, .people(kind)), ComparisonMetric("x", .events(.click, per: kind)),
      ], schedule: .fixed(people: 4), strata: [hostile])
    var fixture = try ComparisonFixture()
    fixture.design = design
    for person in 0..<40 as Range<UInt64> {
      let arm = person % 2 == 0 ? hostile : "B" + hostile
      fixture.expose(person, to: arm, [hostile: .string(hostile + "\(person % 2)")])
      fixture.events[fixture.events.count - 1].name = hostile
      if person % 3 == 0 { fixture.add(kind, by: person, after: 1) }
      if person % 5 == 0 { fixture.add(.click, by: person, after: 1) }
    }
    fixture.expose(50, to: hostile + "C")
    return ComparisonReport(fixture.counts(), at: Self.later)
  }

  private func randomReport(seed: UInt64) throws -> ComparisonReport {
    var counts = try ComparisonFixture.random(seed: seed, people: 400).counts()
    // Otherwise no lift is shown.
    counts.peopleInOtherVersions = 0
    return ComparisonReport(counts, at: Self.later)
  }

  @Test("X12: texts from outside close no tag, run nothing and turn no text round")
  func hostileTexts() throws {
    let report = try hostileReport()
    #expect(report.counts.arms.map(\.assigned) == [20, 20])
    for text in [report.html, report.text] {
      let bad = text.unicodeScalars.filter {
        $0 != "\n" && ($0.value < 0x20 || $0 == "\u{7f}" || $0 == "\u{202e}" || $0 == "\u{2066}")
      }
      #expect(bad.isEmpty, "\(bad)")
    }
    #expect(!report.html.contains("<script") && !report.html.contains("onload=\""))
    #expect(try HTMLTags(report.html).names.isSuperset(of: ["svg", "table", "bdi"]))
    let json = String(decoding: JSON.object(report.json).encoded(), as: UTF8.self)
    #expect(json.contains("alert('1')"), "JSON has the names unchanged")
  }

  @Test("X12: no text breaks out of HTML, and none loses what a reader can see")
  func escaping() {
    var random = SeededGenerator(seed: 34)
    let pieces = [
      "<", ">", "&", "\"", "'", "-->", "]]>", "</style>", "<!--", "&amp;", "&#x3c;", "\u{0}",
      "\r\n",
      "\u{1b}]0;x\u{7}", "\u{202e}", "\u{2067}", "\u{feff}", "\u{e0041}", "\u{2028}", "\u{fffe}",
      "\u{d}", "é", "e\u{301}", "👩\u{200d}👧", "שלום", "=1+1", "javascript:", "x", " ",
    ]
    for _ in 0..<500 {
      let text = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
      let html = text.html
      #expect(!html.contains(#/[<>"']/#) && html.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      let names = ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&amp;": "&"]
      let read = html.replacing(#/&[a-z#0-9]+;/#) { names[String($0.output)] ?? "?" }
      #expect(read.utf8.elementsEqual(text.cleaned().utf8))
      #expect(read.unicodeScalars.count == text.unicodeScalars.count)
      let turns = read.unicodeScalars.contains { (0x202a...0x202e).contains($0.value) }
      #expect(!turns)
    }
  }

  @Test("X12: a long name is cut, and a text that is cut says so")
  func length() {
    #expect(String(repeating: "a", count: 60).readable.count == 60)
    #expect(String(repeating: "a", count: 1_000_000).readable.count == 61)
    #expect(String(repeating: "a", count: 61).readable.hasSuffix("a…"))
  }

  @Test("X12: the page needs nothing from elsewhere and runs no script")
  func selfContained() throws {
    let html = try randomReport(seed: 3).html
    for text in [
      "<script", "http:", "https:", "url(", "@import", "src=", "href=", "<link", "<iframe",
    ] {
      #expect(!html.contains(text), "\(text)")
    }
    #expect(html.contains("default-src 'none'; style-src 'unsafe-inline'"))
    #expect(html.contains("prefers-color-scheme: dark") && html.contains("@media print"))
  }

  @Test(
    "X12: a screen reader finds a title and a description of each chart, and heads of each table")
  func accessible() throws {
    let html = try randomReport(seed: 3).html
    let tags = try HTMLTags(html)
    let ids = html.matches(of: /\bid="([^"]+)"/).map { String($0.1) }
    #expect(Set(ids).count == ids.count)
    for reference in html.matches(of: /aria-labelledby="([^"]+)"/) {
      for id in reference.1.split(separator: " ") { #expect(ids.contains(String(id)), "\(id)") }
    }
    let charts = html.matches(of: #/<svg role="img"/#).count
    #expect(charts > 8 && html.matches(of: #/<desc /#).count == charts)
    #expect(html.matches(of: #/<figcaption>/#).count == charts)
    let tables = html.matches(of: #/<table>/#).count
    #expect(tables > charts && html.matches(of: #/<caption>/#).count == tables)
    #expect(html.matches(of: #/<th>/#).isEmpty && html.contains("<th scope=\"row\">"))
    #expect(tags.names.contains("main") && html.matches(of: #/<h1>/#).count == 1)
  }

  @Test("X12: page, text and JSON have the same figures", arguments: [1, 2, 3] as [UInt64])
  func agreement(seed: UInt64) throws {
    let report = try randomReport(seed: seed)
    let (html, text, json) = (report.html, report.text, JSON.object(report.json))
    var figures: [String] = []
    for (metric, values) in zip(report.design.metrics, json["metrics"]?.array ?? []) {
      for arm in values["arms"]?.array ?? [] {
        let value = arm["figure"]?["value"]?.number
        figures.append(Figure.rate(try #require(value), isShare: metric.isShare))
      }
      let difference = try #require(values["comparisons"]?.array?.first?["difference"])
      guard let interval = difference["absolute"]?["interval"]?.array?.compactMap(\.number) else {
        #expect(metric.name == "opt-out" || metric.name == "dismissal")
        continue
      }
      let change = difference["relative"]?["value"]?.number
      figures += interval.map { Figure.difference($0, isShare: metric.isShare) }
      figures.append(Figure.change(try #require(change)))
      figures.append(Figure.probability(try #require(difference["adjustedProbability"]?.number)))
    }
    #expect(figures.count == 7 * 2 + 5 * 4)
    for figure in figures {
      #expect(html.contains(figure.html) && text.contains(figure), "\(figure)")
    }
  }

  @Test("X12: a lift that is withheld is in no output")
  func withheld() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 100, of: 1_000)
    counts.arms[1].assigned = 1_400
    let report = ComparisonReport(counts, at: Self.later)
    let comparison = JSON.object(report.json)["metrics"]?.array?.first?["comparisons"]?.array?.first
    for name in ["difference", "withoutPast", "exposed"] {
      #expect(comparison?[name]?.object?.members.map(\.key) == ["withheld"])
    }
    #expect(!report.html.contains(" pp") && !report.text.contains(" pp"))
    #expect(report.html.contains("No lift is shown") && report.sentences.count == 2)
  }

  @Test("X12: only a difference that is seen is written large")
  func tiles() throws {
    func html(_ clicked: Int, _ others: Int) throws -> String {
      let counts = try ComparisonFixture.clicks(clicked, of: 1_000, others, of: 1_000)
      return ComparisonReport(counts, at: Self.later).html
    }
    #expect(try html(100, 150).contains("<strong>+5.00 pp</strong>"))
    let unseen = try html(100, 101)
    #expect(
      unseen.contains(
        #"<strong class="none">No difference seen</strong><small>Measured: +0.10 pp</small>"#))
    #expect(!unseen.contains("<strong>"))
    let withheld = try html(0, 1)
    #expect(withheld.contains(#"<strong class="none">No difference told</strong><p>"#))
  }

  @Test("X12: a plan that was changed after it began shows no lift")
  func changed() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 1_000)
    counts.peopleInOtherVersions = 1
    let report = ComparisonReport(counts, at: Self.later)
    #expect(
      report.withheld == [
        "The plan was changed: 1 person was in another version of the experiment. The lift is "
          + "withheld: give the changed experiment a name of its own, and begin again."
      ])
    #expect(!report.html.contains(" pp") && !report.text.contains(" pp"))
  }

  @Test("X12: no output has a number that means nothing")
  func emptiness() throws {
    let empty = try ComparisonFixture.clicks(0, of: 0, 0, of: 0)
    let few = try ComparisonFixture.clicks(1, of: 1, 0, of: 1)
    let same = try ComparisonFixture.clicks(9, of: 9, 9, of: 9)
    let providers = ComparisonCounts(
      try ComparisonDesign(providers: ["one", "two"], control: "two"))
    for counts in [empty, few, same, providers] {
      let report = ComparisonReport(counts, at: Self.later)
      let json = String(decoding: JSON.object(report.json).encoded(), as: UTF8.self)
      for text in [report.html, report.text, json] {
        #expect(text.firstMatch(of: /\b(nan|inf|infinity)\b/.ignoresCase()) == nil)
      }
      _ = try HTMLTags(report.html)
    }
  }

  @Test("X12: the report as a text")
  func text() throws {
    var counts = try ComparisonFixture.clicks(100, of: 1_000, 150, of: 1_000)
    counts.peopleInSeveralArms = 3
    for arm in 0..<2 {
      counts.arms[arm].delivered = 900
      counts.arms[arm].seen = 400
      counts.arms[arm].clicked = counts.arms[arm].metrics[0].numerator
      counts.arms[arm].events = [.delivered: 950, .impression: 400 + arm, .click: 200]
    }
    let report = ComparisonReport(counts, at: Self.later)
    #expect(report.text == Self.golden, "\(report.text)")
  }

  @Test("X12: a relative interval with zero in it does not decide, and the report says so")
  func relativeInterval() throws {
    let counts = try ComparisonFixture.clicks(100, of: 1_000, 130, of: 1_000)
    #expect(
      ComparisonReport(counts, at: Self.later).sentences == [
        "click: B is above A: +3.00 pp (+0.20 pp to +5.80 pp), relative +30.00% (\u{2212}1.95% to "
          + "+61.95%). The relative interval contains zero: the absolute one decides."
      ])
  }

  private static let golden = """
    banner, version 1
    2,000 people · compared with A · fixed design · 95% intervals

    click: B is above A: +5.00 pp (+2.11 pp to +7.89 pp), relative +50.00% (+14.36% to +85.64%).
    Note: 3 people in several arms: left out. An experiment puts each person into one: see that all devices know the person by one id, and one plan.

    Checks
    CHECK                 STATE   WHAT IT SAYS
    split of the arms     passed  The arms show no other split than the planned one (p = 1.0000; below 0.001 they would).
    split of the exposed  passed  The exposed show no other split than the planned one (p = 1.0000; below 0.001 they would).
    plan                  passed  All people were in this version of the plan.
    logs                  open    What the logs have lost is not known, so that the arms' losses are not compared. Name folders of "engage export --out DIR", whose manifests say it; a program says it with addLog.
    horizon               passed  The design may be read: 2,000 of 2 planned people are there. Decide by the first report that had them: each further one makes a false alarm more likely.

    People
    ARM  ASSIGNED   SHARE  PLANNED  EXPOSED
    A       1,000  50.00%   50.00%    1,000
    B       1,000  50.00%   50.00%    1,000

    Funnel
    STEP       ARM  PEOPLE   OF ALL
    People     A     1,000  100.00%
    People     B     1,000  100.00%
    Delivered  A       900   90.00%
    Delivered  B       900   90.00%
    Seen       A       400   40.00%
    Seen       B       400   40.00%
    Clicked    A       100   10.00%
    Clicked    B       150   15.00%

    Figures
    METRIC  ARM  FIGURE      95% INTERVAL  OUT OF
    click   A    10.00%   8.14% to 11.86%   1,000
    click   B    15.00%  12.78% to 17.22%   1,000

    Differences from A
    METRIC  ARM  DIFFERENCE          95% INTERVAL  RELATIVE        95% INTERVAL       P  P BY HOLM  DETECTABLE
    click   B      +5.00 pp  +2.11 pp to +7.89 pp   +50.00%  +14.36% to +85.64%  0.0007     0.0007     4.14 pp

    Requests to providers
    ARM  REQUESTS  FAILED  SHARE  MEAN TIME  HALF TOOK UP TO  95% TOOK UP TO
    A           0       0   none  not known        not known       not known
    B           0       0   none  not known        not known       not known

    Events
    KIND          A    B
    click       200  200
    delivered   950  950
    impression  400  401

    """

  @Test(
    "X12: figures are written in one way",
    arguments: [
      (Figure.count(1_234_567), "1,234,567"), (Figure.count(-1_000), "\u{2212}1,000"),
      (Figure.percent(0.12345), "12.35%"), (Figure.percent(0), "0.00%"),
      (Figure.percent(0.000123), "0.012%"), (Figure.percent(0.00000001), "0.000001%"),
      (Figure.change(0.1), "+10.00%"), (Figure.change(-0.1), "\u{2212}10.00%"),
      (Figure.difference(0.005, isShare: true), "+0.50 pp"), (Figure.decimal(1e300), "1e+300"),
      (Figure.difference(-2.5, isShare: false), "\u{2212}2.50"),
      (Figure.decimal(-1e-12), "0.000000"),
      (Figure.probability(0.00009), "< 0.0001"), (Figure.probability(0.04999), "0.0500"),
      (Figure.equation(0), "p < 0.0001"), (Figure.equation(0.5), "p = 0.5000"),
      (Figure.level(0.05), "95%"), (Figure.level(0.001), "99.9%"),
      (Figure.day(20_454), "2026-01-01"),
      (Figure.day(.max), "day 9223372036854775807"),
    ])
  func figures(text: String, expected: String) { #expect(text == expected) }
}
