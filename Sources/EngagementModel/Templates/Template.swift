/// A template or a function that the application defines and a campaign fills in.
///
/// Every template that exists keeps the rules of ``Template/Argument``. Build one with
/// ``template(_:)`` or ``function(_:isVisual:)``.
public struct Template: Hashable, Sendable {
  public let name: String
  public let kind: Kind
  /// Whether it shows something. Always true for a template.
  public let isVisual: Bool
  /// The arguments in their order.
  public let arguments: [Argument]

  /// Throws `invalidArgument`, which names the template, the argument and the rule.
  public init(
    _ name: String, _ kind: Kind, isVisual: Bool = true, arguments: [Argument] = []
  ) throws(EngagementError) {
    guard !name.isBlank else {
      throw EngagementError(.invalidArgument, "The name of a template must not be empty.")
    }
    self.name = name
    self.kind = kind
    self.isVisual = kind == .template || isVisual
    self.arguments = arguments
    var names = ArgumentNames()
    for argument in arguments {
      do throws(ArgumentFault) {
        try argument.checkName()
        try names.checkIsNew(argument.name)
        try argument.checkDefault(for: kind)
        try names.add(argument.name)
      } catch {
        throw error.error(of: argument.name, in: name)
      }
    }
  }

  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Shown to the user.
    case template
    /// Runs code, possibly without showing anything. May be the action of a template.
    case function
  }

  /// An argument: its dotted name, its type and its default.
  ///
  /// Names with a common part before a dot are a group. An argument's name is not empty, does not
  /// begin or end with a dot and has no two dots together. It is the name of no other argument and
  /// of no group, and no part of it before a dot is an argument. A function has no action.
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

    fileprivate func checkName() throws(ArgumentFault) {
      if name.isBlank { throw .noName }
      if name.hasStrayDot { throw .strayDot }
    }

    fileprivate func checkDefault(for kind: Kind) throws(ArgumentFault) {
      if kind == .function, type == .action { throw .actionOfFunction }
      switch type {
      case .string: if defaultValue?.string == nil { throw .noDefault(type) }
      case .number: if defaultValue?.number?.isFinite != true { throw .noDefault(type) }
      case .boolean: if defaultValue?.bool == nil { throw .noDefault(type) }
      case .file, .action: if defaultValue != nil { throw .hasDefault(type) }
      }
    }
  }

  public enum ArgumentType: String, Hashable, Sendable, CaseIterable {
    case string, number, boolean, file, action
  }
}

extension Template {
  /// Throws `invalidArgument`, which names the argument, unless the template has all of these and their
  /// values fit.
  package func check(_ values: JSONObject) throws(EngagementError) {
    for member in values.members {
      let fault = "Template \"\(name)\", argument \"\(member.key)\""
      guard let argument = arguments.first(where: { $0.name.hasSameBytes(as: member.key) }) else {
        let names = arguments.map(\.name).joined(separator: ", ")
        throw EngagementError(
          .invalidArgument,
          "\(fault): the template has no such argument; it has \(names.isEmpty ? "none" : names).")
      }
      guard TemplateValues.accepts(member.value, as: argument.type) else {
        throw EngagementError(
          .invalidArgument, "\(fault): the value must be \(argument.type.told).")
      }
    }
  }
}

extension Template.ArgumentType {
  fileprivate var told: String {
    switch self {
    case .string: "a text"
    case .number: "a number"
    case .boolean: "true or false"
    case .file: "the URL of a file"
    case .action: "an action"
    }
  }
}

/// A rule that an argument breaks.
enum ArgumentFault: Error, Hashable {
  case noName, strayDot, actionOfFunction, emptyGroup
  /// Another argument or group has the name.
  case taken(String)
  case noDefault(Template.ArgumentType)
  case hasDefault(Template.ArgumentType)
  /// A dictionary has a member with this name that is no text, number, truth value or dictionary.
  case unknownType(String)

  private var rule: String {
    switch self {
    case .noName: "a name must not be empty"
    case .strayDot: "a name must not begin or end with a dot, nor have two dots together"
    case .taken(let name): "the name \"\(name)\" is already defined"
    case .noDefault(.string): "the default must be a text"
    case .noDefault(.number): "the default must be a finite number"
    case .noDefault(.boolean): "the default must be true or false"
    case .noDefault(.file), .noDefault(.action): "the default is missing"
    case .hasDefault(let type): "an argument of type \(type.rawValue) has no default"
    case .actionOfFunction: "a function has no action"
    case .emptyGroup: "a dictionary must not be empty"
    case .unknownType(let name):
      "\"\(name)\" must be a text, a number, true, false or a dictionary of these"
    }
  }

  func error(of argument: String, in template: String) -> EngagementError {
    EngagementError(
      .invalidArgument, "Template \"\(template)\", argument \"\(argument)\": \(rule).")
  }
}

/// The names of a template's arguments and groups so far.
private struct ArgumentNames {
  private var arguments: Set<[UInt8]> = []
  private var groups: Set<[UInt8]> = []

  func checkIsNew(_ name: String) throws(ArgumentFault) {
    if arguments.contains(Array(name.utf8)) { throw .taken(name) }
  }

  mutating func add(_ name: String) throws(ArgumentFault) {
    let bytes = Array(name.utf8)
    let parents = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }.map {
      Array(bytes[..<$0])
    }
    if let parent = parents.first(where: arguments.contains) {
      throw .taken(String(decoding: parent, as: UTF8.self))
    }
    if groups.contains(bytes) { throw .taken(name) }
    arguments.insert(bytes)
    groups.formUnion(parents)
  }
}

extension String {
  fileprivate var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace } }

  fileprivate var hasStrayDot: Bool {
    let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.contains { $0.isEmpty }
  }
}
