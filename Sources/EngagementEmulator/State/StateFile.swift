import EngagementFormats
import EngagementJSON
import EngagementModel
import EngagementPlatform

/// A file of everything that has changed the vendors, from which the next start makes them again.
///
/// It begins with the seed, and each change is a line that is appended before the client gets its
/// answer. After a kill the last line may be cut; it is taken away. Only its owner can read it,
/// since requests carry keys and tokens.
final class StateFile: Sendable {
  /// A change that was read.
  struct Entry {
    var vendor: String
    var time: Date
    var change: VendorChange
  }

  private let path: String
  private let handle: Int32

  /// The seed and the time of the first start, and what has changed since.
  let seed: UInt64
  let start: Date
  let entries: [Entry]
  /// How far the vendors' clock is ahead of the machine's.
  let clockDifference: Double

  /// Opens the file, or makes it with this seed.
  ///
  /// Throws `unreadable` for a file that is something else or is damaged, `busy` if another emulator
  /// has it, and `storage` if it cannot be opened.
  init(_ path: String, seed: UInt64, at now: Date) throws(EngagementError) {
    self.path = path
    handle = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard handle >= 0 else { throw Self.failed(path, "opened") }
    do throws(EngagementError) {
      guard flock(handle, LOCK_EX | LOCK_NB) == 0 else {
        throw EngagementError(
          .busy, "Another emulator has the state \(path); stop it, or name another file.")
      }
      let contents = try Self.contents(of: path, handle)
      guard !contents.lines.isEmpty else {
        guard fchmod(handle, 0o600) == 0 else { throw Self.failed(path, "written") }
        try Self.begin(handle, path, seed, at: now)
        (self.seed, start, entries, clockDifference) = (seed, now, [], 0)
        return
      }
      let read = try Self.read(contents.lines, of: path)
      // A line that was cut by a kill is taken away.
      guard fchmod(handle, 0o600) == 0, ftruncate(handle, off_t(contents.length)) == 0,
        lseek(handle, off_t(contents.length), SEEK_SET) >= 0
      else { throw Self.failed(path, "written") }
      (self.seed, start, entries, clockDifference) = read
    } catch {
      // Nothing may throw after the last property is set: `deinit` would close the handle again.
      close(handle)
      throw error
    }
  }

  deinit { close(handle) }

  // MARK: Writing

  /// Appends a change. A disk that is full loses the change for the next start and nothing else.
  func append(_ change: VendorChange, of vendor: String, at time: Date) {
    var line = change.json
    line["vendor"] = .string(vendor)
    line["time"] = .number(time.timeIntervalSince1970)
    _ = Self.write(line, to: handle)
  }

  /// Notes how far the vendors' clock is ahead.
  func append(clockDifference: Double) {
    _ = Self.write(["clock": .number(clockDifference)], to: handle)
  }

  /// Begins anew with another seed.
  func reset(seed: UInt64, at now: Date) {
    // As with every change, a disk that fails loses it for the next start.
    try? Self.begin(handle, path, seed, at: now)
  }

  private static func begin(
    _ handle: Int32, _ path: String, _ seed: UInt64, at now: Date
  ) throws(EngagementError) {
    let head: JSONObject = [
      "emulator": 1, "seed": .integer(Int64(bitPattern: seed)),
      "time": .number(now.timeIntervalSince1970),
    ]
    guard ftruncate(handle, 0) == 0, lseek(handle, 0, SEEK_SET) == 0, write(head, to: handle)
    else { throw failed(path, "written") }
  }

  /// Writes a line in one call, so that a kill leaves it whole or cut at its end. What a full disk has
  /// cut is taken away, so that the next line is whole.
  private static func write(_ object: JSONObject, to handle: Int32) -> Bool {
    let start = lseek(handle, 0, SEEK_CUR)
    var bytes = JSON.object(object).encoded() + [UInt8(ascii: "\n")]
    let count = bytes.count
    let isWhole = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe EngagementPlatform.write(handle, buffer.baseAddress, count) == count
    }
    if !isWhole, ftruncate(handle, start) == 0 { lseek(handle, start, SEEK_SET) }
    return isWhole
  }

  // MARK: Reading

  /// The whole lines, and where they end.
  private static func contents(
    of path: String, _ handle: Int32
  ) throws(EngagementError) -> (lines: [ArraySlice<UInt8>], length: Int) {
    var status = stat()
    guard unsafe fstat(handle, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw EngagementError(.unreadable, "The state \(path) is no plain file; name another one.")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = bytes.count
    let got = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(handle, buffer.baseAddress, count, 0)
    }
    guard got == count else { throw failed(path, "read") }
    guard !bytes.isEmpty else { return ([], 0) }
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let lines = bytes[..<end].split(separator: UInt8(ascii: "\n"))
    guard !lines.isEmpty else { throw foreign(path) }
    return (lines, end)
  }

  private static func read(
    _ lines: [ArraySlice<UInt8>], of path: String
  ) throws(EngagementError) -> (UInt64, Date, [Entry], Double) {
    guard let head = try? JSON(parsing: Array(lines[0])), head["emulator"]?.integer == 1,
      let seed = head["seed"]?.integer, let start = head["time"]?.number
    else { throw foreign(path) }
    var entries: [Entry] = []
    var difference = 0.0
    for (index, line) in lines.enumerated().dropFirst() {
      let json = (try? JSON(parsing: Array(line))) ?? .null
      if let clock = json["clock"]?.number {
        difference = clock
        continue
      }
      guard let vendor = json["vendor"]?.string, let time = json["time"]?.number,
        let change = VendorChange(json)
      else {
        throw EngagementError(
          .unreadable,
          "Line \(index + 1) of the state \(path) is damaged; delete the file to begin anew.")
      }
      entries.append(
        Entry(vendor: vendor, time: Date(timeIntervalSince1970: time), change: change))
    }
    return (
      UInt64(bitPattern: seed), Date(timeIntervalSince1970: start), entries, difference
    )
  }

  private static func foreign(_ path: String) -> EngagementError {
    EngagementError(.unreadable, "\(path) is no state of an emulator; name another file.")
  }

  private static func failed(_ path: String, _ what: String) -> EngagementError {
    EngagementError(
      .storage, "The state \(path) cannot be \(what).", underlying: "errno \(errno)")
  }
}
