/// One element of a composed card. Attributes have neutral names; a kind that this version does
/// not know is kept with its attributes.
public struct Component: Hashable, Sendable {
  public var kind: Kind
  /// Everything but the children, by neutral name: `text`, `url`, `name`, `label`, `items` …
  /// `type` and `children` are no names of attributes: the neutral JSON leaves them out.
  public var attributes: JSONObject
  public var children: [Component]

  public init(_ kind: Kind, _ attributes: JSONObject = [:], children: [Component] = []) {
    self.kind = kind
    self.attributes = attributes
    self.children = children
  }

  /// The text that is shown, where the component has one.
  public var text: String? { attributes["text"]?.string }
  /// The address of an image or a video.
  public var url: String? { attributes["url"]?.string }
  /// The name under which an input's value is submitted.
  public var name: String? { attributes["name"]?.string }

  /// What the component is.
  public struct Kind: ByteComparable {
    public let text: String
    public init(_ text: String) { self.text = text }

    public static let category: Kind = "category"
    public static let headline: Kind = "headline"
    public static let text: Kind = "text"
    public static let list: Kind = "list"
    public static let listItem: Kind = "listItem"
    public static let image: Kind = "image"
    public static let video: Kind = "video"
    public static let form: Kind = "form"
    public static let textInput: Kind = "textInput"
    public static let numberInput: Kind = "numberInput"
    public static let stepper: Kind = "stepper"
    public static let toggle: Kind = "switch"
    public static let dropdown: Kind = "dropdown"
    public static let datePicker: Kind = "datePicker"
  }
}

/// A button of a card, with what it does.
public struct CardButton: Hashable, Sendable {
  public var text: String
  public var action: Action
  /// What else the vendor said of the button, by neutral name, such as `icon`. `text`, `action`
  /// and what the action itself says are no names of attributes.
  public var attributes: JSONObject

  public init(_ text: String, _ action: Action, attributes: JSONObject = [:]) {
    self.text = text
    self.action = action
    self.attributes = attributes
  }

  /// What pressing the button does.
  @nonexhaustive public enum Action: Hashable, Sendable {
    /// Submits the form's values laid over the button's own.
    case submit(name: String?, values: JSONObject)
    case dismiss
    /// Hides the card for so many seconds; nil asks the user for how long.
    case snooze(seconds: Int?)
    case link(Link)
    case vote(useful: Bool)
  }

  /// Where a link button leads.
  @nonexhaustive public enum Link: Hashable, Sendable {
    case url(String)
    case subview(String)
    /// Handed to the application as it is.
    case payload(JSONObject)
  }
}
