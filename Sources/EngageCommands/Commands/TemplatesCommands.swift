import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  /// `engage templates`.
  static let templates = [listTemplates, syncTemplates]

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
        console.note("No provider of engage.json names a file of templates.")
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

extension Invocation {
  /// The named provider, or all that have templates.
  fileprivate func templateProviders(
    of configuration: EngageConfiguration
  ) throws -> [ConfiguredProvider] {
    guard let name = optionalArgument() else {
      let all = configuration.providers.filter { !$0.templates.isEmpty }
      if all.isEmpty { console.note("No provider of engage.json names a file of templates.") }
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
      console.failure(failure)
      if error.code == .unsupported,
        provider.adapter.capabilities.ability(.campaigns).travel != .unsupported
      {
        console.note("Set \"debug\": true in providers.\(id.rawValue) of engage.json.")
      }
      return false
    }
    let count = provider.templates.count
    try console.line(
      "\(id.rawValue, .bold): \(count == 1 ? "1 template is" : "\(count) templates are") known.")
    try console.object(["provider": .string(id.rawValue), "templates": .integer(Int64(count))])
    return true
  }
}

extension Invocation {
  /// Fetches the campaigns, if a provider has templates for them, and draws what is due.
  ///
  /// False if a vendor gave no campaigns, which is printed.
  func syncCampaigns(
    of engagement: Engagement, _ configuration: EngageConfiguration,
    _ extent: Engagement.RefreshExtent
  ) async throws -> Bool {
    guard configuration.providers.contains(where: { !$0.templates.isEmpty }) else { return true }
    let outcome = await engagement.refresh(.campaigns, extent)
    try Task.checkCancellation()
    let failures = outcome.providers.sorted { $0.key < $1.key }.compactMap { id, outcome in
      var error = outcome.error
      error?.provider = id
      return error
    }
    for failure in failures { console.failure(failure) }
    try await presentDueTemplates(of: engagement)
    return failures.isEmpty
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
      let text = argument.defaultValue.map { $0.string ?? "\($0)" } ?? ""
      table.add(title + [Phrase(argument.name), Phrase(argument.type.rawValue), Phrase(text)])
    }
  }
}
