import EngagementAtomic
import EngagementFormats
import EngagementJSON
import EngagementModel
public import EngagementVendors

extension VendorRegistration {
  /// Atomic, for the command line and the emulator.
  public static let atomic = VendorRegistration(
    name: "atomic", title: "Atomic", port: 8403,
    configurationKeys: ["endpoint", "environmentID", "apiKey", "token"],
    credentialHeaders: ["x-atomic-sdk-api-key"],
    starter: [
      "vendor": "atomic", "endpoint": "http://127.0.0.1:8403", "environmentID": "demo",
      "apiKey": "demo", "token": .string(starterToken),
    ],
    starterContainer: "BqWL1sT",
    examples: Examples(
      card: "6f1d",
      payloads: [
        Payload("cards", "feed.json", "a feed of cards"),
        Payload("push", "- < push.json", "a push"),
      ]),
    server: AtomicServer.self,
    reader: { () throws(EngagementError) in
      AtomicAdapter(try AtomicConfiguration(environmentID: "unused", apiKey: Secret("unused")))
    },
    provider: { (fields) throws(EngagementError) in
      let endpoint =
        fields.members["endpoint"] == nil
        ? AtomicConfiguration.standardEndpoint : try fields.endpoint()
      let token = try fields.secret("token")
      guard JWTClaims(token) != nil else {
        throw try fields.field("token").fault("is no JSON Web Token")
      }
      let configuration = try AtomicConfiguration(
        endpoint: endpoint, environmentID: try fields.string("environmentID"),
        apiKey: try fields.secret("apiKey"))
      return ConfiguredProvider(
        id: fields.id, adapter: AtomicAdapter(configuration), credential: token,
        endpoint: endpoint)
    })

  /// A token of the starter's user for the emulator, which does not check signatures. Its week is at
  /// the end of this century, so that a starter does not end after a week.
  private static let starterToken: String = {
    let end: Int64 = 4_102_444_800
    let claims: JSONObject = [
      "sub": .string(starterUser.rawValue), "iat": .integer(end - 604_800), "exp": .integer(end),
    ]
    let parts: [JSONObject] = [["alg": "RS512", "typ": "JWT"], claims]
    let texts = parts.map { Base64URL.text(of: JSON.object($0).encoded()) }
    return (texts + [Base64URL.text(of: Array("emulator".utf8))]).joined(separator: ".")
  }()
}
