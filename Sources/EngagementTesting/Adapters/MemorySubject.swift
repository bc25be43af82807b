import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

extension AdapterSubject {
  /// The in-memory adapter with its server, as an example of a subject.
  public static var memory: AdapterSubject {
    var subject = AdapterSubject(
      "memory", items: [cards, messages, campaigns], adapter: { MemoryAdapter(as: $0) },
      server: { MemoryServer(seed: nil, at: $0) },
      credential: { MemoryProtocol.credential(for: $0, serial: $1) })
    subject.credentialHeaders = [MemoryProtocol.deviceToken]
    subject.pushes = pushes
    subject.disguisedErrors = [
      DisguisedError(.inbox, #"{"error":"overloaded"}"#, .unavailable),
      DisguisedError(.person, #"{"error":"blocked"}"#, .permissionDenied),
    ]
    subject.live = live
    subject.campaigns = campaignSamples
    return subject
  }

  private static var cards: ItemSamples {
    ItemSamples(
      Feed(.cards, in: "home"), idMember: "id",
      fullest: """
        {"id":"c-1","kind":"captionedImage","title":"Bill","text":"Due on Friday",\
        "image":{"url":"https://memory.example/bill.png","alt":"A bill"},\
        "link":{"url":"https://memory.example/bill","text":"Pay"},"language":"en",\
        "created":1790841600123,"updated":1790845200456,"expires":1790931600789,\
        "priority":2,"pinned":true,"dismissible":true,"viewed":1,"extras":{"slot":"home","n":[1]}}
        """,
      meaning: [
        "provider": "subject", "vendor": "memory", "id": "c-1", "kind": "captionedImage",
        "title": "Bill", "text": "Due on Friday",
        "imageURL": "https://memory.example/bill.png", "imageAlt": "A bill", "language": "en",
        "url": "https://memory.example/bill", "linkText": "Pay", "opensInWebView": false,
        "createdAt": "2026-10-01T08:00:00.123Z", "updatedAt": "2026-10-01T09:00:00.456Z",
        "expiresAt": "2026-10-02T09:00:00.789Z", "priority": 2, "pinned": true,
        "dismissible": true, "viewed": true, "clicked": false, "dismissed": false,
        "test": false, "extras": ["slot": "home", "n": [1]],
        "actions": ["dismiss": true, "snooze": false, "voteUp": false, "voteDown": false],
      ],
      actions: [
        .impression, .click, .dismiss, .snooze(seconds: 60),
        .submit(button: "pay", values: ["amount": 5]),
      ],
      unknownKind: #"{"id":"c-9","kind":"hologram","title":"Later"}"#
    ) { id, place in
      let id = JSON.string(id)
      return #"{"id":\#(id.text),"title":"Card \#(place)","dismissible":true}"#
    }
  }

  private static var messages: ItemSamples {
    ItemSamples(
      .inbox, idMember: "id",
      fullest: """
        {"id":"m-1","subject":"Welcome","text":"Hello Ada","page":"https://memory.example/m-1",\
        "icon":"https://memory.example/i.png","image":"https://memory.example/m.png","read":true,\
        "created":1790841600001,"expires":1790931600002,"collapse":"welcome",\
        "custom":{"a":{"b":null}},"tags":["new","offer"]}
        """,
      meaning: [
        "provider": "subject", "vendor": "memory", "id": "m-1", "subject": "Welcome",
        "text": "Hello Ada", "detailURL": "https://memory.example/m-1",
        "iconURL": "https://memory.example/i.png", "imageURL": "https://memory.example/m.png",
        "read": true, "createdAt": "2026-10-01T08:00:00.001Z",
        "expiresAt": "2026-10-02T09:00:00.002Z", "collapseKey": "welcome",
        "custom": ["a": ["b": .null]], "tags": ["new", "offer"],
      ], actions: [.open, .read, .delete]
    ) { id, place in
      #"{"id":\#(JSON.string(id).text),"subject":"Message \#(place)"}"#
    }
  }

  private static var campaigns: ItemSamples {
    ItemSamples(
      .campaigns, idMember: "id",
      fullest: """
        {"id":"p-1","template":"coupon","arguments":{"title":"5 %","code.text":"SAVE"},\
        "priority":3,"expires":1790931600005,"uncapped":true,"triggers":[{"event":"bought"}],\
        "limits":[{"perDay":1}]}
        """,
      meaning: [
        "provider": "subject", "vendor": "memory", "id": "p-1", "template": "coupon",
        "arguments": ["title": "5 %", "code.text": "SAVE"], "priority": 3,
        "expiresAt": "2026-10-02T09:00:00.005Z", "excludedFromCaps": true,
        "triggers": [["event": "bought"]], "limits": [["type": "day", "limit": 1]],
      ]
    ) { id, place in
      #"{"id":\#(JSON.string(id).text),"template":"t-\#(place)"}"#
    }
  }

  private static var campaignSamples: CampaignSamples {
    @Sendable func campaign(_ id: String) -> String {
      #"{"id":"\#(id)","template":"coupon","triggers":[{"event":"paid"}]}"#
    }
    return CampaignSamples(
      event: "paid", template: "coupon", ids: ("p-1", "p-2"), onDevice: campaign,
      announced: campaign
    ) { request in
      guard request.url.hasSuffix("/events"),
        let told = (try? JSON(parsing: request.body ?? []))?["campaigns"]
      else { return nil }
      let shown = told["shown"]?.object?.members.map { ($0.key, Int($0.value.integer ?? 0)) } ?? []
      return CampaignSamples.Told(
        due: told["due"]?.array?.compactMap(\.string) ?? [],
        shownToday: Int(told["shownToday"]?.integer ?? 0),
        shown: Dictionary(shown) { first, _ in first })
    }
  }

  private static var pushes: [PushSample] {
    [
      PushSample(
        [
          "aps": ["alert": "ignored"],
          "memory": [
            "id": "n-1", "title": "Bill", "body": "Due on Friday", "link": "app://bills/1",
            "card": "c-1", "container": "home", "message": "m-1", "custom": ["a": 1],
          ],
        ],
        meaning: [
          "vendor": "memory", "messageID": "n-1", "title": "Bill", "body": "Due on Friday",
          "deepLink": "app://bills/1", "silent": false, "custom": ["a": 1], "itemID": "c-1",
          "containerID": "home", "inboxMessageID": "m-1",
        ]),
      PushSample(
        ["memory": ["id": "n-2", "silent": true]],
        meaning: ["vendor": "memory", "messageID": "n-2", "silent": true]),
    ]
  }

  private static var live: LiveSamples {
    LiveSamples(
      Feed(.cards, in: "home"),
      greeting: [#"{"container":"home","at":1,"full":[{"id":"a"}]}"#],
      updates: [
        #"{"container":"home","at":2,"put":[{"id":"b"},{"id":"c"}]}"#,
        #"{"container":"home","at":3,"gone":["a"]}"#,
        #"{"container":"home","at":4,"put":[{"id":"d"}]}"#,
        #"{"container":"home","at":5,"gone":["c"]}"#,
      ],
      full: #"{"container":"home","at":6,"full":[{"id":"b"},{"id":"d"}]}"#, ids: ["b", "d"],
      heartbeat: MemoryConversation.heartbeat)
  }
}

extension JSON {
  /// The value as JSON text.
  fileprivate var text: String { String(decoding: encoded(), as: UTF8.self) }
}
