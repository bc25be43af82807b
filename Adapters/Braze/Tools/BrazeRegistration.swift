import EngagementAnalytics
import EngagementBraze
import EngagementModel
public import EngagementVendors

extension VendorRegistration {
  /// Braze, for the command line and the emulator.
  public static let braze = VendorRegistration(
    name: "braze", title: "Braze", port: 8400,
    configurationKeys: ["endpoint", "apiKey", "token"],
    credentialHeaders: ["x-braze-api-key", "x-braze-auth-signature"],
    starter: ["vendor": "braze", "endpoint": "http://127.0.0.1:8400", "apiKey": "demo"],
    examples: Examples(
      card: "card-1",
      payloads: [
        Payload("cards", "sync.json", "an answer with cards"),
        Payload("push", "- < push.json", "a push"),
      ]),
    eventTables: [.brazeCurrents],
    server: BrazeServer.self,
    reader: { () throws(EngagementError) in
      BrazeAdapter(
        try BrazeConfiguration(endpoint: "https://127.0.0.1", apiKey: Secret("unused")))
    },
    provider: { (fields) throws(EngagementError) in
      let token = try fields.optionalSecret("token")
      let endpoint = try fields.endpoint()
      let configuration = try BrazeConfiguration(
        endpoint: endpoint, apiKey: try fields.secret("apiKey"), signsRequests: token != nil)
      return ConfiguredProvider(
        id: fields.id, adapter: BrazeAdapter(configuration), credential: token, endpoint: endpoint)
    })
}
