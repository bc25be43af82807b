import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import OutlineAdapters

extension Subjects {
  static func cleverTap() throws -> AdapterSubject {
    let configuration = try CleverTapConfiguration(
      accountID: "ACC-1", token: Secret("canary-token"), provider: AdapterSubject.provider)
    var subject = AdapterSubject(
      "clevertap", items: [cleverTapMessages], adapter: { _ in CleverTapOutline(configuration) },
      server: { OutlineCleverTapServer(seed: nil, at: $0) })
    subject.credentialHeaders = ["x-clevertap-token"]
    subject.pushes = [
      PushSample(
        [
          "aps": ["alert": ["title": "Hi", "body": "Body"], "sound": "ding", "badge": 3],
          "wzrk_pid": "p-1", "W$id": "c-1", "wzrk_dl": "app://x", "own": "1",
        ],
        meaning: [
          "vendor": "clevertap", "messageID": "p-1", "title": "Hi", "body": "Body",
          "deepLink": "app://x", "sound": "ding", "badge": 3, "silent": false,
          "custom": ["own": "1"],
        ])
    ]
    // Its items come with any answer, so there is no list that could be malformed.
    subject.operations = [.campaigns]
    subject.secrets = [configuration.token]
    return subject
  }

  private static var cleverTapMessages: ItemSamples {
    ItemSamples(
      .inbox, idMember: "_id",
      fullest: """
        {"_id":"m-1","wzrk_id":"c-1","wzrk_pivot":"p","wzrk_ttl":1790900000,"date":1790845000,\
        "isRead":true,"msg":{"type":"simple","tags":["news"],\
        "custom_kv":[{"key":"offer","value":{"text":"50%"}}],\
        "content":[{"title":{"text":"Hello"},"message":{"text":"Text"},\
        "action":{"hasUrl":true,"url":{"ios":{"text":"app://ios"}}},\
        "media":{"url":"https://img.example/1.jpg"},"icon":{"url":"https://img.example/i.png"}}]}}
        """,
      meaning: [
        "provider": "subject", "vendor": "clevertap", "id": "m-1", "subject": "Hello",
        "text": "Text", "detailURL": "app://ios", "iconURL": "https://img.example/i.png",
        "imageURL": "https://img.example/1.jpg", "read": true,
        "createdAt": "2026-10-01T08:56:40.000Z", "expiresAt": "2026-10-02T00:13:20.000Z",
        "custom": ["offer": "50%"], "tags": ["news"],
      ],
      actions: [.read, .click, .open, .delete, .dismiss]
    ) { id, place in
      #"{"_id":\#(SampleText.quoted(id)),"wzrk_id":"c-1","wzrk_pivot":"wzrk_default","#
        + #""date":\#(1_790_800_000 - place),"isRead":false,"#
        + #""msg":{"type":"simple","content":[{"title":{"text":"Message \#(place)"}}]}}"#
    }
  }
}
