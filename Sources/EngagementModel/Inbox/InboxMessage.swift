public import EngagementPlatform

/// One message of an inbox.
public struct InboxMessage: Hashable, Sendable, Identifiable {
  public var id: ItemID
  public var vendor: Vendor
  public var subject: String?
  public var text: String?
  /// The address of the message's page, as the vendor sent it. Its scheme never runs code.
  public var detailURLText: String?
  public var iconURLText: String?
  public var imageURLText: String?
  /// What the image shows, for a user who does not see it.
  public var imageAlt: String?
  public var isRead = false
  public var createdAt: Date?
  /// When the message expires; nil for never.
  public var expiresAt: Date?
  /// A later message with the same key replaces this one.
  public var collapseKey: String?
  /// The vendor's id of the campaign that sent the message.
  public var campaignID: String?
  /// Key-value pairs that the campaign's author added to the message.
  public var custom = JSONObject()
  public var tags: [String] = []
  public var buttons: [Button] = []
  /// The contents after the first, which the message itself has: the further pages of a carousel.
  public var furtherContents: [Content] = []
  /// Data that the message's adapter needs to act on the message later. Opaque to all other code.
  /// Every action on the message carries it, and it is never printed.
  public var handle = JSONObject()
  /// Which content the message is a copy of. The store sets it, where the provider has content keys.
  package var contentKey: ContentKey?

  public init(_ id: ItemID, vendor: Vendor) {
    self.id = id
    self.vendor = vendor
  }

  /// The address of the message's page, parsed on access; nil if the vendor sent none or it is not
  /// a URL.
  public var detailURL: URL? { detailURLText.flatMap { URL(string: $0) } }
  public var iconURL: URL? { iconURLText.flatMap { URL(string: $0) } }
  public var imageURL: URL? { imageURLText.flatMap { URL(string: $0) } }
}
