extension Template {
  /// Begins a template. Throws `invalidArgument` for an empty name.
  public static func template(_ name: String) throws(EngagementError) -> Builder<Shown> {
    Builder(template: try Template(name, .template))
  }

  /// Begins a function. Throws `invalidArgument` for an empty name.
  ///
  /// - Parameter isVisual: Whether it shows something, so that nothing else may be shown meanwhile.
  public static func function(
    _ name: String, isVisual: Bool
  ) throws(EngagementError) -> Builder<Called> {
    Builder(template: try Template(name, .function, isVisual: isVisual))
  }

  /// Marks the builder of a template, which is shown.
  public enum Shown: Sendable {}
  /// Marks the builder of a function, which has no actions.
  public enum Called: Sendable {}

  /// Adds arguments one by one. Each call throws `invalidArgument`, which names the argument and the
  /// rule that it breaks.
  public struct Builder<Role: Sendable>: Sendable {
    /// What was built so far.
    public let template: Template

    fileprivate init(template: Template) { self.template = template }

    public func string(
      _ name: String, default value: String
    ) throws(EngagementError) -> Builder {
      try adding(Argument(name, .string, defaultValue: .string(value)))
    }

    public func number(_ name: String, default value: Int) throws(EngagementError) -> Builder {
      try adding(Argument(name, .number, defaultValue: .integer(Int64(value))))
    }

    public func number(_ name: String, default value: Double) throws(EngagementError) -> Builder {
      try adding(Argument(name, .number, defaultValue: .number(value)))
    }

    public func boolean(_ name: String, default value: Bool) throws(EngagementError) -> Builder {
      try adding(Argument(name, .boolean, defaultValue: .bool(value)))
    }

    /// A file that a campaign names by its URL.
    public func file(_ name: String) throws(EngagementError) -> Builder {
      try adding(Argument(name, .file))
    }

    /// A group of texts, numbers, truth values and further groups. It is the same as one argument
    /// for each of them with a dotted name.
    public func dictionary(
      _ name: String, default values: JSONObject
    ) throws(EngagementError) -> Builder {
      let leaves: [Argument]
      do throws(ArgumentFault) { leaves = try Argument.leaves(of: values, in: name) } catch {
        throw error.error(of: name, in: template.name)
      }
      return try adding(leaves)
    }

    fileprivate func adding(_ argument: Argument) throws(EngagementError) -> Builder {
      try adding([argument])
    }

    private func adding(_ arguments: [Argument]) throws(EngagementError) -> Builder {
      Builder(
        template: try Template(
          template.name, template.kind, isVisual: template.isVisual,
          arguments: template.arguments + arguments))
    }
  }
}

extension Template.Builder where Role == Template.Shown {
  /// An action that a campaign chooses: close, open a URL, hand over key-value pairs or run a
  /// function.
  public func action(_ name: String) throws(EngagementError) -> Template.Builder<Role> {
    try adding(Template.Argument(name, .action))
  }
}

extension Template.Argument {
  /// The arguments that a dictionary stands for.
  static func leaves(
    of values: JSONObject, in group: String
  ) throws(ArgumentFault) -> [Template.Argument] {
    guard !values.isEmpty else { throw .emptyGroup }
    var leaves: [Template.Argument] = []
    for member in values.members {
      let name = "\(group).\(member.key)"
      switch member.value {
      case .string: leaves.append(Template.Argument(name, .string, defaultValue: member.value))
      case .integer, .number:
        leaves.append(Template.Argument(name, .number, defaultValue: member.value))
      case .bool: leaves.append(Template.Argument(name, .boolean, defaultValue: member.value))
      case .object(let values): leaves += try Self.leaves(of: values, in: name)
      case .null, .array: throw .unknownType(name)
      }
    }
    return leaves
  }
}
