import EngagementAdapterAPI
import EngagementJSON
import EngagementModel
import EngagementStore
import EngagementTesting
import FoundationEssentials

@testable import EngagementKit

extension MemoryHost {
  /// One item as its vendor sent it.
  struct StoredItem: Sendable {
    var id: String
    var raw: RawItem
    var isTest: Bool
  }

  /// Commits changes in one go; those of a user to the given one, by default the present.
  func commit(_ changes: [Change], for user: User? = nil) {
    let now = clock.now
    state.withLock { state in
      state.acting(as: user ?? state.user) { state in
        for change in changes { apply(change, to: &state, at: now) }
      }
    }
  }

  private func apply(_ change: Change, to state: inout State, at now: Date) {
    switch change {
    case .items(let feed, let mode, let items):
      apply(items, mode, to: feed, in: &state.partition)
      settleOverlays(of: feed, in: &state.partition, at: now)
    case .removed(let feed, let ids):
      let gone = Set(ids.map(ByteText.init))
      state.partition.feeds[feed]?.removeAll { gone.contains(ByteText($0.id)) }
      settleOverlays(of: feed, in: &state.partition, at: now)
    case .unchanged: break
    case .person(let person): state.partition.person = person
    case .settings(let settings): state.kept.settings = settings
    case .metrics(let metrics): state.partition.metrics = metrics
    case .total(let feed, let count): state.partition.totals[feed] = count
    case .wanted(let operation): accept(operation, in: &state, at: now)
    case .settled(let ids): state.partition.settle(ids)
    case .abandoned(let surface, let reason): state.partition.abandon(surface, reason)
    case .throttled(let verb, let date): state.partition.throttled[verb] = date
    case .ignored(let error): state.partition.ignored.append(error)
    case .keep(.installation, let key, let value): state.kept.values[key] = value
    case .keep(.user, let key, let value): state.partition.values[key] = value
    case .secret(.installation, let key, let value): state.kept.secrets[key] = value
    case .secret(.user, let key, let value): state.partition.secrets[key] = value
    case .pushToken(let registration):
      state.kept.push[registration.environment] = registration
    }
  }

  // MARK: The vendor's truth

  private func apply(
    _ items: [RawItem], _ mode: ItemMode, to feed: Feed, in partition: inout Partition
  ) {
    let old = partition.feeds[feed] ?? []
    var new: [StoredItem]
    switch mode {
    case .replace(let retention):
      new = retention.testItems ? old.filter(\.isTest) : []
      for item in items {
        put(item, over: old, retaining: retention, into: &new, feed, &partition)
      }
    case .put:
      new = old
      for item in items { put(item, over: old, retaining: .nothing, into: &new, feed, &partition) }
    case .patch(let rules):
      new = old
      for item in items { patch(item, by: rules, into: &new, feed, &partition) }
    }
    partition.feeds[feed] = new
  }

  private func put(
    _ item: RawItem, over old: [StoredItem], retaining retention: Retention,
    into new: inout [StoredItem], _ feed: Feed, _ partition: inout Partition
  ) {
    guard var stored = identify(item, feed, &partition) else { return }
    let before = old.first { $0.id.hasSameBytes(as: stored.id) }
    if let before, !retention.onlyEverSet.isEmpty,
      let bytes = try? ItemPatch.retaining(before.raw.bytes, in: item.bytes, by: retention)
    {
      stored.raw = RawItem(index: item.index, bytes: bytes[...])
    }
    place(stored, into: &new)
  }

  private func patch(
    _ item: RawItem, by rules: PatchRules, into new: inout [StoredItem], _ feed: Feed,
    _ partition: inout Partition
  ) {
    guard let id = item.id, let before = new.first(where: { $0.id.hasSameBytes(as: id) }) else {
      if let stored = identify(item, feed, &partition) { place(stored, into: &new) }
      return
    }
    guard let merged = try? ItemPatch.merged(before.raw.bytes, with: item.bytes, by: rules),
      let stored = identify(RawItem(index: item.index, bytes: merged[...]), feed, &partition)
    else { return }
    place(stored, into: &new)
  }

  private func place(_ item: StoredItem, into items: inout [StoredItem]) {
    if let index = items.firstIndex(where: { $0.id.hasSameBytes(as: item.id) }) {
      items[index] = item
    } else {
      items.append(item)
    }
  }

