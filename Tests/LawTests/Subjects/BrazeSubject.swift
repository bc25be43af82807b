import EngagementAdapterAPI
import EngagementBraze
import EngagementBrazeTools
import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementTesting
import EngagementVendors

extension Subjects {
  static func braze() throws -> AdapterSubject {
    let configuration = try BrazeConfiguration(
      endpoint: "https://sdk.braze.example", apiKey: Secret("canary-key"),
      signsRequests: true)
    var subject = AdapterSubject(
      "braze", items: [brazeCards], adapter: { _ in BrazeAdapter(configuration) },
      server: { StrictBrazeServer(seed: nil, at: $0) },
      credential: { signature(of: $0, serial: $1) })
    subject.credentialHeaders = VendorRegistration.braze.credentialHeaders
    subject.pushes = [
      PushSample(
        [
          "aps": [
            "alert": ["title": "T", "subtitle": "S", "body": "B"], "sound": "ping", "badge": 3,
          ],
          "ab": ["c": "blob"], "ab_uri": "app://open", "own": ["k": "v"],
        ],
        meaning: [
          "vendor": "braze", "title": "T", "subtitle": "S", "body": "B",
          "deepLink": "app://open", "sound": "ping", "badge": 3, "silent": false,
          "custom": ["own": ["k": "v"]],
        ]),
      PushSample(
        [
          "_ab": "true", "t": "T", "s": "S", "a": "B", "uri": "app://open",
          "extra": #"{"own":"v"}"#,
        ],
        meaning: [
          "vendor": "braze", "title": "T", "subtitle": "S", "body": "B",
          "deepLink": "app://open", "silent": false, "custom": ["own": "v"],
        ]),
    ]
    subject.refusal = #"{"message":"Refused"}"#
    subject.disguisedErrors = [
      DisguisedError(.settings, #"{"error":"invalid_api_key"}"#, .invalidConfiguration),
      DisguisedError(.cards(in: nil, matching: []), #"{"error":"blacklisted"}"#, .permissionDenied),
    ]
    subject.secrets = [configuration.apiKey]
    return subject
  }

  /// A JSON Web Token whose last part contains `canary`.
  private static func signature(of user: UserID, serial: Int) -> Secret {
    let claims: JSON = [
      "sub": .string(user.rawValue), "exp": 4_000_000_000, "serial": .integer(Int64(serial)),
    ]
    let parts = [#"{"alg":"RS256"}"#, String(decoding: claims.encoded(), as: UTF8.self)]
    return Secret(parts.map { Base64URL.text(of: Array($0.utf8)) + "." }.joined() + "canaryaa")
  }

  private static var brazeCards: ItemSamples {
    ItemSamples(
      .cards, idMember: "id",
      fullest: """
        {"id":"NWY1Yj","tp":"captioned_image","tt":"Title","ds":"Text",\
        "i":"https://example.com/i","image_alt":"A cup","language":"bg","u":"app://open","uw":1,\
        "dm":"example.com","ar":1.5,"ca":1790841600,"ea":1790931600,"p":1,"db":true,"v":1,\
        "cl":true,"r":false,"t":true,"e":{"slot":"home","n":"1"}}
        """,
      meaning: [
        "provider": "subject", "vendor": "braze", "id": "NWY1Yj", "kind": "captionedImage",
        "title": "Title", "text": "Text", "imageURL": "https://example.com/i",
        "imageAlt": "A cup", "imageAspectRatio": 1.5, "language": "bg", "url": "app://open",
        "linkText": "example.com", "opensInWebView": true,
        "createdAt": "2026-10-01T08:00:00.000Z", "updatedAt": "2026-10-01T08:00:00.000Z",
        "activeAt": "2026-10-01T08:00:00.000Z", "expiresAt": "2026-10-02T09:00:00.000Z",
        "pinned": true, "dismissible": true, "viewed": true, "clicked": true,
        "dismissed": false, "test": true, "extras": ["slot": "home", "n": "1"],
        "actions": ["dismiss": true, "snooze": false, "voteUp": false, "voteDown": false],
      ],
      actions: [.impression, .click, .dismiss],
      unknownKind: #"{"id":"later","tp":"hologram","ca":1790700000}"#
    ) { id, place in
      #"{"id":\#(SampleText.quoted(id)),"tp":"short_news","tt":"Card \#(place)","db":true,"#
        + #""u":"https://example.com","ca":\#(1_790_800_000 - place),"ea":-1}"#
    }
  }
}
