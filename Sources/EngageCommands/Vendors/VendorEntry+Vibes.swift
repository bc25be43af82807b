import EngagementAdapterAPI
import EngagementModel
import EngagementVibes

extension VendorEntry {
  static let vibes = VendorEntry(
    name: "vibes", keys: ["endpoint", "appID", "association"],
    open: { (fields) throws(EngagementError) in
      let endpoint = try fields.endpoint()
      let configuration = try VibesConfiguration(
        appID: try fields.string("appID"), endpoint: endpoint, provider: fields.id,
        association: try association(fields))
      return ConfiguredProvider(
        id: fields.id, adapter: VibesAdapter(configuration), endpoint: endpoint)
    },
    reader: { () throws(EngagementError) in
      VibesAdapter(try VibesConfiguration(appID: "unused"))
    },
    starter: ["vendor": "vibes", "endpoint": "http://127.0.0.1:8401", "appID": "demo"])

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
