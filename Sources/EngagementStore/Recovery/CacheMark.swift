import EngagementModel
import EngagementPlatform

/// Says, in the lock beside a cache, that a cache was made in this place. With it, a cache that is
/// gone is told apart from one that was never there.
struct CacheMark {
  private static let text = Array("cache\n".utf8)
  private let path: String

  init(of cache: StoreFile) { path = cache.lockPath }

  var isSet: Bool {
    guard let file = try? OpenFile(path, O_RDONLY | Self.flags, called: "cache"),
      Self.isPlain(file)
    else { return false }
    return (try? file.read(atMost: Self.text.count + 1)) == Self.text
  }

  /// Sets the mark. Without it a cache that is lost later is not missed, which is no reason to fail.
  func set() {
    guard !isSet, let file = try? OpenFile(path, O_RDWR | Self.flags, called: "cache"),
      Self.isPlain(file)
    else { return }
    try? file.truncate(to: 0)
    try? file.write(Self.text)
  }

  private static let flags = O_NOFOLLOW | O_NONBLOCK

  private static func isPlain(_ file: borrowing OpenFile) -> Bool {
    guard let mode = try? file.status().st_mode else { return false }
    return mode & S_IFMT == S_IFREG
  }
}
