import EngagementAdapterAPI
import EngagementCleverTap
import EngagementCleverTapTools
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform
import EngagementTesting
import EngagementVendors

extension Subjects {
  static func cleverTap() throws -> AdapterSubject {
    let configuration = try CleverTapConfiguration(
      accountID: "ACC-1", token: Secret("canary-token"))
    var subject = AdapterSubject(
      "clevertap", items: [cleverTapMessages, cleverTapCampaigns],
      adapter: { _ in CleverTapAdapter(configuration) },
      server: { cleverTapServer(at: $0) })
    subject.credentialHeaders = ["x-clevertap-token"]
    subject.pushes = [
      PushSample(
        [
          "aps": ["alert": ["title": "Hi", "body": "Body"], "sound": "ding", "badge": 3],
          "wzrk_pid": "p-1", "W$id": "c-1", "wzrk_dl": "app://x", "own": "1",
        ],
        meaning: [
          "vendor": "clevertap", "messageID": "p-1", "campaignID": "c-1", "title": "Hi",
          "body": "Body",
          "deepLink": "app://x", "sound": "ding", "badge": 3, "silent": false,
          "custom": ["own": "1"],
        ])
    ]
    // Its items come with any answer, so there is no list that could be malformed.
    subject.operations = [.campaigns]
    // Any other words come from something between the adapter and the vendor.
    subject.refusal = #"{"error":"Refused"}"#
    subject.campaigns = campaignSamples
    subject.secrets = [configuration.token]
    return subject
  }

  private static func cleverTapServer(at now: Date) -> any VendorServer {
    guard var server = VendorRegistration.cleverTap.server?.init(seed: nil, at: now) else {
      return MemoryServer(seed: nil, at: now)
    }
    // Only the subject's account and token are good; the marker reveals a leaked token.
    try? server.configure(
      [
        "account": "ACC-1", "token": "canary-token", "domain": "eu1.clevertap-prod.com",
        "deliveryMode": .null,
      ], at: now)
    return server
  }

  /// What is viewed or clicked names the campaign, not the item, so no law follows an action.
  private static var cleverTapCampaigns: ItemSamples {
    ItemSamples(
      .campaigns, idMember: "ti",
      fullest: """
        {"type":"custom-code","templateName":"offer","ti":"4711","wzrk_id":"4711_20261001",\
        "priority":7,"wzrk_ttl":1790900000,"wzrk_ttl_offset":600,"delayAfterTrigger":30,\
        "excludeGlobalFCaps":1,"suppressed":true,\
        "vars":{"title":"Hi","map.open":{"actions":{"type":"url","ios":"app://x"}}},\
        "whenTriggers":[{"eventName":"Viewed","profileAttrName":"Plan",\
        "eventProperties":[{"propertyName":"City","operator":1,"propertyValue":["Sofia"]}],\
        "itemProperties":[{"propertyName":"Price","operator":4,"propertyValue":[1,2]}],\
        "geoRadius":[{"lat":1.5,"lng":2.5,"rad":3.5}],"firstTimeOnly":true}]}
        """,
      meaning: [
        "provider": "subject", "vendor": "clevertap", "id": "4711", "template": "offer",
        "arguments": ["title": "Hi", "map.open": ["action": "openURL", "url": "app://x"]],
        "priority": 7, "expiresAt": "2026-10-02T00:13:20.000Z", "excludedFromCaps": true,
        "triggers": [
          [
            "event": "Viewed", "attribute": "Plan",
            "properties": [["name": "City", "is": "equals", "value": ["Sofia"]]],
            "itemProperties": [["name": "Price", "is": "between", "value": [1, 2]]],
            "places": [["latitude": 1.5, "longitude": 2.5, "kilometres": 3.5]],
            "firstTimeOnly": true,
          ]
        ],
        "delaySeconds": 30, "lifetimeSeconds": 600, "suppressed": true,
      ],
      unknownKind: #"{"type":"carousel-9","ti":"u-1"}"#
    ) { id, _ in
      #"{"type":"custom-code","templateName":"offer","ti":\#(SampleText.quoted(id))}"#
    }
  }

  private static var campaignSamples: CampaignSamples {
    @Sendable func campaign(_ id: String) -> String {
      #"{"type":"custom-code","templateName":"offer","ti":\#(id),"wzrk_id":"\#(id)_20261001","#
        + #""wzrk_pivot":"wzrk_default","whenTriggers":[{"eventName":"paid"}]}"#
    }
    return CampaignSamples(
      event: "paid", template: "offer", ids: ("4711", "4712"), onDevice: campaign,
      announced: campaign
    ) { request in
      guard let meta = (try? JSON(parsing: request.body ?? []))?.array?.first,
        let shownToday = meta["imp"]?.integer
      else { return nil }
      let shown = meta["tlc"]?.array?.compactMap { count -> (String, Int)? in
        guard let parts = count.array, parts.count == 3, let id = parts[0].string else {
          return nil
        }
        return (id, Int(parts[2].integer ?? 0))
      }
      return CampaignSamples.Told(
        due: meta["inapps_eval"]?.array?.compactMap { $0.integer.map { "\($0)" } } ?? [],
        shownToday: Int(shownToday), shown: Dictionary(shown ?? []) { first, _ in first })
    }
  }

  private static var cleverTapMessages: ItemSamples {
    ItemSamples(
      .inbox, idMember: "_id",
      fullest: """
        {"_id":"m-1","wzrk_id":"c-1","wzrk_pivot":"p","wzrk_ttl":1790900000,"date":1790845000,\
        "isRead":true,"msg":{"type":"simple","tags":["news"],\
        "custom_kv":[{"key":"offer","value":{"text":"50%"}}],\
        "content":[{"title":{"text":"Hello"},"message":{"text":"Text"},\
        "action":{"hasUrl":true,"url":{"ios":{"text":"app://ios"}},"hasLinks":true,\
        "links":[{"type":"copy","text":"Copy","copyText":{"text":"TEN"}}]},\
        "media":{"url":"https://img.example/1.jpg","alt_text":"A shoe"},\
        "icon":{"url":"https://img.example/i.png"}},{"title":{"text":"Second"}}]}}
        """,
      meaning: [
        "provider": "subject", "vendor": "clevertap", "id": "m-1", "subject": "Hello",
        "text": "Text", "detailURL": "app://ios", "iconURL": "https://img.example/i.png",
        "imageURL": "https://img.example/1.jpg", "read": true,
        "createdAt": "2026-10-01T08:56:40.000Z", "expiresAt": "2026-10-02T00:13:20.000Z",
        "imageAlt": "A shoe", "custom": ["offer": "50%"], "tags": ["news"],
        "buttons": [["text": "Copy", "action": "copy", "value": "TEN"]],
        "furtherContents": [["subject": "Second"]],
      ],
      actions: [.read, .click, .open, .delete, .dismiss]
    ) { id, place in
      #"{"_id":\#(SampleText.quoted(id)),"wzrk_id":"c-1","wzrk_pivot":"wzrk_default","#
        + #""date":\#(1_790_800_000 - place),"isRead":false,"#
        + #""msg":{"type":"simple","content":[{"title":{"text":"Message \#(place)"}}]}}"#
    }
  }
}
