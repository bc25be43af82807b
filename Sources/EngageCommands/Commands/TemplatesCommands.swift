import EngagementAdapterAPI
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage templates`.
  static let templates = [listTemplates, listCampaigns, syncTemplates, triggerTemplate]

  private static let listTemplates = Command(
    name: ["templates", "list"], summary: "list the defined templates and their arguments",
    discussion: """
      A provider's "templates" in engage.json names the file of its definitions.
      """,
    examples: [
      Example("engage templates", "each argument with its type and default"),
      Example("engage templates --json", "one object for each template"),
    ], isDefault: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let console = invocation.console
      var table = Table([
        .init("PROVIDER"), .init("TEMPLATE"), .init("KIND"), .init("ARGUMENT"), .init("TYPE"),
        .init("DEFAULT", isFlexible: true),
      ])
      for provider in configuration.providers {
        for template in provider.templates {
          try console.object(template.listed(for: provider.id))
          template.addRows(to: &table, for: provider.id)
        }
      }
      guard !table.rows.isEmpty else {
        invocation.noteNoTemplates()
        return .done
      }
      try console.table(table)
      return .done
    })

  private static let syncTemplates = Command(
    name: ["templates", "sync"], summary: "tell the vendor's dashboard of the templates",
    discussion: """
      Campaigns can then use them. The vendor takes them from a debug build alone: set "debug": true
      in the provider of engage.json.
      """,
    arguments: [
      Argument(
        name: "PROVIDER", help: "a provider of engage.json; else each with templates",
        isOptional: true)
    ],
    examples: [Example("engage templates sync", "the templates of every provider")],
    isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let providers = try invocation.templateProviders(of: configuration)
      return try await invocation.delivering(configuration) { engagement in
        var status = ExitStatus.done
        for provider in providers {
          let isDone = try await invocation.tell(provider, of: engagement)
          if !isDone { status = .failed }
        }
        return status
      }
    })
}

extension Command {
  private static let provider = Option(
    "provider", value: "NAME", "whose template it is, where several have the name")

  private static let triggerTemplate = Command(
    name: ["templates", "trigger"], summary: "draw a template with values, without a campaign",
    discussion: """
      It shows what a campaign with these values would look like; other arguments have their defaults.
      No vendor is told, and no cap counts it. A file is the URL of a file on one of the "fileHosts". An
      action is close, a URL, the name of a function, or JSON.
      """,
    arguments: [
      Argument(name: "NAME", help: "the template or function"),
      Argument(
        name: "KEY=VALUE", help: "a value, by the argument's dotted name", isOptional: true,
        repeats: true),
    ],
    options: [provider, .choose],
    examples: [
      Example("engage templates trigger offer", "with its defaults"),
      Example(
        "engage templates trigger offer title=Hello price.amount=3.5 later=close", "with values"),
    ], isInterruptible: true,
    run: { invocation in
      let configuration = try invocation.configuration()
      let name = try invocation.argument()
      let (owner, template) = try invocation.template(
        name, of: invocation.value(provider), in: configuration)
      let values = try invocation.assignments(from: 1).map { assignment in
        JSONObject.Member(assignment.key, assignment.templateValue(for: template))
      }
      try invocation.checkFunctions(values.map(\.value), of: owner, in: configuration)
      let campaign = ItemID(owner, "preview")
      return try await invocation.delivering(configuration) { engagement in
        let notes = try invocation.campaignNotes(configuration)
        try await engagement.previewTemplate(
          name, of: owner, with: JSONObject(uniqueMembers: values))
        let dropped = try await invocation.presentDueTemplates(of: engagement, notes)
        if invocation.presenter.hasPresented(campaign) { return .done }
        if dropped == 0 { invocation.console.note("\(name) was not drawn.") }
        return .failed
      }
    })
}

extension Assignment {
  /// What is meant for an argument of the template. The kit refuses what does not fit.
  fileprivate func templateValue(for template: Template) -> JSON {
    let argument = template.arguments.first { $0.name.hasSameBytes(as: key) }
    return switch argument?.type {
    case .string, .file, nil: .string(value.string ?? text)
    case .number, .boolean: value
    case .action: actionValue
    }
  }

  private var actionValue: JSON {
    if let json = try? JSON(parsing: Array(text.utf8)), json.object != nil { return json }
    if text == "close" { return ["action": "close"] }
    return text.contains(":")
      ? ["action": "openURL", "url": .string(text)]
      : ["action": "function", "template": .string(text)]
  }
}

extension Invocation {
  /// The template of that name with its provider, which has to be named where there are several.
  fileprivate func template(
    _ name: String, of provider: String?, in configuration: EngageConfiguration
  ) throws -> (ProviderID, Template) {
    if let provider, !configuration.providers.contains(where: { $0.id.rawValue == provider }) {
      throw UsageError.unknown(
        provider, "provider", among: configuration.providers.map(\.id.rawValue),
        of: command.title)
    }
    let all = configuration.providers.filter { provider == nil || $0.id.rawValue == provider }
      .flatMap { entry in entry.templates.map { (entry.id, $0) } }
    let found = all.filter { $0.1.name.hasSameBytes(as: name) }
    guard let first = found.first else {
      throw UsageError.unknown(
        name, "template", among: all.map(\.1.name), of: command.title)
    }
    guard found.count == 1 else {
      let owners = found.map(\.0.rawValue).joined(separator: ", ")
      throw usage("\(name) is a template of \(owners); say --provider.")
    }
    return first
  }

  /// Refuses an action that runs what is no function of the provider, such as a misspelt word.
  fileprivate func checkFunctions(
    _ values: [JSON], of owner: ProviderID, in configuration: EngageConfiguration
  ) throws(UsageError) {
    let functions = configuration.providers.filter { $0.id == owner }.flatMap(\.templates)
      .filter { $0.kind == .function }.map(\.name)
    for value in values {
      guard value["action"] == "function", let name = value["template"]?.string,
        !functions.contains(where: { $0.hasSameBytes(as: name) })
      else { continue }
      throw UsageError.unknown(name, "function", among: functions, of: command.title)
    }
  }

  fileprivate func noteNoTemplates() {
    console.note(
      "No templates are defined. \"templates\" of a provider in engage.json names the file that defines them."
    )
  }

  /// The named provider, or all that have templates.
  fileprivate func templateProviders(
    of configuration: EngageConfiguration
  ) throws -> [ConfiguredProvider] {
    guard let name = optionalArgument() else {
      let all = configuration.providers.filter { !$0.templates.isEmpty }
      if all.isEmpty { noteNoTemplates() }
      return all
    }
    guard let provider = configuration.providers.first(where: { $0.id.rawValue == name }) else {
      throw UsageError.unknown(
        name, "provider", among: configuration.providers.map(\.id.rawValue), of: command.title)
    }
    return [provider]
  }

  /// Tells one vendor; false if that failed, which is printed.
  fileprivate func tell(
    _ provider: ConfiguredProvider, of engagement: Engagement
  ) async throws -> Bool {
    let id = provider.id
    do throws(EngagementError) {
      try await engagement.syncTemplates(with: id)
    } catch {
      try Task.checkCancellation()
      var failure = error
      failure.provider = id
      if provider.isRelease {
        failure.message = """
          engage.json does not mark a debug build, and the vendor takes templates from one alone. Set \
          "debug": true in providers.\(id.rawValue).
          """
      }
      console.failure(credentials.explained(failure))
      return false
    }
    let count = provider.templates.count
    try console.line(
      "\(id.rawValue, .bold): \(count == 1 ? "1 template is" : "\(count) templates are") known.")
    try console.object(["provider": .string(id.rawValue), "templates": .integer(Int64(count))])
    return true
  }
}

extension ConfiguredProvider {
  /// Whether its vendor has templates and this configuration may not send any.
  fileprivate var isRelease: Bool {
    let capabilities = adapter.capabilities
    return capabilities.ability(.campaigns).travel != .unsupported
      && capabilities.ability(.templates).travel == .unsupported
  }
}

extension Invocation {
  /// Fetches the campaigns, if a provider has templates for them, and draws what is due.
  ///
  /// Returns why a vendor gave no campaigns, which is printed unless it was before.
  ///
  /// - Parameters:
  ///   - notes: Says which campaigns were due and not drawn.
  ///   - known: What was printed before.
  @discardableResult func syncCampaigns(
    of engagement: Engagement, _ configuration: EngageConfiguration,
    _ extent: Engagement.RefreshExtent, _ notes: CampaignNotes, known: [EngagementError] = []
  ) async throws -> [EngagementError] {
    guard configuration.providers.contains(where: { !$0.templates.isEmpty }) else { return [] }
    let outcome = await engagement.refresh(.campaigns, extent)
    try Task.checkCancellation()
    let failures = outcome.providers.sorted { $0.key < $1.key }.compactMap { id, outcome in
      var error = outcome.error
      error?.provider = id
      return error.map { credentials.explained($0) }
    }
    for failure in failures where !known.contains(failure) { console.failure(failure) }
    try await presentDueTemplates(of: engagement, notes)
    return failures
  }
}

extension Template {
  fileprivate func listed(for provider: ProviderID) -> JSONObject {
    let arguments = arguments.map { argument in
      var object: JSONObject = [
        "name": .string(argument.name), "type": .string(argument.type.rawValue),
      ]
      object["default"] = argument.defaultValue
      return JSON.object(object)
    }
    return [
      "provider": .string(provider.rawValue), "template": .string(name),
      "kind": .string(kind.rawValue), "isVisual": .bool(isVisual), "arguments": .array(arguments),
    ]
  }

  /// A row for each argument, or one for a template without any.
  fileprivate func addRows(to table: inout Table, for provider: ProviderID) {
    let title: [Phrase] = [
      Phrase(provider.rawValue, .bold), Phrase(name), Phrase(kind.rawValue),
    ]
    if arguments.isEmpty { table.add(title + ["", "", ""]) }
    for argument in arguments {
      let text = argument.defaultValue.map(Console.argument) ?? ""
      table.add(title + [Phrase(argument.name), Phrase(argument.type.rawValue), Phrase(text)])
    }
  }
}
