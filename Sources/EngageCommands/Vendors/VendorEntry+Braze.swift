import EngagementAdapterAPI
import EngagementBraze
import EngagementModel

extension VendorEntry {
  static let braze = VendorEntry(
    name: "braze", keys: ["endpoint", "apiKey", "token"],
    open: { (fields) throws(EngagementError) in
      let token = try fields.optionalSecret("token")
      let endpoint = try fields.endpoint()
      let configuration = try BrazeConfiguration(
        endpoint: endpoint, apiKey: try fields.secret("apiKey"), provider: fields.id,
        signsRequests: token != nil)
      return ConfiguredProvider(
        id: fields.id, adapter: BrazeAdapter(configuration), credential: token, endpoint: endpoint)
    },
    reader: { () throws(EngagementError) in
      BrazeAdapter(
        try BrazeConfiguration(endpoint: "https://127.0.0.1", apiKey: Secret("unused")))
    },
    starter: ["vendor": "braze", "endpoint": "http://127.0.0.1:8400", "apiKey": "demo"])
}
