public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// How the items of a candidate compare with those that are shown, as a route with a `Shadow` says.
  ///
  /// Items are known as copies by their content keys alone. The candidate's items are not kept; examples
  /// have ids and no content.
  public struct ParityReport: Hashable, Sendable {
    public var surface: Surface
    /// The application's container; nil for the inbox, and for cards of vendors without containers.
    public var container: ContainerID?
    public var candidate: ProviderID
    /// The providers that were shown at the last comparison; before the first, those of the route.
    public var shown: [ProviderID]
    /// Those of the providers that have no content key, so that nothing can be compared with theirs.
    public var withoutContentKeys: [ProviderID] = []
    /// How often both were compared; zero: not yet.
    public var comparisons = 0
    public var firstComparedAt: Date?
    public var comparedAt: Date?
    /// The figures of the last comparison.
    public var last = Figures()
    /// The sums over all comparisons.
    public var total = Figures()
    /// For how long the candidate lacked a content at most that it lists later. Exact to the time
    /// between two comparisons; nil for never.
    public var longestDelay: Duration?
    /// Some mismatches of the last comparison.
    public var examples: [Mismatch] = []
    /// How many readings of the candidate failed.
    public var failures = 0
    /// Why the last reading failed; nil if it did not.
    public var failure: EngagementError.Code?
    /// When the last reading failed.
    public var failedAt: Date?

    public init(
      _ surface: Surface, in container: ContainerID? = nil, of candidate: ProviderID,
      shown: [ProviderID]
    ) {
      self.surface = surface
      self.container = container
      self.candidate = candidate
      self.shown = shown
    }

    /// What a comparison counted.
    public struct Figures: Hashable, Sendable {
      /// The contents that both list.
      public var both = 0
      /// The contents that the candidate lacks.
      public var onlyShown = 0
      /// The contents that only the candidate lists.
      public var onlyCandidate = 0
      /// Of those that both list: those with another title, text, image or link, or another value that
      /// both have.
      public var different = 0
      /// Of those that both list: the fewest that would have to move to make both orders equal.
      public var moved = 0
      /// Of those that both list: those that the candidate lacked before.
      public var later = 0
      /// In how many contents each field differs.
      public var fields: [String: Int] = [:]
      /// The shown items without a content key. They are not compared.
      public var shownWithoutKey = 0
      /// The candidate's items without a content key. They are not compared.
      public var candidateWithoutKey = 0
      /// The further items of a provider with a content key that another one has. They are not compared.
      public var repeated = 0
      /// The candidate's contents that the user has ended or put off. They are not compared.
      public var ended = 0
      /// The candidate's items that could not be read.
      public var unreadable = 0

      public init() {}

      /// The contents that at least one of them lists.
      public var compared: Int { both + onlyShown + onlyCandidate }
    }

    /// One content in which both differ.
    public struct Mismatch: Hashable, Sendable {
      public var kind: Kind
      /// The shown item; nil if none is.
      public var shown: ItemID?
      /// The candidate's item; nil if it has none.
      public var candidate: ItemID?
      /// The fields that differ.
      public var fields: [String]

      public init(
        _ kind: Kind, shown: ItemID? = nil, candidate: ItemID? = nil, fields: [String] = []
      ) {
        self.kind = kind
        self.shown = shown
        self.candidate = candidate
        self.fields = fields
      }

      public enum Kind: String, Hashable, Sendable, CaseIterable {
        case onlyShown, onlyCandidate, different, moved, later
      }
    }
  }
}

extension ParityReport.Figures {
  /// Every count, with its name in a file.
  static let counts: [(name: String, path: any WritableKeyPath<Self, Int> & Sendable)] = [
    ("both", \.both), ("onlyShown", \.onlyShown), ("onlyCandidate", \.onlyCandidate),
    ("different", \.different), ("moved", \.moved), ("later", \.later),
    ("shownWithoutKey", \.shownWithoutKey), ("candidateWithoutKey", \.candidateWithoutKey),
    ("repeated", \.repeated), ("ended", \.ended), ("unreadable", \.unreadable),
  ]

  mutating func add(_ other: Self) {
    for count in Self.counts {
      self[keyPath: count.path] = self[keyPath: count.path].plus(other[keyPath: count.path])
    }
    fields.merge(other.fields) { $0.plus($1) }
  }
}

extension Int {
  /// The sum, or the largest number if it is larger.
  fileprivate func plus(_ other: Int) -> Int {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}
