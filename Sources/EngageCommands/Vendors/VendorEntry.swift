import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel

/// What the command line knows of a vendor; a new one is one more entry.
struct VendorEntry: Sendable {
  /// As `engage.json` and `--vendor` name it.
  var name: String
  /// The keys of a provider in `engage.json`, besides `vendor`.
  var keys: [String] = []
  /// Reads a provider; nil for a vendor that this version knows by name alone.
  var open: (@Sendable (ProviderFields) throws(EngagementError) -> ConfiguredProvider)?
  /// An adapter that reads payloads and asks nobody anything.
  var reader: (@Sendable () throws(EngagementError) -> any EngagementAdapter)?
  /// What `engage init` writes, for the emulator.
  var starter: JSONObject?

  /// Every vendor, in the order in which they are listed.
  static let all: [VendorEntry] = [
    braze, vibes, VendorEntry(name: "clevertap"), VendorEntry(name: "atomic"),
  ]

  /// The vendors that this version speaks to.
  static var available: [VendorEntry] { all.filter { $0.open != nil } }
}

/// The keys of one provider.
struct ProviderFields {
  let id: ProviderID
  let whole: ConfigurationField
  let members: [String: ConfigurationField]
  let secrets: SecretReader

  func field(_ key: String) throws(EngagementError) -> ConfigurationField {
    guard let field = members[key] else { throw whole.missing(key) }
    return field
  }

  func string(_ key: String) throws(EngagementError) -> String { try field(key).string() }

  func secret(_ key: String) throws(EngagementError) -> Secret {
    try secrets.secret(try field(key))
  }

  /// The secret, or nil where the key is not there.
  func optionalSecret(_ key: String) throws(EngagementError) -> Secret? {
    members[key] == nil ? nil : try secret(key)
  }

  /// The address of the vendor: https, or http to this machine.
  func endpoint() throws(EngagementError) -> String {
    let field = try field("endpoint")
    let text = try field.string()
    let url: HTTPURL
    do throws(EngagementError) { url = try HTTPURL(text) } catch {
      throw field.fault("is no usable URL (\(error.underlying ?? "invalid"))")
    }
    guard !url.scheme.isSocket else { throw field.fault("has the scheme of a web socket") }
    guard url.origin.isConfidential else {
      throw field.fault(
        "is plain http to a host that is not this machine; use https, or http://127.0.0.1")
    }
    return text
  }
}

extension VendorEntry {
  /// A provider of the emulator's, as `engage init` would configure it.
  func emulated(at endpoint: String) throws(EngagementError) -> ConfiguredProvider {
    var members = starter ?? [:]
    members["endpoint"] = .string(endpoint)
    let whole = ConfigurationField(value: .object(members), path: name)
    guard let open else { throw whole.fault("is not available in this version") }
    let fields = Dictionary(
      try whole.members().map { ($0.name, $0.field) }, uniquingKeysWith: { first, _ in first })
    return try open(
      ProviderFields(
        id: ProviderID(name), whole: whole, members: fields,
        secrets: SecretReader(environment: { _ in nil }, folder: "/")))
  }
}
