public import EngagementModel

/// What is measured of the people of each arm. Each person has two whole numbers, and an arm's figure
/// is the sum of the first ones divided by the sum of the second ones.
public struct ComparisonMetric: Hashable, Sendable {
  /// How a person's events become the two numbers.
  public enum Measure: Hashable, Sendable {
    /// The share of people who did something, of all people or of those who did something else.
    ///
    /// The arm may change who does the other thing. Then the shares are of different people, so
    /// decide on a share of all.
    case people(EngagementEvent.Kind, among: EngagementEvent.Kind? = nil)
    /// The events of a kind for each person, or for each event of another kind.
    case events(EngagementEvent.Kind, per: EngagementEvent.Kind? = nil)
  }

  public let name: String
  public let measure: Measure

  public init(_ name: String, _ measure: Measure) {
    self.name = name
    self.measure = measure
  }

  /// The shares of all people who saw an item, clicked, completed, dismissed and opted out.
  public static let standard = [
    ComparisonMetric("impression", .people(.impression)),
    ComparisonMetric("click", .people(.click)),
    ComparisonMetric("completion", .people(.submit)),
    ComparisonMetric("dismissal", .people(.dismiss)),
    ComparisonMetric("opt-out", .people(.optOut)),
  ]

  /// The shares of all people who opened and who read a message. An inbox has no impressions and clicks.
  package static let inbox = [
    ComparisonMetric("open", .people(.open)), ComparisonMetric("read", .people(.read)),
  ]

  /// No person counts with more events of one kind than this, so that no sum overflows.
  public static let largestCount = 1_000_000

  /// What is counted.
  package var kind: EngagementEvent.Kind {
    switch measure {
    case .people(let kind, _), .events(let kind, _): kind
    }
  }

  /// What it is divided by; nil for the people.
  var base: EngagementEvent.Kind? {
    switch measure {
    case .people(_, let base), .events(_, let base): base
    }
  }

  /// Whether the figure lies between 0 and 1.
  var isShare: Bool {
    switch measure {
    case .people: true
    case .events: false
    }
  }

  /// What the figure is, such as `people with the event click, of those with delivered`.
  var explanation: String {
    switch measure {
    case .people(let kind, nil): "people with the event \(kind.rawValue), of all people"
    case .people(let kind, let base?):
      "people with the event \(kind.rawValue), of those with \(base.rawValue)"
    case .events(let kind, nil): "events \(kind.rawValue) for each person"
    case .events(let kind, let base?): "events \(kind.rawValue) for each \(base.rawValue)"
    }
  }
}
