import EngagementModel
import Testing

@Suite("Campaigns: conditions") struct CampaignConditionTests {
  /// Whether one condition on the property `p` fires.
  private func fires(
    _ comparison: Campaign.Comparison, _ expected: JSON?, on properties: JSONObject
  ) -> Bool {
    var campaign = Campaign(ItemID("p", "1"), vendor: "v", template: "t")
    campaign.triggers = [
      Campaign.Trigger("e", properties: [Campaign.Condition("p", comparison, expected)])
    ]
    let evaluation = CampaignEvaluator([campaign]).evaluate(
      [Campaign.Occurrence("e", properties: properties)], at: .start
    ) { _ in CampaignCounts() }
    return evaluation.fired.count == 1
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let comparison: Campaign.Comparison
    let expected: JSON?
    /// Values that meet the comparison.
    var met: [JSON] = []
    /// Values that do not. An absent one and a null never do but where `isNotSet` asks.
    var unmet: [JSON] = []

    var testDescription: String { "\(comparison) \(expected.map { "\($0)" } ?? "")" }
  }

  static let cases: [Case] = [
    Case(
      comparison: .equals, expected: "Sofia", met: ["Sofia", " sofia\n", "SOFIA", ["x", "sofia"]],
      unmet: ["Sofi", "Sofia 1", 1, true, ["x"], [], ["k": "Sofia"]]),
    Case(
      comparison: .equals, expected: ["a", 2, .null], met: ["A", "2", 2, 2.0, ["x", "a"]],
      unmet: ["a2", 3, false, ["b", 4]]),
    Case(
      comparison: .equals, expected: 5, met: [5, 5.0, "5", " 5.0 ", "5e0"],
      unmet: [6, "five", "5 apples", "0x5", "", true]),
    Case(comparison: .equals, expected: "5", met: ["5", 5, 5.0], unmet: ["5.0", 50]),
    Case(
      comparison: .equals, expected: true, met: [true, "TRUE", 1, "1"], unmet: [false, "yes", 0]),
    Case(comparison: .equals, expected: "false", met: [false, "False"], unmet: [true, 0, ""]),
    Case(comparison: .equals, expected: nil, unmet: ["", "null", 0]),
    Case(comparison: .equals, expected: [], unmet: ["", [], 0]),
    Case(comparison: .equals, expected: ["k": 1], unmet: [["k": 1]]),
    Case(
      comparison: .notEquals, expected: "a", met: ["b", 1, ["a", "b"], ["k": 1]],
      unmet: ["a", " A", ["a"], []]),
    Case(comparison: .notEquals, expected: ["a", 1], met: ["b", 2], unmet: ["a", 1, "1"]),
    Case(comparison: .notEquals, expected: nil, unmet: ["a", 1]),
    Case(
      comparison: .greaterThan, expected: 10, met: [11, 10.5, "11", [1, 11]],
      unmet: [10, 9, "9", "x", [1, 2], ["k": 11]]),
    Case(comparison: .greaterThan, expected: [10], met: [11], unmet: [10]),
    Case(comparison: .greaterThan, expected: "10", met: [11, "12"], unmet: [10, "1"]),
    Case(comparison: .greaterThan, expected: [10, 20], unmet: [11, 21, 5]),
    Case(comparison: .greaterThan, expected: "x", unmet: [1, "y"]),
    Case(comparison: .lessThan, expected: 0, met: [-1, "-0.5"], unmet: [0, 1, "a"]),
    Case(
      comparison: .between, expected: [2, 10], met: [2, 10, 5.5, "3", [1, 4]],
      unmet: [1, 11, "x", [1, 11], true]),
    Case(comparison: .between, expected: ["2", "10"], met: [3], unmet: [1]),
    Case(comparison: .between, expected: [2], unmet: [2]),
    Case(comparison: .between, expected: 2, unmet: [2]),
    Case(comparison: .between, expected: [10, 2], unmet: [5]),
    Case(
      comparison: .contains, expected: "Oak", met: ["oak", "The OAK tree", ["x", "oaks"]],
      unmet: ["o a k", "", 1, []]),
    Case(comparison: .contains, expected: ["a", "b"], met: ["xbx"], unmet: ["xcx"]),
    Case(comparison: .contains, expected: 23, met: [1234, "a23"], unmet: [132]),
    Case(comparison: .contains, expected: "", unmet: ["", "a"]),
    Case(
      comparison: .doesNotContain, expected: "oak", met: ["elm", 5, ["oak", "elm"]],
      unmet: ["oak", ["oak"]]),
    Case(comparison: .isSet, expected: nil, met: ["", 0, false, ["k": 1], [1]], unmet: [[]]),
    Case(comparison: .isNotSet, expected: nil, unmet: ["", 0, false, ["k": 1], [1], []]),
  ]

