public import EngagementModel
public import EngagementPlatform

extension Engagement {
  /// How surfaces move from one provider to another, in stages that can be taken back.
  public struct MigrationPlan: Hashable, Sendable {
    public let from: ProviderID
    public let to: ProviderID
    /// The surfaces, in the order in which they move: none is ahead of one before it.
    public let moves: [Move]
    /// What has to hold for leaving a stage forwards, beside the standard gates: each limit changes or adds
    /// one gate, an infinite one removes it, and a stage with none at all has no gates.
    public let gates: [MigrationStage.Kind: [MigrationFigure: Double]]
    /// When `drain` may end although actions are pending for the old provider; nil for never.
    public let drainsUntil: Date?
    /// Whether a surface goes back by itself to where nobody has moved when a gate breaks.
    public let takesBack: Bool
    /// Whether a surface moves on by itself when its gates hold, as far as `drain`.
    public let isAutomatic: Bool

    /// One surface and its stages, from the first after `off` to `removed`.
    public struct Move: Hashable, Sendable {
      public let surface: Surface
      public let stages: [MigrationStage]

      public init(_ surface: Surface, stages: [MigrationStage]) {
        self.surface = surface
        self.stages = stages
      }
    }

    /// Throws `invalidArgument`, naming the member, for a provider that moves to itself, a surface that is
    /// named twice or has no route, stages out of order, shares that are not from 1 to 99 or do not grow,
    /// and a gate on a figure that its stage does not have.
    ///
    /// - Parameter gates: The gates by stage that are not the standard ones.
    public init(
      from: ProviderID, to: ProviderID, moves: [Move],
      gates: [MigrationStage.Kind: [MigrationFigure: Double]] = [:], drainsUntil: Date? = nil,
      takesBack: Bool = false, isAutomatic: Bool = false
    ) throws(EngagementError) {
      self.from = from
      self.to = to
      self.moves = moves
      self.gates = gates
      self.drainsUntil = drainsUntil
      self.takesBack = takesBack
      self.isAutomatic = isAutomatic
      try check()
    }
  }
}

extension Engagement.MigrationPlan {
  private typealias Figure = Engagement.MigrationFigure

  func move(of surface: Engagement.Surface) -> Move? { moves.first { $0.surface == surface } }

  /// The surfaces that move, each of which has a route.
  var surfaces: [RoutedSurface] {
    moves.compactMap { RoutedSurface(rawValue: $0.surface.rawValue) }
  }

  /// The gates of a stage, those that are not planned being standard.
  func gates(of stage: Engagement.MigrationStage, on surface: RoutedSurface) -> [(
    figure: Engagement.MigrationFigure, limit: Double
  )] {
    let planned = gates[stage.kind]
    guard planned?.isEmpty != true else { return [] }
    let wanted = Engagement.MigrationFigure.standard(of: stage.kind)
      .merging(planned ?? [:]) { _, planned in planned }
    return wanted.filter {
      $0.value.isFinite && $0.key.isMeasured(in: stage.kind, on: surface)
    }
    .map { (figure: $0.key, limit: $0.value) }
    .sorted { $0.figure.rank < $1.figure.rank }
  }

  // MARK: Checks

  /// Throws `conflict`, naming the next stage, if a surface does not come to the stage in one step, and
  /// `invalidArgument` if the plan has no such stage.
  public func checkStep(
    of surface: Engagement.Surface, from present: Engagement.MigrationStage,
    to stage: Engagement.MigrationStage
  ) throws(EngagementError) {
    let stages: [Engagement.MigrationStage] = [.off] + (move(of: surface)?.stages ?? [])
    guard stages.contains(stage) else {
      throw .argumentFault(
        "The plan has no stage \(stage.words) of \(surface); write one of "
          + stages.map { "\"\($0.words)\"" }.joined(separator: ", ") + ".")
    }
    let start = "\(surface) is at \(present.words)"
    guard let place = stages.firstIndex(of: present), stages.indices.contains(place + 1) else {
      throw EngagementError(.conflict, "\(start), the last stage.")
    }
    let next = stages[place + 1]
    guard stage != next else { return }
    throw EngagementError(
      .conflict,
      "\(start), and the next stage is \(next.words), not \(stage.words): "
        + (stage.order > present.order
          ? "move it to \(next.words) first."
          : "take it back if you mean that, or move it to \(next.words)."))
  }

