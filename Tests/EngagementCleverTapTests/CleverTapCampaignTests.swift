import CleverTapFixtures
import EngagementCleverTap
import EngagementJSON
import EngagementModel
import FoundationEssentials
import Testing

@Suite("CleverTap: campaigns") struct CleverTapCampaignTests {
  private static let campaign = #"""
    {"type":"custom-code","templateId":"x","templateName":"promo","ti":4711,
     "wzrk_id":"4711_20261001","wzrk_pivot":"p","priority":10,"wzrk_ttl":1790900000,
     "excludeGlobalFCaps":-1,"mdc":2,"tdc":3,"tlc":-1,"delayAfterTrigger":30,
     "wzrk_ttl_offset":600,"suppressed":true,
     "vars":{"title":"Hi","count":5,"ratio":0.5,"flag":true,"map.deep":"x","none":null,"list":[1],
      "object":{"a":1},
      "close":{"actions":{"type":"close","close":1}},
      "plain":{"actions":{"type":"","close":true}},
      "open":{"actions":{"type":"url","ios":"https://a.example","android":"app://a"}},
      "kv":{"actions":{"type":"kv","kv":{"k":"v","n":1}}},
      "map.run":{"actions":{"type":"custom-code","templateName":"f","vars":{
        "x":1,"y":{"actions":{"type":"custom-code","templateName":"g","vars":{}}}}}},
      "ask":{"actions":{"type":"rfp","fbSettings":1}},
      "nothing":{"actions":{"type":""}},
      "nameless":{"actions":{"type":"custom-code"}}},
     "whenTriggers":[
      {"eventName":"Charged","eventProperties":[
        {"propertyName":"Amount","operator":4,"propertyValue":[2,10]},
        {"propertyName":"City","operator":26}],
       "itemProperties":[{"propertyName":"Name","operator":1,"propertyValue":["a"]}],
       "geoRadius":[{"lat":1,"lng":2.5,"rad":3}],"firstTimeOnly":true},
      {"eventName":"Unreadable","eventProperties":[{"propertyName":"x","operator":99}]},
      {"eventProperties":[]},
      {"profileAttrName":"Plan","eventProperties":null}],
     "frequencyLimits":[{"type":"session","limit":2},{"type":"minutes","limit":1,"frequency":5},
      {"type":"fortnights","limit":1},{"type":"ever"}],
     "occurrenceLimits":[{"type":"onEvery","limit":2}]}
    """#

  @Test("C2 C6 C9: every field of the fullest campaign arrives, with actions in neutral words")
  func fullCampaign() throws {
    var campaign = Campaign(
      ItemID("clevertap", "4711"), vendor: "clevertap", template: "promo")
    campaign.arguments = [
      "title": "Hi", "count": 5, "ratio": 0.5, "flag": true, "map.deep": "x",
      "close": ["action": "close"], "plain": ["action": "close"],
      "open": ["action": "openURL", "url": "https://a.example"],
      "kv": ["action": "keyValues", "values": ["k": "v", "n": 1]],
      "map.run": [
        "action": "function", "template": "f",
        "arguments": ["x": 1, "y": ["action": "function", "template": "g"]],
      ],
    ]
    campaign.priority = 10
    campaign.expiresAt = Date(timeIntervalSince1970: 1_790_900_000)
    campaign.triggers = [
      Campaign.Trigger(
        "Charged",
        properties: [
          Campaign.Condition("Amount", .between, [2, 10]), Campaign.Condition("City", .isSet),
        ],
        itemProperties: [Campaign.Condition("Name", .equals, ["a"])],
        places: [Campaign.Place(latitude: 1, longitude: 2.5, kilometres: 3)],
        isFirstTimeOnly: true),
      Campaign.Trigger("Plan", attribute: "Plan"),
    ]
    campaign.limits = [
      Campaign.Limit(.session, 2), Campaign.Limit(.minutes, 1, frequency: 5), .unreadable,
      .unreadable, Campaign.Limit(.onEvery, 2), Campaign.Limit(.session, 2),
      Campaign.Limit(.day, 3),
    ]
    campaign.delaySeconds = 30
    campaign.lifetimeSeconds = 600
    campaign.isSuppressed = true
    campaign.handle = [
      "campaign": [
        "wzrk_id": "4711_20261001", "wzrk_pivot": "p", "wzrk_ttl": 1_790_900_000,
        "wzrk_ttl_offset": 600,
      ],
      "number": "4711",
    ]
    #expect(try CleverTap.adapter().campaign(in: CleverTap.raw(Self.campaign)) == campaign)
    let android = try CleverTap.adapter(platform: .android)
      .campaign(in: CleverTap.raw(Self.campaign))
    #expect(android.arguments["open"]?["url"] == "app://a")
  }

  @Test(
    "C9: every comparison operator has a neutral name",
    arguments: [
      (0, .greaterThan), (1, .equals), (2, .lessThan), (3, .contains), (4, .between),
      (15, .notEquals), (26, .isSet), (27, .isNotSet), (28, .doesNotContain),
    ] as [(Int, Campaign.Comparison)])
  func comparison(number: Int, comparison: Campaign.Comparison) throws {
    let text =
      #"{"type":"custom-code","templateName":"t","ti":1,"whenTriggers":[{"eventName":"e","#
      + #""eventProperties":[{"propertyName":"p","operator":\#(number)}]}]}"#
    let campaign = try CleverTap.adapter().campaign(in: CleverTap.raw(text))
    #expect(
      campaign.triggers == [
        Campaign.Trigger("e", properties: [Campaign.Condition("p", comparison)])
      ])
  }

  @Test(
    "C9: only true or 1 excludes a campaign from the global caps",
    arguments: [
      (#""efc":1"#, true), (#""efc":true"#, true), (#""excludeGlobalFCaps":1"#, true),
      (#""efc":0,"excludeGlobalFCaps":true"#, true), (#""excludeGlobalFCaps":-1"#, false),
      (#""excludeGlobalFCaps":false"#, false), (#""efc":"1""#, false), (#""efc":2"#, false),
    ])
  func caps(member: String, isExcluded: Bool) throws {
    let text = #"{"type":"custom-code","templateName":"t","ti":"1",\#(member)}"#
    #expect(
      try CleverTap.adapter().campaign(in: CleverTap.raw(text)).isExcludedFromCaps == isExcluded)
  }

  @Test(
    "C7: an unsupported campaign kind is ignored by name, and a malformed campaign is quarantined",
    arguments: [
      (#"{"type":"alert-template","ti":1}"#, "unsupported", "alert-template"),
      (#"{"type":"custom-html","ti":1}"#, "unsupported", "custom-html"),
      (#"{"type":"<b>Secret</b>","ti":1}"#, "unsupported", nil),
      (#"{"ti":1,"w":{},"d":{"html":"x"}}"#, "unsupported", nil),
      (#"{"type":7,"ti":1}"#, "unsupported", nil),
      (#"{"type":"custom-code","ti":1}"#, "malformedResponse", nil),
      (#"{"type":"custom-code","templateName":"","ti":1}"#, "malformedResponse", nil),
      (#"{"type":"custom-code","templateName":"t"}"#, "malformedResponse", nil),
      (
        #"{"type":"custom-code","templateName":"t","ti":1,"x":"\ud800"}"#, "malformedResponse",
        "invalidSurrogate"
      ),
      ("[]", "malformedResponse", "notAnObject"),
    ] as [(String, EngagementError.Code, String?)])
  func kinds(text: String, code: EngagementError.Code, underlying: String?) throws {
    #expect {
      try CleverTap.adapter().campaign(in: CleverTap.raw(text))
    } throws: { thrown in
      guard let error = thrown as? EngagementError else { return false }
      return error.code == code && (code != .unsupported || error.underlying == underlying)
    }
  }

  @Test(
    "C9: a limit that cannot be read makes a campaign never due; an absent one is none",
    arguments: [
      (#""frequencyLimits":[{"type":"ever","limit":1}]"#, [Campaign.Limit(.ever, 1)]),
      (#""frequencyLimits":[{}],"tlc":-1,"mdc":null"#, []),
      (#""frequencyLimits":{}"#, [.unreadable]), (#""occurrenceLimits":[7]"#, [.unreadable]),
      (#""frequencyLimits":[{"type":"ever","limit":"1"}]"#, [.unreadable]),
      (#""frequencyLimits":[{"type":"ever","limit":-1}]"#, [.unreadable]),
      (#""frequencyLimits":[{"limit":1}]"#, [.unreadable]), (#""mdc":"2""#, [.unreadable]),
      (#""tdc":-2"#, [.unreadable]), (#""tlc":0"#, [Campaign.Limit(.ever, 0)]),
      (#""efc":1,"mdc":2,"tdc":3"#, []),
    ] as [(String, [Campaign.Limit])])
  func limits(members: String, limits: [Campaign.Limit]) throws {
    let text = #"{"type":"custom-code","templateName":"t","ti":"1",\#(members)}"#
    #expect(try CleverTap.adapter().campaign(in: CleverTap.raw(text)).limits == limits)
  }

  static let announced = #"{"ti":7,"whenTriggers":[{"eventName":"e"}],"priority":2}"#

  @Test("C9: an announced campaign needs an id and conditions, and no template")
  func announcedCampaign() throws {
    let campaign = try CleverTap.adapter().campaign(in: CleverTap.raw(Self.announced))
    var wanted = Campaign(ItemID("clevertap", "7"), vendor: "clevertap", template: "")
    wanted.triggers = [Campaign.Trigger("e")]
    wanted.priority = 2
    wanted.handle = ["campaign": [:], "number": "7"]
    #expect(campaign == wanted)
    let named = Self.announced.dropLast() + #","templateName":"t","type":"custom-code"}"#
    #expect(try CleverTap.adapter().campaign(in: CleverTap.raw(String(named))).template == "t")
    #expect(throws: EngagementError.self) {
      try CleverTap.adapter().campaign(in: CleverTap.raw(#"{"whenTriggers":[]}"#))
    }
    #expect {
      let html = Self.announced.dropLast() + #","d":{"html":"x"}}"#
      return try CleverTap.adapter().campaign(in: CleverTap.raw(String(html)))
    } throws: { ($0 as? EngagementError)?.code == .unsupported }
  }

  @Test("C9: a campaign without a number uses the vendor's other id")
  func otherID() throws {
    let text = #"{"type":"custom-code","templateName":"t","wzrk_id":"7_20261001"}"#
    #expect(try CleverTap.adapter().campaign(in: CleverTap.raw(text)).id.value == "7_20261001")
  }
}
