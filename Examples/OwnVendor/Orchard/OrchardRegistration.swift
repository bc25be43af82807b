import EngagementModel
public import EngagementVendors

extension VendorRegistration {
  /// Orchard, for the command line and the emulator.
  public static let orchard = VendorRegistration(
    name: "orchard", title: "Orchard", port: 8404,
    configurationKeys: ["endpoint", "key"], credentialHeaders: ["x-orchard-key"],
    starter: ["vendor": "orchard", "endpoint": "http://127.0.0.1:8404", "key": "demo"],
    examples: Examples(
      card: "5f0c", payloads: [Payload("cards", "cards.json", "an answer with cards")]),
    server: OrchardServer.self,
    reader: { () throws(EngagementError) in
      try OrchardAdapter(
        endpoint: "https://127.0.0.1", key: Secret("unused"), provider: "orchard")
    },
    provider: { (fields) throws(EngagementError) in
      let endpoint = try fields.endpoint()
      let adapter = try OrchardAdapter(
        endpoint: endpoint, key: try fields.secret("key"), provider: fields.id)
      return ConfiguredProvider(id: fields.id, adapter: adapter, endpoint: endpoint)
    })
}
