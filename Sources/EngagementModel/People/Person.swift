/// A person in the data of one vendor.
public struct Person: Hashable, Sendable {
  public var provider: ProviderID
  public var vendor: Vendor
  /// The vendor's own key of the person.
  public var key: String
  /// The application's id of the person, as the vendor stores it.
  public var externalID: String?
  public var phone: String?
  public var email: String?
  public var name: String?
  /// Further values that the vendor stores about the person.
  public var custom = JSONObject()

  public init(_ key: String, provider: ProviderID, vendor: Vendor) {
    self.key = key
    self.provider = provider
    self.vendor = vendor
  }
}
