import EngagementModel
import FoundationEssentials

/// The campaigns and events, which `peers/evaluate.c` makes by the same rules.
enum WorkSet {
  /// A Sunday at noon.
  static let now = Date(timeIntervalSince1970: 1_770_552_000)
  private static let cities = ["Sofia", "varna", "Ruse"]

  /// When each campaign was presented before.
  static let presentations = [5 * 24, 3 * 24, 25, 1].map {
    now.addingTimeInterval(Double($0) * -3_600)
  }

  /// A campaign with three conditions and two limits.
  static func campaign(_ number: Int) -> Campaign {
    var campaign = Campaign(
      ItemID(Application.provider, "\(number)"), vendor: "clevertap", template: "offer")
    campaign.priority = number % 10
    campaign.triggers = [
      Campaign.Trigger(
        "bought",
        properties: [
          .init("Price", .greaterThan, .integer(Int64(number % 50))),
          .init("City", .equals, .string(cities[number % 3])),
          .init("Count", .between, [.integer(Int64(number % 4)), .integer(Int64(number % 4 + 2))]),
        ])
    ]
    campaign.limits = [
      .init(.session, number % 5 + 1), .init(.days, 3, frequency: number % 7 + 1),
    ]
    return campaign
  }

  static func occurrence(_ number: Int) -> Campaign.Occurrence {
    Campaign.Occurrence(
      "Bought",
      properties: [
        "price": .integer(Int64(number % 50)), "city": "Varna ", "count": .integer(3),
        "item": "tea",
      ])
  }

  /// A campaign as the vendor lists it, by the same rules.
  static func listed(_ number: Int) -> String {
    #"""
    {"ti":\#(number),"type":"custom-code","templateName":"offer","vars":{},"priority":\#(number % 10),
     "whenTriggers":[{"eventName":"bought","eventProperties":[
      {"propertyName":"Price","operator":0,"propertyValue":\#(number % 50)},
      {"propertyName":"City","operator":1,"propertyValue":"\#(cities[number % 3])"},
      {"propertyName":"Count","operator":4,"propertyValue":[\#(number % 4),\#(number % 4 + 2)]}]}],
     "frequencyLimits":[{"type":"session","limit":\#(number % 5 + 1)},
      {"type":"days","limit":3,"frequency":\#(number % 7 + 1)}]}
    """#
  }
}
