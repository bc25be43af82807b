import EngagementFormats
import EngagementModel

extension Engagement.Split {
  /// Where a person stands in an experiment.
  @nonexhaustive public enum Standing: Hashable, Sendable {
    case arm(String)
    /// Among the people who are held out of every experiment with this hold-out.
    case heldOut
    /// In none of the layer's slots that the experiment has.
    case outside
  }

  /// Where the person or the installation with this id stands.
  ///
  /// The same id stands at the same place on every device and in every release. Each question is answered
  /// by the first 64 bits of SHA-256 over three texts in UTF-8 and NFC, with a NUL between them: the word
  /// `hold-out`, `layer` or `experiment`, the name of the hold-out, layer or experiment, and the id. The
  /// bits are read as a binary fraction: below the hold-out's share, in a slot of the layer, or within the
  /// share of an arm by its weight. The arms stand in the order of their names' bytes.
  public func standing(of id: String) -> Standing { drawing.standing(of: NFC.bytes(of: id)) }

  /// What is drawn, with all made ready that does not depend on the id.
  struct Drawing: Sendable {
    private let holdOut: (hash: SHA256, share: Double)?
    private let layer: (hash: SHA256, slots: Range<Int>)?
    private let experiment: SHA256
    private let arms: [(name: String, weight: UInt64)]
    private let total: UInt64

    init(_ experiment: String, _ arms: [Arm], _ layer: Layer?, _ holdOut: HoldOut?) {
      self.holdOut = holdOut.map { (Self.hash("hold-out", $0.name), $0.share) }
      self.layer = layer.map { (Self.hash("layer", $0.name), $0.slots) }
      self.experiment = Self.hash("experiment", experiment)
      self.arms = arms.map { (NFC.bytes(of: $0.name), $0) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        // A weight that is refused counts for nothing.
        .map { ($0.1.name, UInt64(max($0.1.weight, 0))) }
      total = self.arms.reduce(0) { $0 &+ $1.weight }
    }

    func standing(of id: [UInt8]) -> Standing {
      if let holdOut {
        // A `Double` holds 53 of the bits.
        let draw = Double(Self.draw(holdOut.hash, id) >> 11) / 0x1p53
        if draw < holdOut.share { return .heldOut }
      }
      if let layer {
        let slot = UInt64(Engagement.Split.slots)
          .multipliedFullWidth(by: Self.draw(layer.hash, id)).high
        guard layer.slots.contains(Int(slot)) else { return .outside }
      }
      var point = total.multipliedFullWidth(by: Self.draw(experiment, id)).high
      for arm in arms {
        guard point >= arm.weight else { return .arm(arm.name) }
        point -= arm.weight
      }
      return .outside
    }

    private static func hash(_ question: String, _ name: String) -> SHA256 {
      var hash = SHA256()
      hash.update(question)
      hash.update([0])
      hash.update(NFC.bytes(of: name))
      hash.update([0])
      return hash
    }

    private static func draw(_ hash: SHA256, _ id: [UInt8]) -> UInt64 {
      var hash = hash
      hash.update(id)
      return hash.leadingBits().high
    }
  }
}

// It follows from the rest of the split, which is compared.
extension Engagement.Split.Drawing: Hashable {
  static func == (_: Self, _: Self) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
