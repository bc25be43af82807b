import EngagementModel
public import EngagementVendors
import EngagementVibes

extension VendorRegistration {
  /// Vibes, for the command line and the emulator.
  public static let vibes = VendorRegistration(
    name: "vibes", title: "Vibes", port: 8401,
    configurationKeys: ["endpoint", "appID", "association"],
    starter: ["vendor": "vibes", "endpoint": "http://127.0.0.1:8401", "appID": "demo"],
    examples: Examples(
      message: "0b16", payloads: [Payload("inbox", "messages.json", "a list of messages")]),
    server: VibesServer.self,
    reader: { () throws(EngagementError) in
      VibesAdapter(try VibesConfiguration(appID: "unused"))
    },
    provider: { (fields) throws(EngagementError) in
      let endpoint = try fields.endpoint()
      let configuration = try VibesConfiguration(
        appID: try fields.string("appID"), endpoint: endpoint,
        association: try association(fields))
      return ConfiguredProvider(
        id: fields.id, adapter: VibesAdapter(configuration), endpoint: endpoint)
    })

  /// Who tells the vendor whose device this is; this tool unless said.
  private static func association(
    _ fields: ProviderFields
  ) throws(EngagementError) -> VibesConfiguration.Association {
    guard let field = fields.members["association"] else { return .onSignIn }
    let name = try field.name(
      "association", among: VibesConfiguration.Association.allCases.map(\.rawValue))
    return VibesConfiguration.Association(rawValue: name) ?? .onSignIn
  }
}
