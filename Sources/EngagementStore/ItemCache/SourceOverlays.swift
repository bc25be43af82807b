import EngagementAdapterAPI
import EngagementModel

/// What users did to the items of one source, and to the other copies of their contents.
struct SourceOverlays: Sendable {
  private var own: [ItemKey: Overlay] = [:]
  /// What the user did to contents, at any provider. Nil without content keys.
  private let contents: Locked<ContentMarks>?
  private let surface: Surface

  init(on surface: Surface, _ contents: Locked<ContentMarks>?) {
    self.surface = surface
    self.contents = contents
  }

  var isEmpty: Bool { own.isEmpty }

  /// What the user did to the item itself.
  func own(of name: ItemKey) -> Overlay? { own[name] }

  /// The overlays of the items themselves.
  var all: [ItemKey: Overlay] { own }

  var inOrder: [(name: ItemKey, overlay: Overlay)] {
    own.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The overlay under which the user sees the item.
  func overlay(of id: ItemID, _ key: ContentKey?) -> Overlay? {
    overlay(of: ItemKey(id.value), key)
  }

  func overlay(of name: ItemKey, _ key: ContentKey?) -> Overlay? {
    guard let key, let contents else { return own.isEmpty ? nil : own[name] }
    return overlay(of: name, sharing: contents.withLock { $0.shared(key, on: surface) })
  }

  /// The overlay under which the user sees the item if that counts for all copies of its content.
  func overlay(of name: ItemKey, sharing shared: Overlay?) -> Overlay? {
    let own = own.isEmpty ? nil : own[name]
    guard let shared else { return own }
    return own?.joined(with: shared) ?? shared
  }

  /// Reads the overlays of the items themselves.
  mutating func read(
    of source: Int64, from table: inout OverlayTable, on database: inout Database
  ) throws(EngagementError) {
    for (name, overlay) in try table.all(of: source, on: &database) { own[name] = overlay }
  }

  /// Writes the overlay of an item itself, or deletes an empty one.
  mutating func set(
    _ overlay: Overlay, of name: ItemKey, in source: Int64, table: inout OverlayTable,
    on database: inout Database
  ) throws(EngagementError) {
    try table.set(overlay, of: name, in: source, on: &database)
    own[name] = overlay.isEmpty ? nil : overlay
  }
}
