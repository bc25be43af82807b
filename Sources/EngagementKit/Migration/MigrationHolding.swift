import EngagementAdapterAPI
public import EngagementModel
import EngagementPlatform
import EngagementStore

extension Engagement {
  /// What the cache holds of a surface for the current user, at the two providers of a move.
  public struct MigrationHolding: Hashable, Sendable {
    public let surface: Surface
    /// How many items of the old provider the user can see, or how many push tokens it has; nil for a
    /// surface without either.
    public let held: Int?
    /// How many contents both providers list, by their content keys. Each is shown once.
    public let shownOnce: Int
    /// How many contents of the new provider are not shown, since the user ended or put off a copy.
    public let hidden: Int
    /// What the old provider is told of its items and the new one is not.
    public let lostActions: [LostAction]

    /// An action of which the new provider is not told.
    public struct LostAction: Hashable, Sendable {
      /// The name of an `ItemAction`.
      public let action: String
      /// How many of the held items have it.
      public let items: Int
      /// Whether it still has its effect on this device. Otherwise it is refused.
      public let isKept: Bool
    }
  }

  /// What the cache holds of each surface, at the two providers of a move. Nothing changes, and no vendor
  /// is asked.
  public func migrationHoldings(
    from: ProviderID, to: ProviderID
  ) async throws(EngagementError) -> [MigrationHolding] {
    try lifecycle.checkOpen()
    let now = dependencies.clock.now
    let partition = dependencies.currentUser.userSession.partition
    let keys = try await dependencies.store.feeds(of: partition).filter {
      $0.provider == from || $0.provider == to
    }
    let listed = Set(keys.filter { [.cards, .inbox].contains($0.feed.surface) })
    let loaded = try await dependencies.store.load(listed, of: partition, at: now)
    let campaigns = keys.filter { $0.provider == from && $0.feed.surface == .campaigns }
    let (old, new) = (provider(from), provider(to))
    var holdings: [MigrationHolding] = []
    for surface in RoutedSurface.allCases {
      var (held, shownOnce, hidden): (Int?, Int, Int) = (nil, 0, 0)
      var lost: [MigrationHolding.LostAction] = []
      switch surface {
      case .cards, .inbox:
        let items = HeldItems(surface.own(at: old), of: from, in: loaded)
        held = items.count
        if let old, let new { lost = items.actions(on: surface, at: old, lostAt: new, now) }
        let ended = try await dependencies.store.hiddenContents(
          on: surface.surface, of: partition, at: now)
        let theirs = try await dependencies.store.contents(
          listedBy: to, on: surface.own(at: new).surface, of: partition)
        let mine = try await dependencies.store.contents(
          listedBy: from, on: surface.own(at: old).surface, of: partition)
        shownOnce = theirs.intersection(mine).subtracting(ended).count
        hidden = theirs.intersection(ended).count
      case .templates:
        var ids: Set<ItemID> = []
        for key in campaigns {
          let view = try await dependencies.store.campaigns(in: key, of: partition, at: now)
          ids.formUnion(view.items.map(\.id))
        }
        held = ids.count
      case .push:
        held = try await dependencies.store.pushStates(of: partition).count {
          $0.provider == from && $0.phase != .unregistered
        }
      case .person, .events: break
      }
      holdings.append(
        MigrationHolding(
          surface: surface.surface, held: held, shownOnce: shownOnce, hidden: hidden,
          lostActions: lost))
    }
    return holdings
  }

  private func provider(_ id: ProviderID) -> Provider? {
    dependencies.providers.first { $0.id == id }
  }
}

extension RoutedSurface {
  /// The surface of the provider's own items that this one shows.
  fileprivate func own(at provider: Provider?) -> RoutedSurface {
    isBridged(to: provider?.adapter.capabilities) ? counterpart ?? self : self
  }
}

/// The items of a provider that the user can see.
private struct HeldItems {
  private var cards: [ItemID: Card] = [:]
  private var messages = 0

  init(_ surface: RoutedSurface, of provider: ProviderID, in loaded: LoadedFeeds) {
    if surface == .inbox {
      messages = loaded.messages[provider]?.shown.count ?? 0
      return
    }
    for (key, view) in loaded.cards where key.provider == provider {
      for card in view.shown { cards[card.id] = card }
    }
  }

  var count: Int { cards.count + messages }

  /// The actions on these items of which the old provider is told and the new one is not.
  func actions(
    on surface: RoutedSurface, at old: Provider, lostAt new: Provider, _ now: Date
  ) -> [Engagement.MigrationHolding.LostAction] {
    Self.every.compactMap { action in
      guard old.travel(of: action, on: surface, at: now).isTold else { return nil }
      let travel = new.travel(of: action, on: surface, at: now)
      let items = cards.values.count { $0.offers(action) } + messages
      guard !travel.isTold, items > 0 else { return nil }
      return .init(action: action.name, items: items, isKept: travel == .localOnly)
    }
  }

  private static let every: [ItemAction] = [
    .impression, .click, .open, .read, .dismiss, .submit(button: nil, values: [:]),
    .snooze(seconds: 0), .vote(useful: true, reason: nil, message: nil), .expire(at: nil), .delete,
  ]
}

extension Provider {
  /// How the provider is told of an action on an item that the surface shows.
  fileprivate func travel(
    of action: ItemAction, on surface: RoutedSurface, at now: Date
  ) -> Ability.Travel {
    let target = self.target(of: action, shownOn: surface.surface, at: now)
    return target.map { adapter.capabilities.ability(.act($0.action.name, on: $0.surface)).travel }
      ?? .unsupported
  }
}

extension Ability.Travel {
  fileprivate var isTold: Bool {
    switch self {
    case .request, .event: true
    case .localOnly, .unsupported: false
    }
  }
}

extension Card {
  /// Whether the user can do this with the card.
  fileprivate func offers(_ action: ItemAction) -> Bool {
    let all = (self.buttons + self.subviews.flatMap(\.buttons)).map(\.action)
    switch action {
    case .submit:
      return all.contains { if case .submit = $0 { true } else { false } }
    case .snooze:
      return self.actions.canSnooze
        || all.contains { if case .snooze = $0 { true } else { false } }
    case .vote:
      return self.actions.canVoteUp || self.actions.canVoteDown
        || all.contains { if case .vote = $0 { true } else { false } }
    case .dismiss: return self.isDismissible || self.actions.canDismiss || all.contains(.dismiss)
    case .impression, .click, .open, .read, .expire, .delete: return true
    }
  }
}