  private static let largestLimit = 1e9

  private func check() throws(EngagementError) {
    for (field, id) in [("from", from), ("to", to)] where id.rawValue.isEmpty {
      throw .argumentFault("\(field) is empty; name a provider.")
    }
    guard from != to else {
      throw .argumentFault("from and to are both \"\(to)\"; name two providers.")
    }
    guard !moves.isEmpty else {
      throw .argumentFault("surfaces is empty; name at least one, such as cards.")
    }
    for (index, move) in moves.enumerated() {
      let field = "surfaces[\(index)]"
      guard !move.surface.rawValue.isEmpty else {
        throw .argumentFault("\(field).surface is empty; name a surface, such as cards.")
      }
      do throws(EngagementError) {
        _ = try RoutedSurface(move.surface)
      } catch {
        throw EngagementError(error.code, "\(field).surface: \(error.message)")
      }
      guard !moves[..<index].contains(where: { $0.surface == move.surface }) else {
        throw .argumentFault("\(field) is \(move.surface) again; name each surface once.")
      }
      try check(move, field)
    }
    for (kind, wanted) in gates.sorted(by: { $0.key.rank < $1.key.rank }) {
      try check(wanted, of: kind)
    }
  }

  private func check(_ move: Move, _ field: String) throws(EngagementError) {
    let surface = try RoutedSurface(move.surface)
    var last = Engagement.MigrationStage.off
    for (index, stage) in move.stages.enumerated() {
      let field = "\(field).stages[\(index)]"
      let isNext =
        stage.kind.rank > last.kind.rank || stage.kind == .ramp && last.kind == .ramp
      guard isNext else {
        throw .argumentFault(
          "\(field) is \(stage.words) after \(last.words); the order is "
            + Engagement.MigrationStage.Kind.allCases.map(\.rawValue).joined(separator: ", ") + ".")
      }
      if stage.isShared {
        guard (1...99).contains(stage.percent) else {
          throw .argumentFault(
            "\(field) is \(stage.percent) %; a share is from 1 to 99, and cutover is for everybody."
          )
        }
        guard stage.percent > last.percent else {
          throw .argumentFault(
            "\(field) is \(stage.percent) % after \(last.percent) %; shares grow.")
        }
        guard surface.strategies.contains(.split) else {
          throw .argumentFault("\(field) is \(stage.words); \(surface.rawValue) has no shares.")
        }
      }
      if stage.kind == .shadow, !surface.strategies.contains(.shadow) {
        throw .argumentFault("\(field) is shadow; only cards and inbox can be compared.")
      }
      last = stage
    }
    for needed in [Engagement.MigrationStage.cutover, .drain, .removed] {
      guard move.stages.contains(needed) else {
        throw .argumentFault(
          "\(field).stages has no \(needed.words); a move ends with cutover, drain and removed.")
      }
    }
  }

  private func check(
    _ wanted: [Engagement.MigrationFigure: Double], of kind: Engagement.MigrationStage.Kind
  ) throws(EngagementError) {
    for (figure, limit) in wanted.sorted(by: { $0.key.rank < $1.key.rank }) {
      let field = "gates.\(kind.rawValue).\(figure.rawValue)"
      guard (0...Self.largestLimit).contains(limit) || limit == .infinity else {
        throw .argumentFault("\(field) is \(limit); it is zero or more.")
      }
      guard !figure.isShare || limit <= 1 || limit == .infinity else {
        let share = limit > 100 ? 1 : limit / 100
        throw .argumentFault(
          "\(field) is \(Figure.text(ofLimit: limit)); it is a share from 0 to 1: write "
            + "\(Figure.text(ofLimit: share)) for \(figure.text(of: share)).")
      }
      let isMeasured = moves.contains { move in
        guard let surface = try? RoutedSurface(move.surface) else { return false }
        return move.stages.contains { $0.kind == kind } && figure.isMeasured(in: kind, on: surface)
      }
      guard isMeasured else {
        throw .argumentFault(
          "\(field) is measured by nobody: no surface of the plan has that figure in \(kind.rawValue)."
        )
      }
    }
  }
}
