import EngagementAnalytics
import EngagementCleverTap
import EngagementModel
public import EngagementVendors

extension VendorRegistration {
  /// CleverTap, for the command line and the emulator.
  public static let cleverTap = VendorRegistration(
    name: "clevertap", title: "CleverTap", port: 8402,
    configurationKeys: [
      "endpoint", "accountID", "token", "region", "debug", "templates", "fileHosts",
    ],
    credentialHeaders: ["x-clevertap-token"],
    starter: [
      "vendor": "clevertap", "endpoint": "http://127.0.0.1:8402", "accountID": "demo",
      "token": "demo", "debug": true, "templates": "templates.json",
      "fileHosts": ["127.0.0.1"],
    ],
    starterTemplates: starterTemplates,
    examples: Examples(
      message: "1790060400",
      payloads: [
        Payload(
          "campaigns", "answer.json", "an answer with campaigns",
          lists: [
            "inapp_notifs_cs", "inapp_notifs_ss", "inapp_notifs", "inapp_notifs_applaunched",
          ])
      ],
      event: Event("Coffee ordered", ["size": "large"])),
    eventTables: [.cleverTapExport],
    server: CleverTapServer.self,
    reader: { () throws(EngagementError) in
      CleverTapAdapter(try CleverTapConfiguration(accountID: "unused", token: Secret("unused")))
    },
    provider: { (fields) throws(EngagementError) in
      let endpoint =
        fields.members["endpoint"] == nil
        ? CleverTapConfiguration.handshake : try fields.endpoint()
      let region = try fields.members["region"].map { (field) throws(EngagementError) in
        try field.string()
      }
      let isDebug = try fields.members["debug"].map { (field) throws(EngagementError) in
        try field.bool()
      }
      let configuration = try CleverTapConfiguration(
        accountID: try fields.string("accountID"), token: try fields.secret("token"),
        region: region, endpoint: endpoint, definesTemplates: isDebug ?? false)
      return ConfiguredProvider(
        id: fields.id, adapter: CleverTapAdapter(configuration), endpoint: endpoint)
    })

  /// The template that the server's campaigns use.
  private static let starterTemplates = """
    {
      "offer": {
        "type": "template",
        "arguments": {
          "title": { "type": "string", "value": "Hello" },
          "price": { "type": "object", "value": { "amount": { "type": "number", "value": 2.5 } } },
          "isUrgent": { "type": "boolean", "value": false },
          "picture": { "type": "file" },
          "note": { "type": "file" },
          "open": { "type": "action" },
          "later": { "type": "action" }
        }
      }
    }

    """
}
