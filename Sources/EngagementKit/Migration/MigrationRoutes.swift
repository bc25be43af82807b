import EngagementAdapterAPI
import EngagementModel

/// The route of a surface at each stage of a migration.
struct MigrationRoutes: Sendable {
  let from: ProviderID
  let to: ProviderID
  let surface: RoutedSurface
  /// The route before the migration.
  private let former: Route
  /// The arm of the people who have moved.
  private static let moved = "moved"

  /// Throws `invalidConfiguration` for a route that does not lead to the old provider, or that is shared
  /// out already.
  ///
  /// - Parameter former: The route before the migration; nil: every provider that takes the surface.
  init(
    from: ProviderID, to: ProviderID, _ surface: RoutedSurface, former: Route?,
    among providers: [Provider]
  ) throws(EngagementError) {
    self.from = from
    self.to = to
    self.surface = surface
    let everyone = providers.filter { surface.isServed(by: $0.adapter.capabilities) }.map(\.id)
    self.former =
      former ?? (surface.strategies.contains(.mirror) ? .mirror(everyone) : .merge(everyone))
    let field = "routes.\(surface.rawValue)"
    switch self.former {
    case .only, .merge, .firstReady, .mirror: break
    case .none, .shadow, .split:
      throw .configurationFault(
        "\(field) is \(self.former.parts.strategy.rawValue); a migration moves only, merge, mirror "
          + "or firstReady.")
    }
    guard self.former.providers.contains(from) else {
      throw .configurationFault("\(field) does not lead to \"\(from)\"; there is nothing to move.")
    }
  }

  /// The route at a stage; nil: what the surface had before.
  func route(at stage: Engagement.MigrationStage) throws(EngagementError) -> Route? {
    guard stage.kind != .off else { return nil }
    if surface == .person || surface == .events {
      // Both know the person until the old provider goes: a move that is taken back finds it there.
      let told = former.providers + [to]
      return .mirror((stage.kind == .removed ? told.filter { $0 != from } : told).withoutRepetition)
    }
    switch stage.kind {
    case .off: return nil
    case .shadow: return .shadow(former, try Engagement.Shadow([to], every: .seconds(60)))
    case .canary, .ramp: return .split(try split(percent: stage.percent))
    case .cutover, .drain, .removed: return after
    }
  }

  /// The former route with the new provider in the place of the old one.
  private var after: Route {
    var parts = former.parts
    parts.named = parts.named.map { $0 == from ? to : $0 }.withoutRepetition
    return Route(parts) ?? .only(to)
  }

  /// People move in one order on all surfaces: a share that grows adds people, and one that shrinks takes
  /// back those who were added last.
  private func split(percent: Int) throws(EngagementError) -> Engagement.Split {
    guard former.parts.strategy != .firstReady else {
      throw .configurationFault(
        "routes.\(surface.rawValue) is firstReady, which cannot be shared out; plan it without canary and ramp."
      )
    }
    return try Engagement.Split(
      Self.experiment(from: from, to: to, percent: percent),
      arms: [.init(Self.moved, providers: after.providers)], otherwise: former.providers,
      holdOut: .init(Self.name(from: from, to: to), share: Double(100 - percent) / 100))
  }

  private static func name(from: ProviderID, to: ProviderID) -> String {
    "migration \(from) to \(to)"
  }

  /// The experiment of a stage with a share, as a plan names it.
  static func experiment(from: ProviderID, to: ProviderID, percent: Int) -> String {
    "\(name(from: from, to: to)) \(percent) %"
  }
}
