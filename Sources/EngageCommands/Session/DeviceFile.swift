import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The id of this installation, made once and kept beside the cache with a checksum.
///
/// A file that holds no id is set aside, and another id is made, so that no user is kept out.
struct DeviceFile {
  let path: String

  init(besideCacheAt cache: String) { path = "\(cache).device" }

  /// The id, which is made where there is none yet.
  ///
  /// - Parameter note: Told what was set aside.
  func id(
    random: () -> UInt64, note: (String) -> Void = { _ in }
  ) throws(EngagementError) -> String {
    for _ in 1...2 {
      switch read() {
      case .id(let id): return id
      case .none: try make(UUID(bits: (high: random(), low: random())).text)
      case .damaged:
        let place = "\(path).damaged-\(String(random() >> 32, radix: 16))"
        guard rename(path, place) == 0 else { throw unreadable }
        note(
          "\(path) held no id of this installation; it is set aside as \(place), and vendors get a new one."
        )
        try make(UUID(bits: (high: random(), low: random())).text)
      }
    }
    guard case .id(let id) = read() else { throw unreadable }
    return id
  }

  /// Removes the id: the next use makes another. Who used the installation is not known any more, and
  /// vendors must not take what comes for theirs.
  func remove() { unlink(path) }

  private enum Content {
    case id(String)
    case none
    case damaged
  }

  private func read() -> Content {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .none }
    guard let file = try? InputFile(path), file.isRegular,
      let bytes = try? file.bytes(atMost: 1_000)
    else { return .damaged }
    let words = bytes.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    guard let id = words.first, UUID(text: id) != nil, words.count <= 2 else { return .damaged }
    // An earlier version wrote no checksum.
    guard words.count == 2 else { return .id(id) }
    return words[1] == Self.checksum(of: id) ? .id(id) : .damaged
  }

  private static func checksum(of id: String) -> String {
    String(SHA256.digest(of: id).description.prefix(8))
  }

  /// Writes the id under another name first, so that another process sees all of it or
  /// none, and links it only where there is none.
  private func make(_ id: String) throws(EngagementError) {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    do {
      try FileManager.default.createDirectory(
        atPath: folder.isEmpty ? "/" : folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw EngagementError(.storage, "The folder \(folder) cannot be made.")
    }
    let draft = "\(path).\(id)"
    try OutputFile.create(draft, Array("\(id)\n\(Self.checksum(of: id))\n".utf8))
    defer { unlink(draft) }
    guard link(draft, path) == 0 || errno == EEXIST else { throw unreadable }
  }

  private var unreadable: EngagementError {
    EngagementError(
      .unreadable, "\(path) can be neither read nor replaced; remove it for a new id.")
  }
}

/// Files that a command writes for its user.
enum OutputFile {
  /// Makes a file that only its owner can read, whole or not at all; throws `conflict` where there
  /// is one already.
  static func create(_ path: String, _ bytes: [UInt8]) throws(EngagementError) {
    try write(path, bytes) { link($0, path) }
  }

  /// Makes the file, or takes the place of the one that is there, whole or not at all.
  static func replace(_ path: String, _ bytes: [UInt8]) throws(EngagementError) {
    try write(path, bytes) { rename($0, path) }
  }

  /// Writes a draft beside the place and puts it there.
  private static func write(
    _ path: String, _ bytes: [UInt8], _ put: (String) -> Int32
  ) throws(EngagementError) {
    let draft = "\(path).draft-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_CLOEXEC | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer {
      close(descriptor)
      unlink(draft)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(path, errno) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0, put(draft) == 0 else { throw failure(path, errno) }
  }

  private static func failure(_ path: String, _ code: Int32) -> EngagementError {
    if code == EEXIST { return EngagementError(.conflict, "\(path) is there already.") }
    let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return EngagementError(.storage, "\(path) cannot be written.", underlying: reason)
  }
}

// A name of its own: inside `OutputFile`, `write` is the function above.
private func writeBytes(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, start, count)
}

/// The file of the cache, looked at from outside.
struct CacheFile {
  let path: String

  init(_ path: String) { self.path = path }

  /// Throws for a place that can hold no cache, before anything is written beside it. What took the
  /// place of an earlier cache is set aside by the library.
  func check() throws(EngagementError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, !hasDevice else { return }
    throw EngagementError(
      .unreadable, "\(path) is no file; name another place for the cache in engage.json.")
  }

  /// Whether a cache was ever made there, even if it is gone.
  var wasMade: Bool { access(path, F_OK) == 0 || hasDevice }

  private var hasDevice: Bool { access(DeviceFile(besideCacheAt: path).path, F_OK) == 0 }
}
