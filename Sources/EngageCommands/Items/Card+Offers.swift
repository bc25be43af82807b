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

  /// The name and the values of a submit button, also of one in a subview. A name goes before a
  /// text.
  func submitButton(
    named name: String
  ) throws(EngagementError) -> (name: String?, values: JSONObject) {
    let found = submitButtons
    let match =
      found.first { $0.name?.hasSameBytes(as: name) == true }
      ?? found.first { $0.text.hasSameBytes(as: name) }
    if let match { return (match.name ?? match.text, match.values) }
    let names = found.map { $0.name ?? $0.text }
    throw EngagementError(
      .invalidArgument,
      names.isEmpty
        ? "The card has no button that submits it; leave --button out."
        : "The card has no submit button \"\(name)\"\(NearestName.hint(for: name, among: names))")
  }

  private var submitButtons: [(name: String?, text: String, values: JSONObject)] {
    allButtons.compactMap { button in
      guard case .submit(let own, let values) = button.action else { return nil }
      return (own, button.text, values)
    }
  }

  /// Throws, naming what the form has, if a value is none of the form's or of a submit button's. Of a
  /// card without a form the vendor decides.
  func checkForm(has values: JSONObject) throws(EngagementError) {
    let names =
      (self.components + self.subviews.flatMap(\.components)).flatMap(Self.valueNames)
      + submitButtons.flatMap { $0.values.members.map(\.key) }
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
