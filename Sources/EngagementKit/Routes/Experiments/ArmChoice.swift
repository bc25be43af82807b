import EngagementFormats
import EngagementModel
import EngagementPlatform
import EngagementStore

/// Where a user stands in the experiments of several routes, by what the cache keeps and what the splits
/// draw.
struct ArmChoice: Sendable {
  private let splits: [Engagement.Split]
  private let unit: String?

  /// - Parameter unit: The id that the splits draw for. Nil: only what is kept counts.
  init(_ splits: [Engagement.Split], for unit: String?) {
    self.splits = splits
    self.unit = unit
  }

  /// Where the user stands in each experiment; no entry if that is not known.
  ///
  /// A kept arm holds as long as the split has it, also over other weights, slots, shares and versions.
  /// A user who has an arm in a layer is outside of the layer's other
  /// experiments, so that no change of slots puts anybody into two of them.
  func standings(among known: [ArmAssignment]) -> [String: Engagement.Split.Standing] {
    var standings: [String: Engagement.Split.Standing] = [:]
    var taken: Set<String> = []
    for (split, kept) in inOrder(known) {
      guard let standing = kept?.standing ?? unit.map(split.standing(of:)) else { continue }
      standings[split.name] = standing
      guard case .arm = standing, let layer = split.layer else { continue }
      // Equal texts are one layer, in whichever normalization form they are.
      if !taken.insert(layer.name).inserted { standings[split.name] = .outside }
    }
    return standings
  }

  /// What is kept of where the user stands. A user who is outside of an experiment may enter it later, so
  /// nothing is kept of that.
  func wanted(among known: [ArmAssignment]) -> [ArmAssignment] {
    let standings = standings(among: known)
    return splits.compactMap { split in
      standings[split.name]?.arm.map { ArmAssignment(split.name, version: split.version, arm: $0) }
    }
  }

  /// The experiments of which the user has an arm and the ledger no exposure.
  func unexposed(among known: [ArmAssignment]) -> Set<String> {
    let wanted = wanted(among: known).filter { wanted in
      !known.contains { $0.isOfSameVersion(as: wanted) && $0.exposedAt != nil }
    }
    return Set(wanted.map(\.experiment))
  }

  /// The splits with kept arms first, the oldest before the others.
  private func inOrder(
    _ known: [ArmAssignment]
  ) -> [(split: Engagement.Split, kept: ArmAssignment?)] {
    let all = splits.map { (split: $0, kept: $0.kept(among: known)) }
    return all.filter { $0.kept != nil }
      .sorted { ($0.kept?.assignedAt ?? .distantFuture) < ($1.kept?.assignedAt ?? .distantFuture) }
      + all.filter { $0.kept == nil }
  }
}

extension ArmAssignment {
  fileprivate var standing: Engagement.Split.Standing {
    arm == Engagement.Split.holdOutName ? .heldOut : .arm(arm)
  }
}

extension Engagement.Split.Standing {
  /// The arm that is kept and recorded; nil outside.
  var arm: String? {
    switch self {
    case .arm(let name): name
    case .heldOut: Engagement.Split.holdOutName
    case .outside: nil
    }
  }
}

extension Engagement.Split {
  /// The experiment as it is kept and recorded: in one normalization form, as it is drawn.
  var name: String { String(decoding: NFC.bytes(of: experiment), as: UTF8.self) }

  /// What is kept of this version, or else of the newest, if the split still has that arm.
  fileprivate func kept(among known: [ArmAssignment]) -> ArmAssignment? {
    // The newest version first.
    let own = known.filter { $0.experiment == name && has($0.arm) }
    return own.first { $0.version == version } ?? own.first
  }

  private func has(_ arm: String) -> Bool {
    arm == Self.holdOutName ? holdOut != nil : arms.contains { $0.name == arm }
  }
}

extension Engagement.Routes {
  /// The split of each experiment, once: routes that name one experiment place people alike.
  var splits: [Engagement.Split] {
    var seen: Set<String> = []
    return places.compactMap(\.route.parts.split).filter { seen.insert($0.name).inserted }
      .sorted { $0.name < $1.name }
  }
}
