import EngagementModel
import EngagementPlatform

/// Checks that the disk takes a write, and that only the user can read what the tool keeps.
struct FileChecks {
  let configuration: EngageConfiguration
  let random: () -> UInt64

  func findings() -> [CheckResult] { [disk, privacy].compactMap(\.self) }

  /// Writes as much as a few actions take, and removes it again.
  private var disk: CheckResult? {
    let place = "\(configuration.cache).probe-\(String(random() >> 32, radix: 16))"
    defer { unlink(place) }
    do throws(EngagementError) {
      try OutputFile.create(place, [UInt8](repeating: 0, count: 65_536))
      return nil
    } catch {
      return .bad(
        "disk", "nothing can be written beside \(configuration.cache): \(error.underlying ?? "")",
        next:
          "make room or make the folder writable; until then a damaged cache cannot be replaced.")
    }
  }

  private var privacy: CheckResult? {
    let cache = configuration.cache
    let beside = ["", "-wal", "-shm", ".secrets", ".device"].map { cache + $0 }
    let open = beside.filter { mode(of: $0) & 0o077 != 0 }
    let isWritable = mode(of: configuration.file) & 0o022 != 0
    let isReadable = mode(of: configuration.file) & 0o044 != 0
    let files = open + (isWritable || isReadable ? [configuration.file] : [])
    guard !files.isEmpty else { return nil }
    let list = files.joined(separator: " ")
    let detail = "others can \(isWritable ? "change" : "read") \(list)"
    let next = "run \"chmod 600 \(list)\"."
    return isWritable || !open.isEmpty
      ? .bad("privacy", detail, next: next) : .note("privacy", detail, next: next)
  }

  /// The permissions of a file; none for one that is not there.
  private func mode(of path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }
}