  /// Maps the item far enough to know it, or sets it aside.
  private func identify(
    _ item: RawItem, _ feed: Feed, _ partition: inout Partition
  ) -> StoredItem? {
    do throws(EngagementError) {
      if let fault = item.fault { throw EngagementError(.malformedResponse, "\(fault)") }
      switch feed.surface {
      case .inbox:
        return StoredItem(id: try adapter.message(in: item).id.value, raw: item, isTest: false)
      case .campaigns:
        return StoredItem(id: try adapter.campaign(in: item).id.value, raw: item, isTest: false)
      default:
        let card = try adapter.card(in: item)
        return StoredItem(id: card.id.value, raw: item, isTest: card.isTest)
      }
    } catch {
      // A kind that the adapter does not know is no fault of the item.
      if error.code != .unsupported {
        partition.quarantined.append("\(item.index): \(error.message)")
      }
      return nil
    }
  }

  /// Ends what the vendor agrees with, and everything on items that it no longer lists.
  private func settleOverlays(of feed: Feed, in partition: inout Partition, at now: Date) {
    let stored = partition.feeds.filter { $0.key.surface == feed.surface }.values.joined()
    var known: Set<ItemID> = []
    for item in stored {
      if feed.surface == .inbox, let message = try? adapter.message(in: item.raw) {
        known.insert(message.id)
        partition.overlays[message.id]?.settle(with: message, at: now)
      } else if let card = try? adapter.card(in: item.raw) {
        known.insert(card.id)
        partition.overlays[card.id]?.settle(with: card, at: now)
      }
    }
    for (id, overlay) in partition.overlays
    where overlay.isEmpty || partition.surfaces[id] == feed.surface && !known.contains(id) {
      partition.overlays[id] = nil
      partition.surfaces[id] = nil
    }
  }

  // MARK: What is visible

  /// The cards of a feed as the user sees them; control cards only when they are asked for.
  func cards(in feed: Feed = .cards, includingControl: Bool = false) -> [Card] {
    let now = clock.now
    let (items, overlays) = state.withLock { state in
      (state.partition.feeds[feed] ?? [], state.partition.overlays)
    }
    return items.compactMap { item in
      guard var card = try? adapter.card(in: item.raw) else { return nil }
      // A card may be in several containers, so the list says in which, not the item.
      card.container = card.container ?? feed.container
      if let end = card.expiresAt, end <= now { return nil }
      if card.kind == .control, !includingControl { return nil }
      // What its vendor has dismissed stays so, whatever the user did to it before.
      if card.isDismissed { return nil }
      guard let overlay = overlays[card.id] else { return card }
      return overlay.hides(at: now) ? nil : overlay.applied(to: card)
    }.sorted(by: adapter.capabilities.order(of: .cards))
  }

  /// The messages as the user sees them: of all lists that the vendor keeps, each message once.
  var messages: [InboxMessage] {
    let now = clock.now
    let (items, overlays) = state.withLock { state in
      (state.partition.items(on: .inbox), state.partition.overlays)
    }
    var seen: Set<ItemID> = []
    return items.compactMap { try? adapter.message(in: $0.raw) }
      .filter { seen.insert($0.id).inserted }.collapsed()
      .compactMap { message in
        if let end = message.expiresAt, end <= now { return nil }
        guard let overlay = overlays[message.id] else { return message }
        return overlay.hides(at: now) ? nil : overlay.applied(to: message)
      }.sorted(by: adapter.capabilities.order(of: .inbox))
  }

  /// The campaigns of a list.
  func campaigns(in feed: Feed = .campaigns) -> [Campaign] {
    let items = state.withLock { $0.partition.feeds[feed] ?? [] }
    return items.compactMap { try? adapter.campaign(in: $0.raw) }
  }

  /// How many items the vendor says the feed has.
  func total(of feed: Feed) -> Int? { state.withLock { $0.partition.totals[feed] } }
}

extension MemoryHost.Partition {
  /// The items of every list of the surface, the one without a container first.
  fileprivate func items(on surface: Surface) -> [MemoryHost.StoredItem] {
    feeds.filter { $0.key.surface == surface }
      .sorted { ($0.key.container?.rawValue ?? "") < ($1.key.container?.rawValue ?? "") }
      .flatMap(\.value)
  }
}

/// Text that is equal only to the same bytes.
struct ByteText: ByteComparable {
  let rawValue: String
}
