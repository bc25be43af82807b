public import EngagementPlatform

extension InboxMessage {
  /// A part of a message that has several, such as a page of a carousel.
  public struct Content: Hashable, Sendable {
    public var subject: String?
    public var text: String?
    /// The address of the content's page, as the vendor sent it. Its scheme never runs code.
    public var detailURLText: String?
    public var iconURLText: String?
    public var imageURLText: String?
    /// What the image shows, for a user who does not see it.
    public var imageAlt: String?
    public var buttons: [Button] = []

    public init() {}

    /// The address of the content's page, parsed on access; nil if the vendor sent none or it is not
    /// a URL.
    public var detailURL: URL? { detailURLText.flatMap { URL(string: $0) } }
    public var iconURL: URL? { iconURLText.flatMap { URL(string: $0) } }
    public var imageURL: URL? { imageURLText.flatMap { URL(string: $0) } }
  }

  /// A button of a message and its action.
  public struct Button: Hashable, Sendable {
    public var text: String
    public var action: Action

    public init(_ text: String, _ action: Action) {
      self.text = text
      self.action = action
    }

    /// What the application does when the user presses the button.
    @nonexhaustive public enum Action: Hashable, Sendable {
      /// Opens a URL, as the vendor sent it. Its scheme never runs code.
      case openURL(String)
      /// Copies a text to the clipboard.
      case copy(String)
      /// Hands key-value pairs to the application.
      case keyValues(JSONObject)
      /// Asks the user to allow pushes.
      case askForPushes
    }
  }
}
