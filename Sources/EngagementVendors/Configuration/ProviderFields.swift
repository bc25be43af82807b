public import EngagementAdapterAPI
import EngagementHTTP
public import EngagementModel

/// The keys of one provider in `engage.json`. Every error names the key.
public struct ProviderFields {
  /// The application's name for the provider.
  public let id: ProviderID
  /// The members that are there, by their keys.
  public let members: [String: ConfigurationField]
  private let whole: ConfigurationField
  private let readSecret: SecretReading

  /// Reads a secret from where a field says that it is.
  package typealias SecretReading =
    (ConfigurationField) throws(EngagementError) -> Secret

  package init(
    id: ProviderID, whole: ConfigurationField, members: [String: ConfigurationField],
    secret: @escaping SecretReading
  ) {
    self.id = id
    self.whole = whole
    self.members = members
    readSecret = secret
  }

  /// Throws `invalidConfiguration` where the key is not there.
  public func field(_ key: String) throws(EngagementError) -> ConfigurationField {
    guard let field = members[key] else { throw whole.missing(key) }
    return field
  }

  /// The text of a key that has to be there.
  public func string(_ key: String) throws(EngagementError) -> String {
    try field(key).string()
  }

  /// The secret of a key that has to be there: a string, `{"env": NAME}` or `{"file": PATH}`.
  public func secret(_ key: String) throws(EngagementError) -> Secret {
    try readSecret(try field(key))
  }

  /// The secret, or nil where the key is not there.
  public func optionalSecret(_ key: String) throws(EngagementError) -> Secret? {
    members[key] == nil ? nil : try secret(key)
  }

  /// The address of the vendor: https, or http to this machine.
  public func endpoint() throws(EngagementError) -> String {
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

/// A provider with what is needed to reach it.
public struct ConfiguredProvider: Sendable {
  /// The application's name for it.
  public var id: ProviderID
  public var adapter: any EngagementAdapter
  /// The application's credential for the signed-in user.
  public var credential: Secret?
  /// Where the vendor is.
  public var endpoint: String
  /// The templates that campaigns of the provider may fill in.
  public var templates: [Template]
  /// The hosts that files of its campaigns may come from.
  public var fileHosts: [String]
  /// By what its items are known as copies of contents; nil for copies of nothing.
  package var contentKey: ContentKeySource?

  public init(
    id: ProviderID, adapter: any EngagementAdapter, credential: Secret? = nil, endpoint: String,
    templates: [Template] = [], fileHosts: [String] = []
  ) {
    self.id = id
    self.adapter = adapter
    self.credential = credential
    self.endpoint = endpoint
    self.templates = templates
    self.fileHosts = fileHosts
  }
}
