/// One element of a composed card. Attributes have neutral names. A kind that this version does not
/// know is kept with its attributes.
public struct Component: Hashable, Sendable {
  public var kind: Kind
  /// Everything but the children, by neutral name: `text`, `url`, `name`, `label`, `items` …
  /// Attributes must not be named `type` or `children`: the neutral JSON leaves those out.
  public var attributes: JSONObject
  public var children: [Component]

  public init(_ kind: Kind, _ attributes: JSONObject = [:], children: [Component] = []) {
    self.kind = kind
    self.attributes = attributes
    self.children = children
  }

  /// The visible text, if the component has one.
  public var text: String? { attributes["text"]?.string }
  /// The address of an image or a video.
  public var urlText: String? { attributes["url"]?.string }
  /// The name under which an input's value is submitted.
  public var name: String? { attributes["name"]?.string }

  /// The type of the component.
  public struct Kind: ByteComparable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

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
    /// Several check boxes, its children, under one label.
    public static let checkboxGroup: Kind = "checkboxGroup"
    public static let checkbox: Kind = "checkbox"
    public static let fileInput: Kind = "fileInput"
  }
}

/// A button of a card and its action.
public struct CardButton: Hashable, Sendable {
  public var text: String
  public var action: Action
  /// Further values from the vendor by neutral name, such as `icon`. Attributes must not be named
  /// `text`, `action` or like a member of the action.
  public var attributes: JSONObject

  public init(_ text: String, _ action: Action, attributes: JSONObject = [:]) {
    self.text = text
    self.action = action
    self.attributes = attributes
  }

  /// The effect of pressing the button.
  @nonexhaustive public enum Action: Hashable, Sendable {
    /// Submits the button's own values, overlaid with the form's values.
    case submit(name: String?, values: JSONObject)
    case dismiss
    /// Hides the card for a period; nil asks the user how long.
    case snooze(SnoozePeriod?)
    case link(Link)
    case vote(useful: Bool)
  }

  /// The target of a link button.
  @nonexhaustive public enum Link: Hashable, Sendable {
    case url(String)
    case subview(String)
    /// The application gets the payload unchanged.
    case payload(JSONObject)
  }
}
