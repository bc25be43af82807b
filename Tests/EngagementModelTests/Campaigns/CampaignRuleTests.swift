import FoundationEssentials
import Testing

@testable import EngagementModel

@Suite("rules of campaigns") struct CampaignRuleTests {
  private static let values: [JSON] = [
    .null, true, false, 1, 0, 12, .number(2.5), .number(-1), "1", "12", "true", "Varna ", "varna",
    "caf\u{e9}", "cafe\u{301}", "", [], ["varna"], [12], [1, 12], ["1", "x"], [.null, 3], [[1]],
    [:], [["a": 1]],
  ]

  @Test("C9: a prepared rule says what the comparison of its values says")
  func prepared() {
    for comparison in Campaign.Comparison.allCases {
      for expected in Self.values.map(Optional.some) + [nil] {
        for actual in Self.values.map(Optional.some) + [nil] {
          let condition = Campaign.Condition("p", comparison, expected)
          let value = actual.flatMap { TriggerValue($0) }
          let meets =
            value?.meets(comparison, expected.flatMap { TriggerValue($0) })
            ?? (comparison == .isNotSet)
          #expect(
            fires(condition, actual) == meets,
            "\(String(describing: actual)) \(comparison) \(String(describing: expected))")
        }
      }
    }
  }

  @Test("C9: names are the same without case and white space, whatever script they are in")
  func names() {
    let ascii = (0...0x7f).map { Unicode.Scalar(UInt8($0)) }
    for space in ascii where space.properties.isWhitespace {
      #expect("\(space)Bo\(space)ught".normalizedName == "bought")
      #expect("É\(space)".normalizedName == "é")
    }
    for other in ascii where !other.properties.isWhitespace {
      #expect("a\(other)".normalizedName == "a\(other)".lowercased())
      #expect("é\(other)".normalizedName == "é\(other)".lowercased())
    }
    #expect("\u{a0}x\u{2003}".normalizedName == "x")
  }

  private func fires(_ condition: Campaign.Condition, _ actual: JSON?) -> Bool {
    var properties = JSONObject()
    properties["p"] = actual
    var campaign = Campaign(ItemID("vendor", "c"), vendor: "vendor", template: "t")
    campaign.triggers = [Campaign.Trigger("e", properties: [condition])]
    let evaluation = CampaignEvaluator([campaign]).evaluate(
      [Campaign.Occurrence("e", properties: properties)],
      at: CampaignMoment(Date(timeIntervalSince1970: 1_790_845_200))
    ) { _ in CampaignCounts() }
    return !evaluation.fired.isEmpty
  }
}
