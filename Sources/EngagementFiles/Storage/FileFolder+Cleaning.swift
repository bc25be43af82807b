import EngagementModel
import EngagementPlatform

extension FileFolder {
  /// How long a download may be under way before it counts as left by a process that was killed.
  private static let longestDownload: TimeInterval = 3600

  /// The references to one object.
  fileprivate struct Uses {
    var last: Date
    var byteCount: Int
    var places: [(owner: String, url: String)] = []
  }

  /// Removes the references of an owner, the objects that have no other, and every part of a download:
  /// nothing says whose it is. Throws `storage` if anything of it is still there.
  func erase(owner: String) throws(EngagementError) {
    guard try OpenFolder(at: path) != nil else { return }
    try exclusively { (root) throws(EngagementError) in
      if let incoming = try root.folder(Self.incoming) {
        for name in try incoming.names(where: IncomingFile.isName) { try incoming.erase(name) }
      }
      if let owners = try root.folder(Self.references) {
        if let own = try owners.folder(owner) {
          for name in try own.names(where: FilePlace.isDigest) { try own.erase(name) }
        }
        owners.removeFolder(owner)
        var report = FileCache.CleaningReport()
        try removeUnused(try uses(in: root, &report), in: root)
      }
      // Downloads that are under way are not kept without asking for whom.
      try countErasure(in: root)
    }
  }

  // MARK: Erasures

  private static let erasures = "erasures"

  /// How often an owner was erased from this folder, by any process. The count says nothing about whom.
  /// Makes the folder, without which an erasure could not be counted.
  func erasureCount() throws(EngagementError) -> Int { erasureCount(in: try made()) }

  /// It is the size of a file without contents, which needs no room on a full disk.
  func erasureCount(in root: borrowing OpenFolder) -> Int {
    root.status(of: Self.erasures).map { Int($0.st_size) } ?? 0
  }

  private func countErasure(in root: borrowing OpenFolder) throws(EngagementError) {
    if root.status(of: Self.erasures) == nil { _ = try root.newFile(Self.erasures) }
    try root.lengthen(Self.erasures)
  }

  func clean(toBytes most: Int) throws(EngagementError) -> FileCache.CleaningReport {
    var report = FileCache.CleaningReport()
    guard try OpenFolder(at: path) != nil else { return report }
    try exclusively { (root) throws(EngagementError) in
      report.leftovers = try removeLeftovers(in: root)
      var uses = try uses(in: root, &report)
      report.evicted = try evict(&uses, toBytes: most, in: root)
      try removeUnused(uses, in: root)
    }
    return report
  }

  private func removeLeftovers(in root: borrowing OpenFolder) throws(EngagementError) -> Int {
    guard let incoming = try root.folder(Self.incoming) else { return 0 }
    var count = 0
    for name in try incoming.names(where: IncomingFile.isName) {
      guard let status = incoming.status(of: name), status.isPlainFile,
        now().timeIntervalSince(status.modified) > Self.longestDownload
      else { continue }
      if incoming.remove(name) { count += 1 }
    }
    return count
  }

  /// The uses of every object that is there, by its digest. Removes references that have expired,
  /// that can't be read, or whose object is gone.
  private func uses(
    in root: borrowing OpenFolder, _ report: inout FileCache.CleaningReport
  ) throws(EngagementError) -> [String: Uses] {
    guard let owners = try root.folder(Self.references) else { return [:] }
    let objects = try root.madeFolder(Self.objects)
    var uses: [String: Uses] = [:]
    for owner in try owners.names(where: FilePlace.isDigest) {
      // Something else may have the name.
      guard let folder = try? owners.folder(owner) else { continue }
      for url in try folder.names(where: FilePlace.isDigest) {
        guard let (reference, last) = current(url, in: folder, &report),
          let object = objects.status(of: reference.digest), object.isPlainFile,
          Int(object.st_size) == reference.byteCount
        else {
          folder.remove(url)
          continue
        }
        uses[reference.digest, default: Uses(last: last, byteCount: reference.byteCount)]
          .add((owner, url), at: last)
      }
      owners.removeFolder(owner)
    }
    return uses
  }

  /// A reference and its last use; nil if it is to be removed.
  private func current(
    _ name: String, in owner: borrowing OpenFolder, _ report: inout FileCache.CleaningReport
  ) -> (FileReference, Date)? {
    let now = now()
    guard let file = owner.file(name), let used = file.status()?.modified else { return nil }
    guard now.timeIntervalSince(used) < Self.unusedTime else {
      report.expired += 1
      return nil
    }
    guard let reference = file.bytes(atMost: FileReference.sizeLimit).flatMap(FileReference.init)
    else { return nil }
    // The clock was set back: without this, the reference would not expire for a long time.
    if used > now { _ = file.use(at: now) }
    return (reference, min(used, now))
  }

  /// Removes objects until their size is allowed, and returns how many. References go first: without
  /// them, the next cleaning removes an object that a kill leaves.
  private func evict(
    _ uses: inout [String: Uses], toBytes most: Int, in root: borrowing OpenFolder
  ) throws(EngagementError) -> Int {
    guard let owners = try root.folder(Self.references) else { return 0 }
    let objects = try root.madeFolder(Self.objects)
    var total = uses.values.reduce(0) { $0 + $1.byteCount }
    var count = 0
    let oldestFirst = uses.sorted { ($0.value.last, $0.key) < ($1.value.last, $1.key) }
    for (digest, use) in oldestFirst where total > most {
      for place in use.places {
        try owners.folder(place.owner)?.remove(place.url)
        owners.removeFolder(place.owner)
      }
      objects.remove(digest)
      uses[digest] = nil
      total -= use.byteCount
      count += 1
    }
    return count
  }

  private func removeUnused(
    _ uses: [String: Uses], in root: borrowing OpenFolder
  ) throws(EngagementError) {
    guard let objects = try root.folder(Self.objects) else { return }
    for name in try objects.names(where: FilePlace.isDigest) where uses[name] == nil {
      try objects.erase(name)
    }
  }
}

extension FileFolder.Uses {
  fileprivate mutating func add(_ place: (owner: String, url: String), at time: Date) {
    last = max(last, time)
    places.append(place)
  }
}
