import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The folder of kept files:
///
///     objects/<digest of the contents>                     the files
///     references/<digest of the owner>/<digest of the URL> who uses which; its time is the last use
///     incoming/<random>.part                               what is being written
///     erasures                                             its size counts the erasures of owners
///
/// An object is durable before its reference has a name. Reading takes no lock; what changes names
/// locks the folder.
struct FileFolder: Sendable {
  /// How long an unused reference is kept.
  static let unusedTime: TimeInterval = 14 * 86_400
  static let (objects, references, incoming) = ("objects", "references", "incoming")

  let path: String
  let now: @Sendable () -> Date

  init(_ path: String, now: @escaping @Sendable () -> Date) throws(EngagementError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw EngagementError(
        .invalidConfiguration, "The path of the folder of files is empty or has a NUL.")
    }
    self.path = path
    self.now = now
  }

  /// The kept file of a place; nil if there is none, if it expired, or if its object is not sound.
  /// Renews its use.
  ///
  /// - Parameter reads: Whether to compare the contents with the digest, and not only the size.
  func file(at place: FilePlace, reads: Bool) throws(EngagementError) -> KeptFile? {
    guard let root = try OpenFolder(at: path),
      let owners = try root.folder(Self.references), let own = try owners.folder(place.owner),
      let reference = read(place.url, in: own, renewsUse: true),
      let objects = try root.folder(Self.objects), isSound(reference, in: objects, reads: reads)
    else { return nil }
    return kept(reference)
  }

  /// The file of a URL that another owner has, with a new reference for this one. Throws as `keep`.
  func fileOfOthers(
    at place: FilePlace, since erasures: Int
  ) throws(EngagementError) -> KeptFile? {
    guard let root = try OpenFolder(at: path), let owners = try root.folder(Self.references),
      let objects = try root.folder(Self.objects)
    else { return nil }
    for name in try owners.names(where: FilePlace.isDigest) where name != place.owner {
      guard let other = try? owners.folder(name), let reference = read(place.url, in: other),
        isSound(reference, in: objects, reads: true)
      else { continue }
      return try exclusively { (root) throws(EngagementError) in
        guard erasureCount(in: root) == erasures else { throw Self.erased }
        let objects = try root.madeFolder(Self.objects)
        // `clean` may have removed it before this had the lock.
        guard isSound(reference, in: objects, reads: false) else { return nil }
        try put(reference, at: place, in: root)
        return kept(reference)
      }
    }
    return nil
  }

  /// Begins a file of that size, if known. Makes the folder if there is none. Throws `storage` if less
  /// than the reserve would be free on the disk: what the cache writes matters more than a file.
  func makeIncoming(byteCount: Int?, reserve: Int) throws(EngagementError) -> IncomingFile {
    let root = try made()
    if let free = root.freeBytes, free - (byteCount ?? 0) < reserve { throw Self.full }
    return try IncomingFile(in: try root.madeFolder(Self.incoming))
  }

  /// Puts a durable file in its place, and a reference to it. Throws `conflict` if an owner was erased
  /// after that count: it may have been this one.
  func keep(
    _ file: IncomingFile, as reference: FileReference, at place: FilePlace, since erasures: Int
  ) throws(EngagementError) -> KeptFile {
    try exclusively { (root) throws(EngagementError) in
      guard erasureCount(in: root) == erasures else { throw Self.erased }
      let objects = try root.madeFolder(Self.objects)
      let isNew = objects.status(of: reference.digest) == nil
      try file.move(to: objects, as: reference.digest)
      do throws(EngagementError) {
        try put(reference, at: place, in: root)
      } catch {
        if isNew { objects.remove(reference.digest) }
        throw error
      }
      return kept(reference)
    }
  }

  /// Why nothing is kept that was begun before an erasure.
  static let erased = EngagementError(.conflict, "The files of an owner were erased meanwhile.")
  static let full = EngagementError(
    .storage, "The disk is nearly full, so no file is fetched: make room on it.")
  static let unwritten = EngagementError(
    .storage, "The folder of files can't be written: make room on the disk, or check its rights.")
  static let unreadable = EngagementError(
    .unreadable, "The folder of files can't be read: check its rights, and that it is no link.")
}

extension FileFolder {
  private func kept(_ reference: FileReference) -> KeptFile {
    KeptFile(
      path: "\(path)/\(Self.objects)/\(reference.digest)", digest: reference.digest,
      byteCount: reference.byteCount, contentType: reference.contentType)
  }

  /// A reference that has not expired.
  private func read(
    _ name: String, in owner: borrowing OpenFolder, renewsUse: Bool = false
  ) -> FileReference? {
    let now = now()
    guard let file = owner.file(name), let used = file.status()?.modified,
      now.timeIntervalSince(used) < Self.unusedTime,
      let reference = file.bytes(atMost: FileReference.sizeLimit).flatMap(FileReference.init)
    else { return nil }
    return !renewsUse || file.use(at: now) ? reference : nil
  }

  private func isSound(
    _ reference: FileReference, in objects: borrowing OpenFolder, reads: Bool
  ) -> Bool {
    guard let status = objects.status(of: reference.digest), status.isPlainFile,
      Int(status.st_size) == reference.byteCount
    else { return false }
    return !reads || objects.file(reference.digest)?.digest() == reference.digest
  }

  /// Writes a reference under another name first, so that a full disk leaves the old one.
  private func put(
    _ reference: FileReference, at place: FilePlace, in root: borrowing OpenFolder
  ) throws(EngagementError) {
    let owners = try root.madeFolder(Self.references)
    let file = try IncomingFile(in: try root.madeFolder(Self.incoming))
    do throws(EngagementError) {
      unsafe try file.write(reference.bytes.span.bytes)
      try file.setUse(to: now())
      try file.move(to: try owners.madeFolder(place.owner), as: place.url)
    } catch {
      file.remove()
      owners.removeFolder(place.owner)
      throw error
    }
  }
}
