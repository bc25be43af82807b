/// What a user enters in a card, or in one of its subviews, until a button submits it.
public struct CardForm: Hashable, Sendable {
  /// In the order of the screen.
  public let inputs: [Input]
  /// What is submitted, by the names of the inputs: the card's defaults and what was entered over
  /// them.
  public private(set) var values: JSONObject
  /// The files that were chosen, by the names of their inputs.
  public private(set) var files: [String: CardFile] = [:]

  /// What was entered in the input with that name. Nil: nothing, also where there was a default.
  public subscript(name: String) -> JSON? {
    get { values[name] }
    set {
      values[name] = newValue == .null ? nil : newValue
      files[name] = nil
    }
  }

  /// Chooses a file for a file input, in place of an earlier one. Its value is the file's name, until
  /// the vendor gets the file.
  ///
  /// Throws `invalidArgument` for a name that no file input has.
  public mutating func choose(_ file: CardFile, for name: String) throws(EngagementError) {
    guard inputs.contains(where: { $0.name == name && $0.kind == .fileInput }) else {
      throw EngagementError(
        .invalidArgument, "The form has no file input \(name).", operation: "submit")
    }
    self[name] = .string(file.name)
    files[name] = file
  }

  /// What is wrong, at most one fault of each input; empty for a form that can be submitted.
  public var faults: [Fault] {
    inputs.compactMap { input in
      let value = values[input.name]
      return input.rules.first { !$0.allows(value) }.map {
        Fault(input: input.name, rule: $0.name, message: $0.message)
      }
    }
  }

  /// The action that submits the form: the button's values, and the form's over them.
  ///
  /// Throws `invalidArgument` for a button that submits nothing and for a form with `faults`.
  public func submission(by button: CardButton) throws(EngagementError) -> ItemAction {
    guard case .submit(let name, var submitted) = button.action else {
      throw EngagementError(.invalidArgument, "The button submits nothing.", operation: "submit")
    }
    guard faults.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The form has inputs that are not valid; its faults name them.",
        operation: "submit")
    }
    for member in values.members { submitted[member.key] = member.value }
    return .submit(button: name, values: submitted)
  }

  /// One input of a form.
  public struct Input: Hashable, Sendable {
    /// The name under which its value is submitted.
    public let name: String
    public let kind: Component.Kind
    /// In the order in which they are checked.
    public let rules: [Rule]
    /// Of a file input, the only types that it takes, such as `image/png` or `image/*`; none for any.
    public var contentTypes: [String] = []
    /// Of a file input, the vendor's place for the file.
    public var bucket: String?

    /// Whether a file input takes files of the type.
    public func takes(_ contentType: String) -> Bool {
      contentTypes.isEmpty
        || contentTypes.contains {
          $0 == "*/*" || $0 == contentType
            || $0.hasSuffix("/*") && contentType.hasPrefix($0.dropLast(1))
        }
    }
  }

  /// Something that an input's value has to meet.
  public struct Rule: Hashable, Sendable {
    /// `required`, `minimumLength`, `maximumLength`, `minimum`, `maximum`, `minimumDate`,
    /// `maximumDate` or `regexp`.
    public let name: String
    public let value: JSON
    /// What the card says to the user if the rule is not met.
    public let message: String?
  }

  /// A rule that an input does not meet.
  public struct Fault: Hashable, Sendable {
    public let input: String
    public let rule: String
    /// What the card says to the user.
    public let message: String?

    public init(input: String, rule: String, message: String? = nil) {
      self.input = input
      self.rule = rule
      self.message = message
    }
  }
}

extension Card {
  /// The form of the card with its defaults, or that of a subview, which is submitted apart.
  public func form(inSubview id: Subview.ID? = nil) -> CardForm {
    guard let id else { return CardForm(self.components) }
    let subview = self.subviews.first { MemberKey($0.id) == MemberKey(id) }
    return CardForm(subview?.components ?? [])
  }
}

extension CardForm {
  fileprivate init(_ components: [Component]) {
    var (inputs, values): ([Input], JSONObject) = ([], [:])
    Self.collect(components, into: &inputs, &values)
    self.inputs = inputs
    self.values = values
  }

  private static let kinds: Set<Component.Kind> = [
    .textInput, .numberInput, .stepper, .toggle, .dropdown, .datePicker, .checkboxGroup, .fileInput,
  ]

  /// A form's own defaults go before those of its inputs.
  private static func collect(
    _ components: [Component], into inputs: inout [Input], _ values: inout JSONObject
  ) {
    for component in components {
      if let name = component.name, kinds.contains(component.kind) {
        let rules = component.attributes["rules"]?.array ?? []
        var input = Input(
          name: name, kind: component.kind,
          rules: rules.compactMap(Rule.init) + component.ownLimits)
        input.contentTypes =
          component.attributes["contentTypes"]?.array?.compactMap(\.string) ?? []
        input.bucket = component.attributes["bucket"]?.string
        inputs.append(input)
        if let value = component.defaultValue, values[name] == nil { values[name] = value }
        continue
      }
      for member in component.attributes["defaultValues"]?.object?.members ?? []
      where member.value.isSubmittable {
        values[member.key] = member.value
      }
      collect(component.children, into: &inputs, &values)
    }
  }
}

extension Component {
  /// The limits of a stepper, which no screen lets a user leave.
  fileprivate var ownLimits: [CardForm.Rule] {
    guard kind == .stepper else { return [] }
    return ["minimum", "maximum"].compactMap { name in
      attributes[name].map { CardForm.Rule(name: name, value: $0, message: nil) }
    }
  }

  /// What is submitted while nothing was entered. A stepper stands at its minimum. A group of check
  /// boxes has one value, which says of each box by its name whether it is checked.
  fileprivate var defaultValue: JSON? {
    if let value = attributes["defaultValue"], value.isSubmittable { return value }
    if kind == .stepper { return attributes["minimum"] }
    guard kind == .checkboxGroup else { return nil }
    var boxes = JSONObject()
    for box in children {
      if let name = box.name { boxes[name] = .bool(box.attributes["defaultValue"]?.bool ?? false) }
    }
    return boxes.isEmpty ? nil : .object(boxes)
  }
}

extension JSON {
  /// Whether it can be the value of an input: a text, a finite number, a truth value, or truth
  /// values by name.
  package var isSubmittable: Bool {
    switch self {
    case .string, .integer, .bool: true
    case .number(let number): number.isFinite
    case .object(let object): !object.isEmpty && object.members.allSatisfy { $0.value.bool != nil }
    case .null, .array: false
    }
  }
}
