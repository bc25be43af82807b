import EngagementModel
import EngagementPlatform

/// What was done to the copies of contents of one user, in memory.
///
/// What was done to one copy counts for all copies of its content. Each copy has marks of its own, so
/// that a rejected action takes back those and no others.
struct ContentMarks: Sendable {
  /// An item that something was done to. It may be gone while another copy is listed.
  struct Copy: Hashable, Sendable {
    let source: Int64
    let surface: Surface
    let name: ItemKey
  }

  private var copies: [ContentKey: [Copy: Overlay]] = [:]
  private var keys: [Copy: Set<ContentKey>] = [:]
  /// The contents with marks that no vendor may list any more; nil until they are read.
  var suspects: Set<ContentKey>?
  /// Those that no vendor lists.
  private(set) var unlisted: [ContentKey: UnlistedContent] = [:]

  /// The contents that the copy has marks of.
  func keys(of copy: Copy) -> Set<ContentKey> { keys[copy] ?? [] }

  func overlay(of copy: Copy, for key: ContentKey) -> Overlay? { copies[key]?[copy] }

  /// Sets the marks of a copy. Without any the copy is forgotten.
  mutating func set(_ overlay: Overlay, of copy: Copy, for key: ContentKey) {
    if overlay.isEmpty {
      copies[key]?[copy] = nil
      keys[copy]?.remove(key)
      if copies[key]?.isEmpty == true { copies[key] = nil }
      if keys[copy]?.isEmpty == true { keys[copy] = nil }
    } else {
      copies[key, default: [:]][copy] = overlay
      keys[copy, default: []].insert(key)
    }
  }

  /// Notes that no vendor lists the content, or with nil that one does.
  mutating func set(_ content: UnlistedContent?, of key: ContentKey) { unlisted[key] = content }

  /// Forgets all marks of a content.
  mutating func end(_ key: ContentKey) {
    unlisted[key] = nil
    for copy in Array((copies[key] ?? [:]).keys) { set(Overlay(), of: copy, for: key) }
  }

  /// Notes that no vendor may list the content any more.
  mutating func suspect(_ key: ContentKey) {
    if copies[key] != nil, unlisted[key] == nil { suspects?.insert(key) }
  }

  /// What counts for all copies of a content on the surface; nil if nothing does.
  func shared(_ key: ContentKey, on surface: Surface) -> Overlay? {
    guard let copies = copies[key] else { return nil }
    var shared: Overlay?
    for (copy, overlay) in copies {
      let seen = overlay.seen(on: surface, from: copy.surface)
      shared = shared?.joined(with: seen) ?? seen
    }
    return shared
  }

  /// The contents of which no copy is seen on the surface.
  func hidden(on surface: Surface, at now: Date) -> Set<ContentKey> {
    Set(copies.keys.filter { shared($0, on: surface)?.hides(at: now) == true })
  }

  /// What counts for all copies of a content.
  func shared(_ key: ContentKey) -> SharedMarks {
    SharedMarks(cards: shared(key, on: .cards), messages: shared(key, on: .inbox))
  }
}

/// What counts for all copies of one content, by surface.
struct SharedMarks: Hashable, Sendable {
  var cards: Overlay?
  var messages: Overlay?

  subscript(surface: Surface) -> Overlay? { surface == .inbox ? messages : cards }
}

/// That something else counts for the copies of a content than before.
struct ContentChange {
  let key: ContentKey
  let old: SharedMarks
  let new: SharedMarks
  /// The copies that are listed.
  var copies: [ContentCopyTable.Copy] = []
}

extension Overlay {
  /// What the vendor itself says of an item.
  init(vendorOf content: ItemContent) {
    var marks: Set<Mark> = []
    switch content {
    case .card(let card):
      if card.isViewed { marks.insert(.viewed) }
      if card.isClicked { marks.insert(.clicked) }
      if card.isDismissed { marks.insert(.dismissed) }
    case .message(let message): if message.isRead { marks.insert(.read) }
    case .campaign: break
    }
    self.init(
      Set(marks.map { MarkCause(cause: .vendor, mark: $0) }), snoozedUntil: nil, endsAt: nil)
  }

  /// Both at once: an item is hidden if one of them hides it.
  func joined(with other: Overlay) -> Overlay {
    Overlay(
      causes.union(other.causes),
      snoozedUntil: [snoozedUntil, other.snoozedUntil].compactMap(\.self).max(),
      endsAt: [endsAt, other.endsAt].compactMap(\.self).min())
  }

  /// What was done to a copy on one surface, for the copies on another: a card that was viewed is as a
  /// message that was read.
  func seen(on surface: Surface, from own: Surface) -> Overlay {
    guard (surface == .inbox) != (own == .inbox) else { return self }
    let (from, to): (Mark, Mark) = surface == .inbox ? (.viewed, .read) : (.read, .viewed)
    let added = causes.filter { $0.mark == from }.map { MarkCause(cause: $0.cause, mark: to) }
    return Overlay(causes.union(added), snoozedUntil: snoozedUntil, endsAt: endsAt)
  }
}
