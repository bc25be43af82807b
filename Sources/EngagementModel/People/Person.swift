/// A person as one vendor knows them.
public struct Person: Hashable, Sendable {
  public var provider: ProviderID
  public var vendor: Vendor
  /// The vendor's own key of the person.
  public var key: String
  /// The application's id that the vendor has for the person.
  public var externalID: String?
  public var phone: String?
  public var email: String?
  public var name: String?
  /// What else the vendor keeps about the person.
  public var custom = JSONObject()

  public init(_ key: String, provider: ProviderID, vendor: Vendor) {
    self.key = key
    self.provider = provider
    self.vendor = vendor
  }
}
