import EngagementModel

/// How far people went with what they were sent.
enum FunnelStep: CaseIterable {
  case people, delivered, seen, clicked

  var title: String {
    switch self {
    case .people: "People"
    case .delivered: "Delivered"
    case .seen: "Seen"
    case .clicked: "Clicked"
    }
  }

  /// The kinds of events that show that the step is recorded at all. What records impressions records
  /// clicks, so that no click beside impressions is a figure.
  fileprivate var evidence: [EngagementEvent.Kind] {
    switch self {
    case .people: []
    case .delivered: [.delivered]
    case .seen: [.impression]
    case .clicked: [.click, .impression]
    }
  }

  /// The step that events of a kind are; nil for a kind that is none.
  fileprivate init?(_ kind: EngagementEvent.Kind) {
    switch kind {
    case .delivered: self = .delivered
    case .impression: self = .seen
    case .click: self = .clicked
    case _: return nil
    }
  }
}

extension ComparisonCounts {
  /// The people of an arm with an event of the step; nil where the step is not recorded.
  func people(at step: FunnelStep, in arm: Int) -> Int? {
    guard isRecorded(step, in: arm) else { return nil }
    return switch step {
    case .people: arms[arm].assigned
    case .delivered: arms[arm].delivered
    case .seen: arms[arm].seen
    case .clicked: arms[arm].clicked
    }
  }

  /// The first of the metric's kinds that no event of the provider tells of.
  func unrecordedKind(of metric: ComparisonMetric, in arm: Int) -> EngagementEvent.Kind? {
    guard !design.isExperiment else { return nil }
    return [metric.kind, metric.base].compactMap(\.self).first { !isRecorded($0, in: arm) }
  }

  /// Whether the kind is recorded of some provider.
  func isRecordedAnywhere(_ kind: EngagementEvent.Kind) -> Bool {
    arms.indices.contains { isRecorded(kind, in: $0) }
  }

  /// An opt-out is one from all providers, and none of them reports it.
  private func isRecorded(_ kind: EngagementEvent.Kind, in arm: Int) -> Bool {
    if let step = FunnelStep(kind) { return isRecorded(step, in: arm) }
    let asked = kind == .optOut ? arms[...] : arms[arm...arm]
    return asked.contains { $0.events[kind, default: 0] > 0 }
  }

  /// Whether events tell who received from the provider, and not only who did something.
  func hasReceipts(_ arm: Int) -> Bool {
    ComparedKinds.receipts.contains { arms[arm].events[$0, default: 0] > 0 }
  }

  /// Whether people of the arm read or opened messages, which no step and no metric counts.
  func hasUncountedMessages(in arm: Int) -> Bool {
    let kinds: [EngagementEvent.Kind] = [.open, .read]
    return !isRecorded(FunnelStep.seen, in: arm)
      && kinds.contains { arms[arm].events[$0, default: 0] > 0 }
      && !design.metrics.contains { kinds.contains($0.kind) }
  }

  /// The arms of an experiment are recorded by one application. An arm without cards has none of its own.
  private func isRecorded(_ step: FunnelStep, in arm: Int) -> Bool {
    let asked = design.isExperiment ? arms[...] : arms[arm...arm]
    return step.evidence.isEmpty
      || step.evidence.contains { kind in asked.contains { $0.events[kind, default: 0] > 0 } }
  }
}