  @Test("C9: each comparison takes texts, numbers, flags and lists", arguments: cases)
  func comparison(_ test: Case) {
    for value in test.met {
      #expect(fires(test.comparison, test.expected, on: ["p": value]), "\(value)")
    }
    for value in test.unmet {
      #expect(!fires(test.comparison, test.expected, on: ["p": value]), "\(value)")
    }
    let isNotSet = test.comparison == .isNotSet
    #expect(fires(test.comparison, test.expected, on: [:]) == isNotSet)
    #expect(fires(test.comparison, test.expected, on: ["p": .null]) == isNotSet)
  }

  @Test(
    "C9: names of properties compare without white space and case, the exact name first",
    arguments: [
      (["p q": 1], true), (["PQ": 1], true), (["p\u{A0}q": 1], true), (["p-q": 1], false),
      (["pq": 2, "P q": 1], true), (["PQ": 2, "pq": 1], false),
    ] as [(JSONObject, Bool)])
  func names(properties: JSONObject, isMet: Bool) {
    var campaign = Campaign(ItemID("p", "1"), vendor: "v", template: "t")
    campaign.triggers = [
      Campaign.Trigger("My Event", properties: [Campaign.Condition("P q", .equals, 1)])
    ]
    let evaluation = CampaignEvaluator([campaign]).evaluate(
      [Campaign.Occurrence("my  event", properties: properties)], at: .start
    ) { _ in CampaignCounts() }
    #expect(evaluation.fired.isEmpty != isMet)
  }

  @Test(
    "C9: every condition on items needs one item that meets it",
    arguments: [
      ([["Name": "Oak", "Price": 5]], true), ([["Name": "Oak"], ["Price": 5]], true),
      ([["Name": "Oak", "Price": 1]], false), ([["Name": "Elm", "Price": 5]], false),
      ([["name": ["Elm", "oak"], "PRICE": "4"]], true), ([], false),
    ] as [([JSONObject], Bool)])
  func items(items: [JSONObject], isMet: Bool) {
    var campaign = Campaign(ItemID("p", "1"), vendor: "v", template: "t")
    campaign.triggers = [
      Campaign.Trigger(
        "Charged",
        itemProperties: [
          Campaign.Condition("Name", .equals, "oak"), Campaign.Condition("Price", .greaterThan, 3),
        ])
    ]
    let evaluation = CampaignEvaluator([campaign]).evaluate(
      [Campaign.Occurrence("Charged", items: items)], at: .start
    ) { _ in CampaignCounts() }
    #expect(evaluation.fired.isEmpty != isMet)
  }

  static let sofia = Campaign.Position(latitude: 42.6977, longitude: 23.3219)

  @Test(
    "C9: a trigger with places fires in one of them, on their edge, and nowhere without a position",
    arguments: [
      // Sofia and Plovdiv are 132.6 km apart on a sphere of 6371 km.
      (sofia, 140.0, true), (sofia, 125.0, false), (nil, 40_000.0, false),
      (Campaign.Position(latitude: 42.1354, longitude: 24.7453), 0, true),
      (Campaign.Position(latitude: 91, longitude: 0), 40_000, false),
      (Campaign.Position(latitude: .nan, longitude: 0), 40_000, false),
    ] as [(Campaign.Position?, Double, Bool)])
  func places(position: Campaign.Position?, kilometres: Double, isMet: Bool) {
    var campaign = Campaign(ItemID("p", "1"), vendor: "v", template: "t")
    campaign.triggers = [
      Campaign.Trigger(
        "e",
        places: [
          Campaign.Place(latitude: -80, longitude: 0, kilometres: 1),
          Campaign.Place(latitude: 42.1354, longitude: 24.7453, kilometres: kilometres),
        ])
    ]
    let evaluation = CampaignEvaluator([campaign]).evaluate(
      [Campaign.Occurrence("e", position: position)], at: .start
    ) { _ in CampaignCounts() }
    #expect(evaluation.fired.isEmpty != isMet)
  }
}
