/// What an argument of a campaign does when the user chooses it.
public enum TemplateAction: Hashable, Sendable {
  /// Ends the presentation.
  case close
  /// Opens a URL that was checked.
  case openURL(String)
  /// Hands key-value pairs to the application.
  case keyValues(JSONObject)
  /// Runs a function of the application, with the campaign's arguments for it.
  case function(String, arguments: JSONObject)

  /// Reads the neutral JSON of an action, such as `{"action": "close"}`. Nil for anything else.
  public init?(json: JSON) {
    guard let object = json.object else { return nil }
    switch object["action"]?.string {
    case "close": self = .close
    case "openURL":
      guard let url = VendorURL.checked(object["url"]?.string) else { return nil }
      self = .openURL(url)
    case "keyValues":
      guard let values = object["values"]?.object else { return nil }
      self = .keyValues(values)
    case "function":
      guard let name = object["template"]?.string, !name.isEmpty else { return nil }
      self = .function(name, arguments: object["arguments"]?.object ?? [:])
    case .some, nil: return nil
    }
  }

  /// The function's name, or the action's: what stands for it in a dictionary.
  var name: String {
    switch self {
    case .close: "close"
    case .openURL: "openURL"
    case .keyValues: "keyValues"
    case .function(let name, _): name
    }
  }
}
