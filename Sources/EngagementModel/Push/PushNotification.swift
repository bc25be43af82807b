public import EngagementPlatform

/// A push that a vendor sent, in neutral words.
public struct PushNotification: Hashable, Sendable {
  public var vendor: Vendor
  /// The vendor's id of the message, so that it is handled only once.
  public var messageID: String?
  /// The vendor's id of the campaign that sent the push, which the vendor wants back when the push
  /// is opened.
  public var campaignID: String?
  public var title: String?
  public var subtitle: String?
  public var body: String?
  /// The target of opening the push, as the vendor sent it. Its scheme never runs code.
  public var deepLinkText: String?
  public var mediaURLText: String?
  public var sound: String?
  public var badge: Int?
  public var category: String?
  /// Whether the push shows nothing to the user.
  public var isSilent = false
  /// Whether the push is meant for the vendor's client alone, as one that tests whether the
  /// application is still installed. The application ignores it.
  public var isInternal = false
  /// Key-value pairs that the campaign's author added to the message.
  public var custom = JSONObject()
  /// The id of the card that the push is about.
  public var itemID: String?
  public var containerID: ContainerID?
  /// The id of the inbox message that the push is about.
  public var inboxMessageID: String?
  /// Data that the sender added to the message for the application.
  public var detail = JSONObject()
  /// Data that the push's adapter needs to act on the push later; never printed.
  public var handle = JSONObject()

  public init(vendor: Vendor) { self.vendor = vendor }

  /// The target of opening the push, parsed on access; nil if the vendor sent none or it is not a
  /// URL.
  public var deepLink: URL? { deepLinkText.flatMap { URL(string: $0) } }
  public var mediaURL: URL? { mediaURLText.flatMap { URL(string: $0) } }
}
