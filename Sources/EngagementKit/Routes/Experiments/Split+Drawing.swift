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
  public func standing(of id: String) -> Standing {
    let id = NFC.bytes(of: id)
    if let holdOut {
      // A `Double` holds 53 of the bits.
      let draw = Double(Self.draw("hold-out", holdOut.name, id) >> 11) / 0x1p53
      if draw < holdOut.share { return .heldOut }
    }
    if let layer {
      let slot = UInt64(Self.slots).multipliedFullWidth(by: Self.draw("layer", layer.name, id)).high
      guard layer.slots.contains(Int(slot)) else { return .outside }
    }
    let arms = arms.map { (name: NFC.bytes(of: $0.name), arm: $0) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }.map(\.arm)
    let total = arms.reduce(0) { $0 + UInt64($1.weight) }
    var point = total.multipliedFullWidth(by: Self.draw("experiment", experiment, id)).high
    for arm in arms {
      let weight = UInt64(arm.weight)
      guard point >= weight else { return .arm(arm.name) }
      point -= weight
    }
    return .outside
  }

  private static func draw(_ question: String, _ name: String, _ id: [UInt8]) -> UInt64 {
    var hash = SHA256()
    hash.update(question)
    hash.update([0])
    hash.update(NFC.bytes(of: name))
    hash.update([0])
    hash.update(id)
    return hash.leadingBits().high
  }
}
