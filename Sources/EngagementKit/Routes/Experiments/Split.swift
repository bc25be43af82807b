public import EngagementModel

extension Engagement {
  /// An experiment whose arms are sets of providers.
  ///
  /// Two routes may name one experiment. Then everything but the providers is equal, and a person is
  /// in the same arm at both.
  public struct Split: Hashable, Sendable {
    public let experiment: String
    public let version: Int
    public let arms: [Arm]
    /// The providers for people who are in no arm.
    public let otherwise: [ProviderID]
    public let layer: Layer?
    public let holdOut: HoldOut?
    let drawing: Drawing

    public struct Arm: Hashable, Sendable {
      public let name: String
      /// The arm's share of the people, beside the weights of the other arms.
      public let weight: Int
      /// Empty: nobody fills the surface.
      public let providers: [ProviderID]

      public init(_ name: String, weight: Int = 1, providers: [ProviderID]) {
        self.name = name
        self.weight = weight
        self.providers = providers
      }
    }

    /// Experiments of one layer share no person. Slots are ten-thousandths of all people.
    public struct Layer: Hashable, Sendable {
      public let name: String
      public let slots: Range<Int>

      public init(_ name: String, slots: Range<Int>) {
        self.name = name
        self.slots = slots
      }
    }

    /// People who are in no arm, the same for every experiment that names the hold-out.
    public struct HoldOut: Hashable, Sendable {
      public let name: String
      /// From 0 to less than 1.
      public let share: Double

      public init(_ name: String, share: Double) {
        self.name = name
        self.share = share
      }
    }

    /// Throws `invalidArgument`, naming the member, for names that are empty, too long or there twice,
    /// for weights that are negative or sum to nothing, and for slots or shares out of range.
    public init(
      _ experiment: String, version: Int = 1, arms: [Arm], otherwise: [ProviderID] = [],
      layer: Layer? = nil, holdOut: HoldOut? = nil
    ) throws(EngagementError) {
      self.experiment = experiment
      self.version = version
      self.arms = arms
      self.otherwise = otherwise
      self.layer = layer
      self.holdOut = holdOut
      drawing = Drawing(experiment, arms, layer, holdOut)
      try check()
    }
  }
}
