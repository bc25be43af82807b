import EngagementFormats
import EngagementKit
import EngagementModel

extension Command {
  /// `engage status`.
  static let status = Command(
    name: ["status"], summary: "show how each surface and its providers stand",
    discussion: """
      STATE is the worst of a surface's providers: fresh, unknown (not asked yet), pending (not
      told yet), throttled (the vendor asked for a pause), stale (the last request failed; SHOWN
      says from when the cache is) or failed. Nothing is asked. The status is 1 if one is stale
      or failed.
      """,
    examples: [
      Example("engage status", "the current user's surfaces"),
      Example("engage status --json", "for a program"),
    ],
    run: { invocation in
      let configuration = try invocation.configurationWithCache()
      let surfaces = try await invocation.reading(configuration) { try await $0.status() }
      var table = Table([
        .init("SURFACE"), .init("STATE"), .init("PROVIDER"), .init("ANSWERS"), .init("SHOWN"),
        .init("WHY", isFlexible: true),
      ])
      for surface in surfaces {
        try invocation.console.object(surface.object)
        for row in surface.rows { table.add(row) }
      }
      try invocation.console.table(table)
      return surfaces.contains { $0.state?.error != nil } ? .failed : .done
    })
}

extension Engagement.SurfaceStatus {
  /// One row for each provider; the first one names the surface.
  fileprivate var rows: [[Phrase]] {
    let name = container.map { "\(surface) \($0)" } ?? surface.rawValue
    guard let state else { return [[Phrase(name, .bold), "none", "", "", "", ""]] }
    return providers.enumerated().map { index, status in
      let isFirst = index == 0
      return [
        isFirst ? Phrase(name, .bold) : "", isFirst ? state.phrase : "",
        Phrase(status.provider.rawValue), status.state.phrase, Phrase(shown(of: status)),
        Phrase(reason(of: status)),
      ]
    }
  }

  private func shown(of status: Engagement.ProviderStatus) -> String {
    guard status.isShown else { return "no" }
    if let date = status.refreshedAt { return ISO8601.text(of: date) ?? "yes" }
    let hasItems = [.cards, .inbox, .templates].contains(surface)
    return hasItems ? "nothing yet" : "yes"
  }

  private func reason(of status: Engagement.ProviderStatus) -> String {
    if let error = status.state.error { return "\(error.code): \(error.message)" }
    if case .throttled(let end) = status.state {
      return "until \(ISO8601.text(of: end) ?? "later")"
    }
    return replaced != nil && status.isShown ? "in place of \(replaced?.rawValue ?? "")" : ""
  }

  fileprivate var object: JSONObject {
    var object: JSONObject = ["surface": .string(surface.rawValue)]
    object["container"] = container.map { .string($0.rawValue) }
    object["state"] = state.map { .string($0.name) } ?? .null
    object["replaced"] = replaced.map { .string($0.rawValue) }
    object["providers"] = .array(providers.map { .object($0.object) })
    return object
  }
}

extension Engagement.ProviderStatus {
  fileprivate var object: JSONObject {
    var object: JSONObject = [
      "provider": .string(provider.rawValue), "state": .string(state.name),
      "isShown": .bool(isShown),
    ]
    object["refreshedAt"] = refreshedAt.flatMap { ISO8601.text(of: $0) }.map(JSON.string)
    if case .throttled(let end) = state {
      object["until"] = ISO8601.text(of: end).map(JSON.string)
    }
    object["code"] = state.error.map { .string($0.code.rawValue) }
    object["message"] = state.error.map { .string($0.message) }
    return object
  }
}

extension Engagement.ProviderState {
  fileprivate var phrase: Phrase {
    switch self {
    case .fresh: Phrase(name, .green)
    case .stale, .failed: Phrase(name, .red)
    case .unknown, .pending, .throttled: Phrase(name, .yellow)
    }
  }
}

extension Invocation {
  /// Says in whose place other providers are shown. Returns whether one of those is down that is still
  /// asked: a sync mends nothing about a route that returns by hand.
  func tellReplacements(of engagement: Engagement) async throws -> Bool {
    var isDown = false
    for status in try await engagement.status() {
      guard let replaced = status.replaced,
        let shown = status.providers.first(where: \.isShown)?.provider
      else { continue }
      let error = status.providers.first { $0.provider == replaced }?.state.error
      let place = status.container.map { "the container \($0)" } ?? status.surface.rawValue
      guard !engagement.routes.returnsByHand(at: status) else {
        let container = status.container.map { " --container \($0)" } ?? ""
        let failure = error.map { " It failed when it was asked last: \($0.message)" } ?? ""
        console.note(
          """
          \(place): \(shown) is shown in place of \(replaced), which is not asked any more, since the \
          route returns by hand. "engage routes return \(status.surface.rawValue)\(container)" asks \
          it.\(failure)
          """)
        continue
      }
      let reason = error.map { ", which is down: \($0.message)" } ?? ""
      console.note("\(place): \(shown) is shown in place of \(replaced)\(reason)")
      isDown = isDown || error != nil
    }
    return isDown
  }
}

extension Engagement.Routes {
  /// Whether the place goes back to its first choice by a command alone.
  fileprivate func returnsByHand(at status: Engagement.SurfaceStatus) -> Bool {
    let own = status.container.flatMap { containers[$0] }
    var route = own ?? (status.surface == .inbox ? inbox : cards)
    if case .shadow(let shown, _) = route { route = shown }
    guard case .firstReady(_, let rules) = route else { return false }
    return rules.returning == .byHand
  }
}
