import EngagementModel
import EngagementPlatform

/// A folder that is open until this ends. All names are relative to it, so no link on the way can
/// lead elsewhere, and no name in it is followed if it is a link.
struct OpenFolder: ~Copyable {
  let descriptor: Int32

  /// Opens a folder at a path; nil if there is none.
  init?(at path: String) throws(EngagementError) {
    try self.init(taking: unsafe open(path, Self.flags))
  }

  /// Opens a folder in a folder; nil if there is none.
  func folder(_ name: String) throws(EngagementError) -> OpenFolder? {
    try OpenFolder(taking: unsafe openat(descriptor, name, Self.flags))
  }

  /// Opens a folder in a folder, and makes it for its owner alone if there is none.
  func madeFolder(_ name: String) throws(EngagementError) -> OpenFolder {
    if let folder = try folder(name) { return folder }
    // Another process may make it at the same time.
    guard unsafe mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
      throw FileFolder.unwritten
    }
    guard let folder = try folder(name) else { throw FileFolder.unwritten }
    return folder
  }

  private init?(taking descriptor: Int32) throws(EngagementError) {
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw FileFolder.unreadable }
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// Gives access to the owner only, also where the umask or an earlier owner chose otherwise.
  func protect() { fchmod(descriptor, 0o700) }

  /// What has the name, or nil. A link is itself.
  func status(of name: String) -> stat? {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status
  }

  /// The open folder's own status.
  func status() -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
  }

  /// How many bytes this process may still write to the folder's disk.
  var freeBytes: Int? {
    var status = statvfs()
    guard unsafe fstatvfs(descriptor, &status) == 0 else { return nil }
    let (bytes, isMore) = Int(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
    return isMore ? .max : bytes
  }

  /// Opens a plain file; nil for anything else.
  func file(_ name: String) -> OpenPlainFile? {
    // `O_NONBLOCK`: a pipe of that name would block `open`.
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return OpenPlainFile(taking: unsafe openat(descriptor, name, flags))
  }

  /// Makes a new file for its owner alone.
  func newFile(_ name: String) throws(EngagementError) -> OpenPlainFile {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = OpenPlainFile(taking: unsafe openat(descriptor, name, flags, 0o600)) else {
      throw FileFolder.unwritten
    }
    guard fchmod(file.descriptor, 0o600) == 0 else { throw FileFolder.unwritten }
    return file
  }

  /// Makes a file longer by one byte, and writes none.
  func lengthen(_ name: String) throws(EngagementError) {
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let file = OpenPlainFile(taking: unsafe openat(descriptor, name, flags)),
      let status = file.status(), ftruncate(file.descriptor, status.st_size + 1) == 0,
      fsync(file.descriptor) == 0
    else { throw FileFolder.unwritten }
  }

  /// Removes a file or a link. Throws `storage` if it is still there.
  func erase(_ name: String) throws(EngagementError) {
    guard remove(name) || errno == ENOENT else { throw FileFolder.unwritten }
  }

  /// Removes a file or a link. Returns whether it did.
  @discardableResult func remove(_ name: String) -> Bool {
    unsafe unlinkat(descriptor, name, 0) == 0
  }

  /// Removes a folder, if it is empty.
  func removeFolder(_ name: String) { _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }

  /// Moves a file into another folder, in place of what has that name there.
  func move(_ name: String, to folder: borrowing OpenFolder, as newName: String)
    throws(EngagementError)
  {
    guard unsafe renameat(descriptor, name, folder.descriptor, newName) == 0 else {
      throw FileFolder.unwritten
    }
  }

  /// The names that this library gives in the folder. All others are somebody else's.
  func names(where isOwn: (String) -> Bool) throws(EngagementError) -> [String] {
    // `fdopendir` takes the descriptor over.
    let copy = unsafe openat(descriptor, ".", Self.flags)
    guard copy >= 0, let list = unsafe fdopendir(copy) else { throw FileFolder.unreadable }
    defer { unsafe closedir(list) }
    var names: [String] = []
    while let entry = unsafe readdir(list) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if isOwn(name) { names.append(name) }
    }
    return names
  }
}
