import EngagementModel
import EngagementPlatform

/// The newest image of each page of a damaged cache, from its log or else from its file.
///
/// Nothing in them is trusted: SQLite may refuse the file, and a page may be cut or noise.
final class PageImages {
  /// The cache never had pages of another size.
  static let pageSize = 4_096
  static let signature = Array("SQLite format 3\0".utf8)
  private static let logHeader = 32
  private static let frameHeader = 24

  private let file: Int32
  private let log: Int32
  /// Where the log has the newest image of a page.
  private var frames: [Int: Int] = [:]
  /// The number of the last page.
  private(set) var count = 0
  /// Whether a part of the log was unreadable.
  private(set) var isLogDamaged = false

  /// Reads what there is of the file and of its log. A file that is missing has no pages.
  init(_ path: String) {
    file = Self.opened(path)
    log = Self.opened("\(path)-wal")
    isLogDamaged = log < 0 && Self.hasName("\(path)-wal")
    count = Self.size(of: file) / Self.pageSize
    readLog()
  }

  deinit {
    if file >= 0 { close(file) }
    if log >= 0 { close(log) }
  }

  /// Whether the file is the beginning of a database that was cut within its first page.
  var isCut: Bool {
    let size = Self.size(of: file)
    guard (1..<Self.pageSize).contains(size) else { return false }
    let start = Self.read(file, at: 0, min(size, Self.signature.count)) ?? []
    return Self.signature.starts(with: start)
  }

  /// The newest image; nil for a page that is nowhere.
  func page(_ number: Int) -> [UInt8]? {
    if let place = frames[number] { return Self.read(log, at: place, Self.pageSize) }
    return Self.read(file, at: (number - 1) * Self.pageSize, Self.pageSize)
  }

  private static func opened(_ path: String) -> Int32 {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    var status = stat()
    guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else {
      if descriptor >= 0 { close(descriptor) }
      return -1
    }
    return descriptor
  }

  private static func hasName(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  private static func size(of descriptor: Int32) -> Int {
    var status = stat()
    return unsafe descriptor >= 0 && fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func read(_ descriptor: Int32, at place: Int, _ count: Int) -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, count, off_t(place))
    }
    return read == count ? bytes : nil
  }
}

// MARK: The log

extension PageImages {
  /// Finds the frames of the log's present run, up to its last commit. Frames of an earlier run have
  /// other salts.
  private func readLog() {
    let frameSize = Self.frameHeader + Self.pageSize
    let total = (Self.size(of: log) - Self.logHeader) / frameSize
    guard Self.size(of: log) > 0, let salts = salts(), total > 0 else { return }
    var found: [(number: Int, place: Int)] = []
    var committed = 0
    var gap = false
    for index in 0..<total {
      let start = Self.logHeader + index * frameSize
      guard let header = Self.read(log, at: start, Self.frameHeader) else { break }
      let number = Self.integer(header, at: 0)
      guard Array(header[8..<16]) == salts, (1...(1 << 24)).contains(number) else {
        gap = true
        continue
      }
      if gap { isLogDamaged = true }
      found.append((number, start + Self.frameHeader))
      // Only the last frame of a commit has the size of the file.
      if Self.integer(header, at: 4) > 0 { committed = found.count }
    }
    for frame in found.prefix(committed) {
      frames[frame.number] = frame.place
      count = max(count, frame.number)
    }
  }

  /// The salts of the log's header; if that is damaged, those of the first frame, which is the first
  /// that a new run writes over.
  private func salts() -> [UInt8]? {
    let header = Self.read(log, at: 0, Self.logHeader) ?? []
    let first = Self.read(log, at: Self.logHeader, Self.frameHeader).map { Array($0[8..<16]) }
    guard header.count == Self.logHeader, Self.integer(header, at: 0) & ~1 == 0x377f_0682 else {
      isLogDamaged = true
      return first
    }
    let salts = Array(header[16..<24])
    if let second = Self.read(
      log, at: Self.logHeader + Self.frameHeader + Self.pageSize, Self.frameHeader),
      let first, first != salts, Array(second[8..<16]) == first
    {
      // Two frames agree, and the header does not.
      isLogDamaged = true
      return first
    }
    return salts
  }

  private static func integer(_ bytes: [UInt8], at place: Int) -> Int {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
