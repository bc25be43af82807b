public import FoundationEssentials

/// One message of an inbox.
public struct InboxMessage: Hashable, Sendable, Identifiable {
  public var id: ItemID
  public var vendor: Vendor
  public var subject: String?
  public var text: String?
  /// The page behind the message, as the vendor sent it; no scheme that can run code.
  public var detailURL: String?
  public var iconURL: String?
  public var imageURL: String?
  public var read = false
  public var createdAt: Date?
  /// When the message ends; nil for never.
  public var expiresAt: Date?
  /// A later message with the same key takes this one's place.
  public var collapseKey: String?
  /// What the campaign's author put beside the message.
  public var custom = JSONObject()
  public var tags: [String] = []
  /// What the message's own adapter needs to speak of it again; opaque to everyone else, part
  /// of every action on the message and never printed.
  public var handle = JSONObject()

  public init(_ id: ItemID, vendor: Vendor) {
    self.id = id
    self.vendor = vendor
  }
}
