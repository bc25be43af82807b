public import EngagementModel

/// Takes events, in any order, before it is known which providers are compared, so that a caller reads
/// them once. An event takes 24 bytes.
///
/// ```swift
/// var accumulator = ProviderAccumulator()
/// for event in events { accumulator.add(event) }
/// let providers = accumulator.senders.sorted { $0.rawValue < $1.rawValue }
/// let design = try ComparisonDesign(providers: providers, control: providers[0])
/// let report = ComparisonReport(accumulator.takeCounts(by: design), at: .now)
/// ```
public struct ProviderAccumulator: Sendable {
  public let metrics: [ComparisonMetric]
  /// The providers that have sent something to somebody.
  public private(set) var senders: Set<ProviderID> = []
  private let kinds: ComparedKinds
  /// Rows have the index of a provider in the place of that of an arm.
  private var rows: [ComparisonRow] = []
  private var providers: [ArmName] = []
  private var indices: [ArmName: UInt16] = [:]

  public init(metrics: [ComparisonMetric] = ComparisonMetric.standard) {
    self.metrics = metrics
    kinds = ComparedKinds(metrics)
  }

  /// Adds an event. One that no figure needs is ignored.
  public mutating func add(_ event: ObservedEvent) {
    guard let row = ComparisonRow(event, kinds, arm: index(of: event.provider)) else { return }
    rows.append(row)
    if let provider = event.provider, event.isOfReceiver { senders.insert(provider) }
  }

  /// The counts of the people by a design of providers with the same metrics. The events are used up.
  public mutating func takeCounts(by design: ComparisonDesign) -> ComparisonCounts {
    var taken: [ComparisonRow] = []
    swap(&taken, &rows)
    let arms = providers.map { provider in
      design.arms.firstIndex { $0.name.hasSameBytes(as: provider.rawValue) }
        .map { UInt16($0) } ?? ComparisonRow.noArm
    }
    for index in taken.indices where taken[index].arm < ComparisonRow.allArms {
      taken[index].arm = arms[Int(taken[index].arm)]
    }
    taken.sort()
    return ComparisonCounts(of: taken, design, kinds)
  }

  /// More providers than there are numbers are not told apart, and are no sender of a comparison.
  private mutating func index(of provider: ProviderID?) -> UInt16 {
    guard let provider else { return ComparisonRow.noArm }
    let name = ArmName(rawValue: provider.rawValue)
    if let index = indices[name] { return index }
    guard providers.count < Int(ComparisonRow.allArms) else { return ComparisonRow.noArm }
    let index = UInt16(providers.count)
    providers.append(name)
    indices[name] = index
    return index
  }
}
