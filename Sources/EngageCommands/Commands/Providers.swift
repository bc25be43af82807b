import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

extension Command {
  static let providers = Command(
    name: ["providers"], summary: "show what each provider can do",
    discussion: """
      yes: the vendor has a request for it; event: the vendor gets it as an event; kept: it is
      kept in the cache and not sent; -: it is refused. The rows are about the vendor's own items. In
      a bridged route an action is told as what the vendor's item has: reading a message that is a
      card of Braze is an impression of the card. "route of" says which routes may name the provider:
      native: the vendor has such items; bridged from: it has others, which are shown as such; -:
      absent, and --json says why.
      """,
    examples: [
      Example("engage providers", "the providers of engage.json, side by side"),
      Example("engage providers --json", "with routes, limits, retries and kinds of events"),
    ],
    run: { invocation in
      let configuration = try invocation.configuration()
      let reports = CapabilityReport.all(of: configuration.providers)
      for report in reports { try invocation.console.object(report.object) }
      try invocation.console.table(CapabilityReport.table(of: reports))
      return .done
    })
}

/// What one provider can do.
struct CapabilityReport {
  let provider: ConfiguredProvider
  private let surfaces: [Engagement.SurfaceCapability]
  private var capabilities: AdapterCapabilities { provider.adapter.capabilities }

  static func all(of providers: [ConfiguredProvider]) -> [CapabilityReport] {
    let report = Engagement.CapabilityReport(
      of: Engagement.Providers(providers.map { ($0.id, $0.adapter) }))
    return zip(providers, report.providers).map {
      CapabilityReport(provider: $0, surfaces: $1.surfaces)
    }
  }

  // MARK: For people

  static func table(of reports: [CapabilityReport]) -> Table {
    var table = Table([.init("WHAT")] + reports.map { .init($0.provider.id.rawValue) })
    table.add(["vendor"] + reports.map { Phrase($0.provider.adapter.vendor.rawValue) })
    for (index, surface) in (reports.first?.surfaces ?? []).enumerated() {
      table.add(
        ["route of \(surface.surface.rawValue)"]
          + reports.map { told($0.surfaces[index].support) })
    }
    for verb in verbs(of: reports) {
      table.add(
        [Phrase(verb.rawValue)]
          + reports.map { told($0.capabilities.ability(verb).travel) })
    }
    table.add(["live"] + reports.map { told($0.capabilities.isLive) })
    table.add(["containers"] + reports.map { told($0.capabilities.hasContainers) })
    return table
  }

  /// Every verb that one of them has, by name.
  private static func verbs(of reports: [CapabilityReport]) -> [Operation.Verb] {
    Set(
      reports.flatMap { report in
        report.capabilities.abilities.filter { $0.value.travel != .unsupported }.map(\.key)
      }
    ).sorted()
  }

  private static func told(_ travel: Ability.Travel) -> Phrase {
    switch travel {
    case .request: Phrase("yes", .green)
    case .event: Phrase("event", .green)
    case .localOnly: Phrase("kept", .yellow)
    case .unsupported: Phrase("-", .faint)
    }
  }

  private static func told(_ support: Engagement.SurfaceCapability.Support) -> Phrase {
    switch support {
    case .native: Phrase("native", .green)
    case .bridged(let surface): Phrase("bridged from \(surface.rawValue)", .yellow)
    case .absent: Phrase("-", .faint)
    }
  }

  private static func told(_ flag: Bool) -> Phrase {
    flag ? Phrase("yes", .green) : Phrase("-", .faint)
  }

  // MARK: For programs

  var object: JSONObject {
    let kinds = capabilities.eventKinds.sorted().map { JSON.string($0.rawValue) }
    return [
      "provider": .string(provider.id.rawValue),
      "vendor": .string(provider.adapter.vendor.rawValue),
      "surfaces": .object(routes), "verbs": .object(verbs), "kept": .array(kept),
      "events": .array(kinds),
      "live": .bool(capabilities.isLive), "containers": .bool(capabilities.hasContainers),
      "limits": .object(limits),
    ]
  }

  private var routes: JSONObject {
    var routes = JSONObject()
    for surface in surfaces {
      var object: JSONObject
      switch surface.support {
      case .native: object = ["support": "native"]
      case .bridged(let other):
        object = ["support": "bridged", "from": .string(other.rawValue)]
      case .absent(let reason): object = ["support": "absent", "why": .string(reason)]
      }
      object["routes"] = .array(surface.strategies.map { .string($0) })
      routes[surface.surface.rawValue] = .object(object)
    }
    return routes
  }

  private var verbs: JSONObject {
    var verbs = JSONObject()
    for (verb, ability) in capabilities.abilities.sorted(by: { $0.key < $1.key }) {
      verbs[verb.rawValue] = [
        "travel": .string(ability.travel.rawValue), "retryable": .bool(ability.isRetryable),
        "deduplication": .string(ability.deduplication.rawValue),
        "readingHasSideEffects": .bool(ability.readingHasSideEffects),
      ]
    }
    return verbs
  }

  private var kept: [JSON] {
    capabilities.abilities.filter { $0.value.travel == .localOnly }.keys.sorted()
      .map { .string($0.rawValue) }
  }

  private var limits: JSONObject {
    var limits = JSONObject()
    let all = capabilities.limits
    for (name, limit) in [
      ("cards", all.cards), ("messages", all.messages), ("userIDBytes", all.userIDBytes),
      ("eventBytes", all.eventBytes), ("pushTokens", all.pushTokens),
    ] {
      limits[name] = limit.map { .integer(Int64($0)) }
    }
    return limits
  }
}
