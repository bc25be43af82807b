import EngagementModel
import EngagementPlatform

/// What was done to the contents of all users, as far as it is in memory.
struct ContentCache: Sendable {
  /// By what each provider's items are known as copies of contents. Without any there is nothing to
  /// read or to write.
  let keySources: [ProviderID: ContentKeySource]
  /// The sources of a user share them.
  private var marks: [Partition.ID: Locked<ContentMarks>] = [:]
  /// The users whose keys are known to be of the configured sources.
  private var upToDate: Set<Partition.ID> = []

  init(_ keySources: [ProviderID: ContentKeySource]) { self.keySources = keySources }

  mutating func forgetMemory() { self = ContentCache(keySources) }

  /// Drops one user from memory.
  mutating func release(_ partition: Partition.ID) {
    marks[partition] = nil
    upToDate.remove(partition)
  }

  func isUpToDate(_ partition: Partition.ID) -> Bool { upToDate.contains(partition) }

  mutating func noteUpToDate(_ partition: Partition.ID) {
    // Other copies may be listed than when they were read.
    marks[partition]?.withLock { $0.suspects = nil }
    upToDate.insert(partition)
  }

  /// What was done to the contents of a user; nil without content keys.
  mutating func marks(
    of partition: Partition.ID, on surface: Surface, from tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> Locked<ContentMarks>? {
    guard !keySources.isEmpty, surface != .campaigns else { return nil }
    return try marks(of: partition, from: &tables, on: &database)
  }

  private mutating func marks(
    of partition: Partition.ID, from tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) -> Locked<ContentMarks> {
    if let known = marks[partition] { return known }
    var found = try tables.marks.all(of: partition, on: &database)
    let unlisted = try tables.unlisted.all(
      of: partition, among: Set(keySources.keys), on: &database)
    for (key, content) in unlisted { found.set(content, of: key) }
    let read = Locked(found)
    marks[partition] = read
    return read
  }
}

// MARK: Changes

extension ContentCache {
  /// Lets the body change what was done to a copy of a content. Returns what counts for the other
  /// copies since then; nil if that is the same as before.
  mutating func edit(
    _ copy: ContentMarks.Copy, of key: ContentKey, in partition: Partition.ID,
    in tables: inout ItemTables, on database: inout Database, _ body: (inout Overlay) -> Void
  ) throws(EngagementError) -> ContentChange? {
    let marks = try marks(of: partition, from: &tables, on: &database)
    let before = marks.withLock { $0.overlay(of: copy, for: key) } ?? Overlay()
    var after = before
    body(&after)
    after = after.asStored
    guard after != before else { return nil }
    let (old, new) = marks.withLock { marks in
      let old = marks.shared(key)
      marks.set(after, of: copy, for: key)
      return (old, marks.shared(key))
    }
    try tables.marks.set(after, of: copy, for: key, in: partition, on: &database)
    guard new != old else { return nil }
    return ContentChange(
      key: key, old: old, new: new,
      copies: try tables.copies.copies(of: key, in: partition, on: &database))
  }

  /// The contents that the copy has marks of.
  mutating func keys(
    of copy: ContentMarks.Copy, in partition: Partition.ID, from tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> Set<ContentKey> {
    try marks(of: partition, from: &tables, on: &database).withLock { $0.keys(of: copy) }
  }

  /// Takes over what the lists of a source changed. Returns what counts for copies since then.
  mutating func apply(
    _ news: ContentNews, in partition: Partition.ID, in tables: inout ItemTables,
    on database: inout Database
  ) throws(EngagementError) -> [ContentChange] {
    let marks = try marks(of: partition, from: &tables, on: &database)
    var said = news.said
    for (copy, old, new) in news.renamed {
      let overlay = marks.withLock { $0.overlay(of: copy, for: old) }
      if let overlay { said.append((copy, new, overlay)) }
    }
    var changes: [ContentChange] = []
    for (copy, key, overlay) in said {
      let change = try edit(copy, of: key, in: partition, in: &tables, on: &database) {
        $0 = $0.joined(with: overlay)
      }
      if let change { changes.append(change) }
    }
    let known = marks.withLock(\.unlisted)
    for key in news.appeared where known[key] != nil {
      marks.withLock { $0.set(nil, of: key) }
      try tables.unlisted.set(nil, of: key, in: partition, on: &database)
    }
    marks.withLock { marks in for key in news.gone { marks.suspect(key) } }
    return changes
  }

  /// Ends the marks of contents that no vendor lists any more, once all others have answered.
  ///
  /// - Parameters:
  ///   - changed: The providers whose lists have changed, and that may have ended contents.
  ///   - answered: The providers that have just said what they list.
  mutating func endUnlisted(
    in partition: Partition.ID, changedBy changed: Set<ProviderID>,
    answeredBy answered: Set<ProviderID>,
    at now: Date, in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    guard !keySources.isEmpty else { return }
    // The table keeps milliseconds.
    let now = Milliseconds.date(Milliseconds.nearest(now))
    let marks = try marks(of: partition, from: &tables, on: &database)
    let suspects: Set<ContentKey>
    if let known = marks.withLock(\.suspects) {
      suspects = known
    } else {
      suspects = Set(try tables.marks.unlisted(in: partition, on: &database))
    }
    let known = marks.withLock(\.unlisted)
    marks.withLock { $0.suspects = [] }
    guard !suspects.isEmpty || !known.isEmpty else { return }
    let keyed = Set(keySources.keys)
    // An item that could not be read may be a copy of any content.
    let unread = Set(try tables.quarantine.providers(in: partition, on: &database))
    for key in suspects where known[key] == nil {
      guard try !tables.copies.lists(key, in: partition, on: &database) else { continue }
      let awaited = keyed.subtracting(changed).union(keyed.intersection(unread))
      let content = UnlistedContent(since: now, awaited: awaited)
      try set(
        awaited.isEmpty ? nil : content, of: key, in: partition, in: &tables, on: &database)
    }
    let readable = answered.subtracting(unread)
    guard !readable.isEmpty else { return }
    for (key, content) in known {
      let left = content.after(answersOf: readable, among: keyed, at: now)
      guard left != content else { continue }
      try set(left, of: key, in: partition, in: &tables, on: &database)
    }
  }

  /// Writes since when no vendor lists a content; with nil its marks end.
  private mutating func set(
    _ content: UnlistedContent?, of key: ContentKey, in partition: Partition.ID,
    in tables: inout ItemTables, on database: inout Database
  ) throws(EngagementError) {
    try tables.unlisted.set(content, of: key, in: partition, on: &database)
    let marks = try marks(of: partition, from: &tables, on: &database)
    guard content == nil else { return marks.withLock { $0.set(content, of: key) } }
    marks.withLock { $0.end(key) }
    try tables.marks.end(key, in: partition, on: &database)
  }
}
