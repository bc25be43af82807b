import Glibc

/// What the kernel knows of files and of this process.
public enum Kernel {
  /// The whole of a file; nil where it cannot be read. A file of the kernel has no size to ask
  /// for, so its reader gives a limit.
  public static func bytes(of path: String, limit: Int? = nil) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = limit ?? ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: max(size, 0)) { buffer, used in
      used = fread(buffer.baseAddress, 1, buffer.count, file)
    }
  }

  /// The peak of this program image alone: `getrusage` would also count the parent's, before exec.
  public static func peakKilobytes() -> Int { kilobytes("VmHWM:") }

  /// What of this process is in memory now.
  public static func residentKilobytes() -> Int { kilobytes("VmRSS:") }

  private static func kilobytes(_ name: String) -> Int {
    let status = bytes(of: "/proc/self/status", limit: 8192) ?? []
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix(name) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// The milliseconds that this process has computed for, in all its threads.
  public static func cpuMilliseconds() -> Double {
    var use = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &use)
    return milliseconds(use.ru_utime) + milliseconds(use.ru_stime)
  }

  private static func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
  }
}
