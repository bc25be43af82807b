import EngagementAnalytics
import EngagementKit
import EngagementModel
import EngagementVendors

extension Invocation {
  /// The kinds that an option names. Throws for one that no event has: it is neither known nor recorded.
  func kinds(
    _ option: Option, in configuration: EngageConfiguration
  ) async throws -> [EngagementEvent.Kind] {
    let kinds = values(option).map { EngagementEvent.Kind($0) }
    for kind in kinds where !kind.isKnown {
      guard try await !isRecorded(kind, in: configuration) else { continue }
      throw unknown(kind, of: option)
    }
    return kinds
  }

  private func unknown(_ kind: EngagementEvent.Kind, of option: Option) -> UsageError {
    if kind.rawValue == ItemAction.delete.name {
      return usage(
        "\(option.title) does not take \"\(kind)\": a deletion is recorded as \"expire\".")
    }
    guard let meant = kind.withoutNoun else {
      return .value(
        kind.rawValue, of: option.title, among: EngagementEvent.Kind.known.map(\.rawValue),
        in: command.title)
    }
    return usage("\(option.title) does not take \"\(kind)\"; did you mean \"\(meant)\"?")
  }

  /// Throws for a provider that is neither configured nor in any recorded event. One that is no longer
  /// configured may have events.
  func requireProviders(
    _ providers: [ProviderID], in configuration: EngageConfiguration
  ) async throws {
    let known = configuration.providers.map(\.id.rawValue)
    for provider in providers where !known.contains(where: provider.rawValue.hasSameBytes) {
      var selection = EventSelection()
      selection.providers = [provider]
      guard try await !isRecorded(selection, in: configuration) else { continue }
      throw UsageError.value(
        provider.rawValue, of: ExportRequest.Options.provider.title, among: known,
        in: command.title)
    }
  }

  /// Whether the ledger has an event of the kind, of any user.
  private func isRecorded(
    _ kind: EngagementEvent.Kind, in configuration: EngageConfiguration
  ) async throws -> Bool {
    var selection = EventSelection()
    selection.kinds = [kind]
    return try await isRecorded(selection, in: configuration)
  }

  private func isRecorded(
    _ selection: EventSelection, in configuration: EngageConfiguration
  ) async throws -> Bool {
    guard CacheFile(configuration.cache).wasMade else { return false }
    let reader = try await looking(configuration) { $0 }
    var (export, sink) = (EventExport(selection, from: "") { _ in nil }, ObservedEventSink { _ in })
    while try reader.writeEvents(of: &export, to: &sink), export.events == 0 {
      try Task.checkCancellation()
    }
    return export.events > 0
  }
}

extension EngagementEvent.Kind {
  fileprivate var isKnown: Bool { Self.known.contains(self) || Self.exported.contains(self) }

  /// The kind that a metric means by a name that is none: one for a type, for a standard metric, or with
  /// an error in it. Nil for a kind, and for a name that is like none.
  var meant: EngagementEvent.Kind? {
    guard !isKnown else { return nil }
    return withoutNoun ?? ComparisonMetric.standard.first { $0.name == rawValue }?.kind
      ?? NearestName.of(rawValue, among: Self.known.map(\.rawValue)).map { Self($0) }
  }

  /// The known kind that a type such as `card.click` has; nil for a name that is no such type.
  var withoutNoun: EngagementEvent.Kind? {
    let isWhole = rawValue.hasPrefix(EventType.prefix)
    let kind = EventType.kind(of: isWhole ? rawValue : EventType.prefix + rawValue, on: nil)
    return kind != self && Self.known.contains(kind) ? kind : nil
  }
}
