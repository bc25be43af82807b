import EngagementFormats
import EngagementModel
import EngagementPlatform

/// The id of this installation, made once and kept beside the cache.
struct DeviceFile {
  let path: String

  init(besideCacheAt cache: String) { path = "\(cache).device" }

  /// The id, which is made where there is none yet.
  func id(random: () -> UInt64) throws(EngagementError) -> String {
    if let id = try read() { return id }
    try make(UUID(bits: (high: random(), low: random())).text)
    guard let id = try read() else { throw unreadable }
    return id
  }

  private func read() throws(EngagementError) -> String? {
    guard access(path, F_OK) == 0 else { return nil }
    let bytes = try InputFile(path).bytes(atMost: 1_000)
    let text = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
    guard UUID(text: text) != nil else { throw unreadable }
    return text
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
    try OutputFile.create(draft, Array("\(id)\n".utf8))
    defer { unlink(draft) }
    guard link(draft, path) == 0 || errno == EEXIST else { throw unreadable }
  }

  private var unreadable: EngagementError {
    EngagementError(
      .unreadable, "\(path) does not hold the id of this installation; remove it for a new one.")
  }
}

/// Files that a command writes for its user.
enum OutputFile {
  /// Makes a file that only its owner can read; throws `conflict` where there is one already.
  static func create(_ path: String, _ bytes: [UInt8]) throws(EngagementError) {
    try write(path, bytes, O_EXCL)
  }

  /// Makes the file, or writes over the one that is there.
  static func replace(_ path: String, _ bytes: [UInt8]) throws(EngagementError) {
    try write(path, bytes, O_TRUNC)
  }

  private static func write(
    _ path: String, _ bytes: [UInt8], _ flag: Int32
  ) throws(EngagementError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(path, errno) }
      rest = rest.dropFirst(count)
    }
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

  /// Whether anything was ever kept there.
  var exists: Bool { access(path, F_OK) == 0 }
}
