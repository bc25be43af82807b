/// A push that a vendor sent, in neutral words.
public struct PushNotification: Hashable, Sendable {
  public var vendor: Vendor
  /// The vendor's id of the message, for handling it once.
  public var messageID: String?
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// Where opening leads, as the vendor sent it; no scheme that can run code.
  public var deepLink: String?
  public var mediaURL: String?
  public var sound: String?
  public var badge: Int?
  public var category: String?
  /// Nothing is shown to the user.
  public var silent = false
  /// What the campaign's author put beside the message.
  public var custom = JSONObject()
  /// The card that the push is about.
  public var itemID: String?
  public var containerID: ContainerID?
  /// The inbox message that the push is about.
  public var inboxMessageID: String?
  /// What the sender put beside the message for the application.
  public var detail = JSONObject()
  /// What the push's own adapter needs to speak of it again; never printed.
  public var handle = JSONObject()

  public init(vendor: Vendor) { self.vendor = vendor }
}
