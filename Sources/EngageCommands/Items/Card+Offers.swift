import EngagementModel
import EngagementVendors

/// What a card offers to its user, and what is said of anything else.
extension Card {
  private var allButtons: [CardButton] { self.buttons + self.subviews.flatMap(\.buttons) }

  // MARK: Actions

  /// What is said of an action that the card does not offer; nil for one that it does. The library
  /// accepts it, and the vendor decides.
  func note(onUnoffered action: ItemAction) -> String? {
    let name: String
    switch action {
    case .dismiss, .submit, .snooze: name = action.name
    case .vote(let isUseful, _, _, _): name = isUseful ? "vote up" : "vote down"
    case .impression, .click, .open, .read, .expire, .delete: return nil
    }
    let offers = offers
    guard !offers.contains(name) else { return nil }
    let list = offers.isEmpty ? "nothing" : offers.joined(separator: ", ")
    return "The card does not offer \(name); it offers \(list). The vendor decides what it takes."
  }

  private var offers: [String] {
    let all = allButtons.map(\.action)
    let offers: [(name: String, isThere: Bool)] = [
      ("dismiss", self.actions.canDismiss || all.contains(.dismiss)),
      (
        "submit",
        all.contains { if case .submit = $0 { true } else { false } }
      ),
      (
        "snooze",
        self.actions.canSnooze || all.contains { if case .snooze = $0 { true } else { false } }
      ),
      ("vote up", self.actions.canVoteUp || all.contains(.vote(useful: true))),
      ("vote down", self.actions.canVoteDown || all.contains(.vote(useful: false))),
    ]
    return offers.filter(\.isThere).map(\.name)
  }

  // MARK: Forms

  /// A submit button, also one in a subview. A name goes before a text.
  func submitButton(named name: String) throws(EngagementError) -> CardButton {
    let found = allButtons.filter { $0.submitted != nil }
    let match =
      found.first { $0.submitted?.name?.hasSameBytes(as: name) == true }
      ?? found.first { $0.text.hasSameBytes(as: name) }
    if let match, let (own, values) = match.submitted {
      return CardButton(match.text, .submit(name: own ?? match.text, values: values))
    }
    let names = found.map { $0.submitted?.name ?? $0.text }
    throw EngagementError(
      .invalidArgument,
      names.isEmpty
        ? "The card has no button that submits it; leave --button out."
        : "The card has no submit button \"\(name)\"\(NearestName.hint(for: name, among: names))")
  }

  /// The form that the button submits, with these values and, of its file inputs, the files at these
  /// paths. Throws, naming the inputs, if it cannot be submitted.
  func form(
    of button: CardButton, with given: [Assignment], reading read: (String) throws -> [UInt8]
  ) throws -> CardForm {
    try checkForm(has: given.map(\.key))
    func isOwn(_ buttons: [CardButton]) -> Bool {
      buttons.contains { $0.text == button.text && $0.submitted != nil }
    }
    let subview = isOwn(self.buttons) ? nil : self.subviews.first { isOwn($0.buttons) }
    var form = form(inSubview: subview?.id)
    for assignment in given {
      let input = form.inputs.first { $0.name == assignment.key }
      if input?.kind == .fileInput {
        let path = assignment.value.string ?? assignment.text
        try form.choose(Self.file(at: path, for: assignment.key, read), for: assignment.key)
      } else {
        form[assignment.key] = try assignment.value(for: input)
      }
    }
    let faults = form.faults.map { form.text(of: $0) }
    guard faults.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The form cannot be submitted. \(faults.joined(separator: "; "))",
        operation: "submit")
    }
    return form
  }

  private static func file(
    at path: String, for name: String, _ read: (String) throws -> [UInt8]
  ) throws -> CardFile {
    guard let last = path.split(separator: "/").last else {
      throw EngagementError(
        .invalidArgument, "\(name) takes the path of a file.", operation: "submit")
    }
    let file = try CardFile(name: String(last), bytes: try read(path))
    guard [.jpeg, .png].contains(file.format) else {
      throw EngagementError(
        .invalidArgument, "\(path) is \(file.format.contentType); make a JPEG or PNG of it.",
        operation: "submit")
    }
    return file
  }

  /// Throws, naming what the form has, if a value is none of the form's or of a submit button's. Of a
  /// card without a form the vendor decides.
  private func checkForm(has keys: [String]) throws(EngagementError) {
    let names =
      (self.components + self.subviews.flatMap(\.components)).flatMap(Self.valueNames)
      + allButtons.flatMap { $0.submitted?.values.members.map(\.key) ?? [] }
    guard !names.isEmpty else { return }
    for key in keys where !names.contains(where: { $0.hasSameBytes(as: key) }) {
      throw EngagementError(
        .invalidArgument,
        "The card's form has no value \"\(key)\"\(NearestName.hint(for: key, among: names))")
    }
  }

  /// The names of an element's values: of an input, of a form's defaults, and of what is inside.
  private static func valueNames(of component: Component) -> [String] {
    [component.name].compactMap(\.self)
      + (component.attributes["defaultValues"]?.object?.members.map(\.key) ?? [])
      + component.children.flatMap(valueNames)
  }
}

extension Assignment {
  /// What is meant for an input: text stays text, also where it looks like a number.
  fileprivate func value(for input: CardForm.Input?) throws(EngagementError) -> JSON {
    let what: String
    switch input?.kind {
    case .textInput?, .dropdown?, .datePicker?: return .string(value.string ?? text)
    case .numberInput?, .stepper?:
      guard value.number == nil else { return value }
      what = "a number"
    case .toggle?:
      guard value.bool == nil else { return value }
      what = "true or false"
    case _: return value
    }
    throw EngagementError(.invalidArgument, "\(key) takes \(what).", operation: "submit")
  }
}

extension CardButton {
  /// Submits the form's values alone.
  static let nameless = CardButton("", .submit(name: nil, values: [:]))

  /// What a submit button submits by itself; nil for any other.
  fileprivate var submitted: (name: String?, values: JSONObject)? {
    if case .submit(let name, let values) = action { (name, values) } else { nil }
  }
}

extension CardForm {
  /// What is wrong with a value: in the card's own words, or by the rule.
  fileprivate func text(of fault: Fault) -> String {
    if let message = fault.message { return "\(fault.input): \(message)" }
    let rules = inputs.first { $0.name == fault.input }?.rules ?? []
    let limit = rules.first { $0.name == fault.rule }.map { Console.text(of: $0.value) } ?? ""
    return switch fault.rule {
    case "required": "\(fault.input) needs a value"
    case "minimumLength": "\(fault.input) has at least \(limit) characters"
    case "maximumLength": "\(fault.input) has at most \(limit) characters"
    case "minimum": "\(fault.input) is at least \(limit)"
    case "maximum": "\(fault.input) is at most \(limit)"
    case "minimumDate": "\(fault.input) is not before \(limit)"
    case "maximumDate": "\(fault.input) is not after \(limit)"
    default: "\(fault.input) does not match \(limit)"
    }
  }
}
