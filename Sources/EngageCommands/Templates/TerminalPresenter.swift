import EngagementKit
import EngagementModel

/// Draws templates on the terminal, chooses the action that was asked for, and ends them at once.
/// Prints a line for a function.
struct TerminalPresenter: Engagement.TemplatePresenter, Engagement.FunctionPresenter {
  private let console: Console
  /// The name of the action that is chosen of every template that has it.
  private let choice: String?
  private let presented = Locked<Set<ItemID>>([])
  private let chosen = Locked<(isDone: Bool, missing: String?)>((false, nil))

  init(_ console: Console, choosing choice: String? = nil) {
    self.console = console
    self.choice = choice
  }

  /// Whether anything was drawn or run.
  var hasPresented: Bool { presented.withLock { !$0.isEmpty } }

  /// Whether something of the campaign was drawn or run.
  func hasPresented(_ campaign: ItemID) -> Bool {
    presented.withLock { $0.contains(campaign) }
  }

  /// Why the action that was asked for was chosen of nothing that was drawn; nil if it was, or if nothing
  /// was drawn.
  var missingChoice: String? { chosen.withLock { $0.isDone ? nil : $0.missing } }

  /// Prints what an action asks the application to do.
  func tell(_ what: String, _ value: JSON) {
    // An output that cannot be written is told by the command itself.
    try? console.line("  asked to \(what) \(Console.text(of: value))")
    try? console.object(["asked": .string(what), "value": value])
  }

  func present(_ presentation: Engagement.Presentation) throws {
    let drawing = TemplateDrawing(presentation.template, presentation.values)
    try drawing.print(
      for: "\(presentation.campaign.description)", on: console,
      presentation.campaign.object(with: ["presentation": .integer(presentation.id)]))
    presentation.presented()
    presented.withLock { _ = $0.insert(presentation.campaign) }
    guard choose(of: presentation) != .close else { return }
    presentation.dismissed()
  }

  /// Chooses the action by its name or by its number in the drawing, if the template has it.
  private func choose(of presentation: Engagement.Presentation) -> TemplateAction? {
    guard let choice else { return nil }
    let names = presentation.template.arguments.map(\.name).filter {
      presentation.values.action($0) != nil
    }
    let numbered = Int(choice).flatMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
    let name = names.first { $0 == choice } ?? numbered
    guard let name, let action = presentation.values.action(name) else {
      let others = names.isEmpty ? "none" : names.joined(separator: ", ")
      let missing =
        "\(presentation.template.name) has no action \(choice) to choose; it has \(others)."
      chosen.withLock { $0.missing = $0.missing ?? missing }
      return nil
    }
    chosen.withLock { $0.isDone = true }
    presentation.trigger(name)
    return action
  }

  func close(_ presentation: Engagement.Presentation) { presentation.dismissed() }

  func run(_ presentation: Engagement.Presentation) throws {
    let drawing = TemplateDrawing(presentation.template, presentation.values)
    let name = presentation.template.name
    try console.line("Function \(name, .bold) ran for \(presentation.campaign.description, .cyan).")
    try console.object(
      presentation.campaign.object(with: [
        "presentation": .integer(presentation.id), "function": .string(name),
        "values": .object(drawing.members),
      ]))
    presentation.presented()
    presented.withLock { _ = $0.insert(presentation.campaign) }
    presentation.dismissed()
  }
}

extension Option {
  /// For the commands that draw templates.
  static let choose = Option(
    "choose", value: "ACTION",
    "choose this action, by its name or number, of each template that is drawn")
}

/// A template with its values, for people and for programs.
struct TemplateDrawing {
  private let template: Template
  private let values: TemplateValues

  init(_ template: Template, _ values: TemplateValues) {
    self.template = template
    self.values = values
  }

  /// Prints a box for people, or one object with the other members for programs.
  func print(
    for campaign: String, on console: Console, _ others: JSONObject
  ) throws(OutputError) {
    try console.line("┌ \(template.name, .bold)  \(campaign, .cyan)")
    let width = console.terminal.width.map { max(1, $0 - 2) }
    for line in table.lines(width: width).dropFirst() { try console.line("│ \(line)") }
    try console.line("└")
    try console.object(
      JSONObject(
        uniqueMembers: others.members + [
          .init("template", .string(template.name)), .init("values", .object(members)),
        ]))
  }

  private var table: Table {
    var table = Table([.init("ARGUMENT"), .init("VALUE", isFlexible: true)])
    var actions = 0
    for argument in template.arguments {
      if argument.type == .action, values.action(argument.name) != nil { actions += 1 }
      guard let text = text(of: argument) else { continue }
      let name = argument.type == .action ? "\(actions). \(argument.name)" : argument.name
      table.add([Phrase(name, .faint), Phrase(text)])
    }
    return table
  }

  private func text(of argument: Template.Argument) -> String? {
    switch argument.type {
    case .string: values.string(argument.name)
    case .number, .boolean: value(of: argument).map(Console.text)
    case .file: values.file(argument.name) ?? "no file"
    case .action: values.action(argument.name)?.told
    }
  }

  /// The values by the names of their arguments.
  var members: JSONObject {
    var members = JSONObject()
    for argument in template.arguments { members[argument.name] = value(of: argument) }
    return members
  }

  private func value(of argument: Template.Argument) -> JSON? {
    let name = argument.name
    return switch argument.type {
    case .string: values.string(name).map(JSON.string)
    case .number:
      values.number(name).map { number in
        Int64(exactly: number).map(JSON.integer) ?? .number(number)
      }
    case .boolean: values.bool(name).map(JSON.bool)
    case .file: values.file(name).map(JSON.string)
    case .action: values.action(name).map { .string($0.told) }
    }
  }
}

extension TemplateAction {
  /// What the action does.
  fileprivate var told: String {
    switch self {
    case .close: "close"
    case .openURL(let url): "open \(url)"
    case .keyValues(let values): "hand over \(Console.text(of: .object(values)))"
    case .function(let name, _): "run \(name)"
    }
  }
}
