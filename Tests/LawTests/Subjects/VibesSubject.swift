import EngagementAdapterAPI
import EngagementModel
import EngagementPlatform
import EngagementTesting
import EngagementVendors
import EngagementVibes
import EngagementVibesTools

extension Subjects {
  static func vibes() throws -> AdapterSubject {
    let configuration = try VibesConfiguration(appID: "app-1")
    var subject = AdapterSubject(
      "vibes", items: [vibesMessages], adapter: { _ in VibesAdapter(configuration) },
      server: { vibesServer(at: $0) })
    subject.pushes = [
      PushSample(
        [
          "aps": ["alert": ["title": "Hi", "body": "There"], "badge": 1, "sound": "bell.caf"],
          "client_app_data": [
            "deep_link": "app://x", "inbox_message_uid": "m-1", "client_message_id": "c-1",
          ],
          "client_custom_data": ["key1": "val1"], "message_uid": "p-1",
        ],
        meaning: [
          "vendor": "vibes", "messageID": "p-1", "title": "Hi", "body": "There",
          "deepLink": "app://x", "sound": "bell.caf", "badge": 1, "silent": false,
          "custom": ["key1": "val1"], "inboxMessageID": "m-1",
          "detail": ["client_message_id": "c-1"],
        ])
    ]
    subject.operations = [
      .events([EngagementEvent(id: "e-1", kind: .launch, time: TestClock().now)]),
      .vendor("callback", ["migration_item_id": "item-1"]),
      .vendor("release", ["device": "another"]),
      .vendor("release.renew", ["device": "another"]),
    ]
    return subject
  }

  private static func vibesServer(at now: Date) -> any VendorServer {
    guard var server = VendorRegistration.vibes.server?.init(seed: nil, at: now) else {
      return MemoryServer(seed: nil, at: now)
    }
    // The marker reveals a leaked token.
    try? server.configure(["tokenPrefix": "canary-"], at: now)
    return server
  }

  private static var vibesMessages: ItemSamples {
    ItemSamples(
      .inbox, idMember: "message_uid",
      fullest: """
        {"message_uid":"m-1","push_message_uid":"p-1","subject":"Hello","content":"Text",\
        "detail":"https://example.com/m-1","collapse_key":"vibes-1","read":true,\
        "expires_at":"2026-10-02T09:00:00.012+00:00","created_at":"2026-10-01T10:00:00.123+02:00",\
        "images":{"icon":"https://example.com/i.png","main":"https://example.com/m.png"},\
        "inbox_custom_data":{"key1":"value1"},"client_app_data":{"inbox_message_uid":"m-1"},\
        "apprefdata":{"activityType":"Broadcast","activityUid":"a-1"}}
        """,
      meaning: [
        "provider": "subject", "vendor": "vibes", "id": "m-1", "subject": "Hello",
        "text": "Text", "detailURL": "https://example.com/m-1",
        "iconURL": "https://example.com/i.png", "imageURL": "https://example.com/m.png",
        "read": true, "createdAt": "2026-10-01T08:00:00.123Z",
        "expiresAt": "2026-10-02T09:00:00.012Z", "collapseKey": "vibes-1",
        "custom": ["key1": "value1"],
      ],
      actions: [.open, .read, .expire(at: nil), .dismiss, .delete, .impression, .click]
    ) { id, place in
      let time = "2026-09-30T08:\(SampleText.descending(place)).000Z"
      return
        #"{"message_uid":\#(SampleText.quoted(id)),"content":"Text","subject":"Message \#(place)","#
        + #""created_at":"\#(time)","apprefdata":{"activityType":"Broadcast","activityUid":"a"}}"#
    }
  }
}
