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
    case .vote(let isUseful, _, _): name = isUseful ? "vote up" : "vote down"
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

  /// What submits the values, over those of the button with that name.
  func submission(
    of given: JSONObject, by name: String?
  ) throws(EngagementError) -> ItemAction {
    guard let name else {
      try checkForm(has: given)
      return .submit(button: nil, values: given)
    }
    let button = try submitButton(named: name)
    try checkForm(has: given)
    guard case .submit(let own, var values) = button.action else {
      return .submit(button: nil, values: given)
    }
    for member in given.members { values[member.key] = member.value }
    return .submit(button: own ?? button.text, values: values)
  }

  /// A submit button, also one in a subview. A name goes before a text.
  func submitButton(named name: String) throws(EngagementError) -> CardButton {
    let found = allButtons.filter { $0.submitted != nil }
    let match =
      found.first { $0.submitted?.name?.hasSameBytes(as: name) == true }
      ?? found.first { $0.text.hasSameBytes(as: name) }
    if let match { return match }
    let names = found.map { $0.submitted?.name ?? $0.text }
    throw EngagementError(
      .invalidArgument,
      names.isEmpty
        ? "The card has no button that submits it; leave --button out."
        : "The card has no submit button \"\(name)\"\(NearestName.hint(for: name, among: names))")
  }

  /// Whether a value is that of a file input.
  func hasFile(among values: JSONObject) -> Bool {
    let forms = [form()] + self.subviews.map { form(inSubview: $0.id) }
    return forms.flatMap(\.inputs).contains { $0.kind == .fileInput && values[$0.name] != nil }
  }

  /// The form that the button submits, with these values and, of its file inputs, the files at these
  /// paths. Throws, naming the inputs, if it cannot be submitted.
  func form(
    of button: CardButton, with given: JSONObject, reading read: (String) throws -> [UInt8]
  ) throws -> CardForm {
    try checkForm(has: given)
    let subview = self.subviews.first { $0.buttons.contains(button) }
    var form = self.buttons.contains(button) ? form() : form(inSubview: subview?.id)
    for member in given.members {
      let isFile = form.inputs.contains { $0.kind == .fileInput && $0.name == member.key }
      guard isFile, let path = member.value.string else {
        form[member.key] = member.value
        continue
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      try form.choose(CardFile(name: name, bytes: try read(path)), for: member.key)
    }
    let faults = form.faults.map { "\($0.input): \($0.message ?? $0.rule)" }
    guard faults.isEmpty else {
      throw EngagementError(
        .invalidArgument, "The form is not complete. \(faults.joined(separator: "; "))",
        operation: "submit")
    }
    return form
  }

  /// Throws, naming what the form has, if a value is none of the form's or of a submit button's. Of a
  /// card without a form the vendor decides.
  func checkForm(has values: JSONObject) throws(EngagementError) {
    let names =
      (self.components + self.subviews.flatMap(\.components)).flatMap(Self.valueNames)
      + allButtons.flatMap { $0.submitted?.values.members.map(\.key) ?? [] }
    guard !names.isEmpty else { return }
    for key in values.members.map(\.key) where !names.contains(where: { $0.hasSameBytes(as: key) })
    {
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

extension CardButton {
  /// What a submit button submits by itself; nil for any other.
  fileprivate var submitted: (name: String?, values: JSONObject)? {
    if case .submit(let name, let values) = action { (name, values) } else { nil }
  }
}
