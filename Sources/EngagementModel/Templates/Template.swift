/// A template or a function that the application defines and a campaign fills in.
public struct Template: Hashable, Sendable {
  public var name: String
  public var kind: Kind
  /// Whether it shows something. Always true for a template.
  public var isVisual: Bool
  /// The arguments in their order.
  public var arguments: [Argument]

  public init(_ name: String, _ kind: Kind, isVisual: Bool = true, arguments: [Argument] = []) {
    self.name = name
    self.kind = kind
    self.isVisual = kind == .template || isVisual
    self.arguments = arguments
  }

  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Shown to the user.
    case template
    /// Runs code, possibly without showing anything. May be the action of a template.
    case function
  }

  /// An argument: its dotted name, its type and its default.
  public struct Argument: Hashable, Sendable {
    public var name: String
    public var type: ArgumentType
    /// The default; files and actions have none.
    public var defaultValue: JSON?

    public init(_ name: String, _ type: ArgumentType, defaultValue: JSON? = nil) {
      self.name = name
      self.type = type
      self.defaultValue = defaultValue
    }
  }

  public enum ArgumentType: String, Hashable, Sendable, CaseIterable {
    case string, number, boolean, file, action
  }
}
