import CSQLite
import EngagementModel
import Glibc

/// Makes SQLite's system calls fail for the files under one folder.
package enum FaultyDisk {
  package enum Fault: Hashable, Sendable {
    case open, read, write
    /// The call writes the bytes and then fails, as a failed sync does.
    case lateWrite
    /// The same, for one page only.
    case lateWriteOnce
  }

  package static func failing<Value>(
    _ fault: Fault, under folder: String, _ body: () throws -> Value
  ) throws -> Value {
    _ = installation
    faults.withLock { $0[folder] = fault }
    defer { faults.withLock { $0[folder] = nil } }
    return try body()
  }

  /// The same, for an asynchronous body.
  package static func failing<Value>(
    _ fault: Fault, under folder: String, _ body: () async throws -> Value
  ) async throws -> Value {
    _ = installation
    faults.withLock { $0[folder] = fault }
    defer { faults.withLock { $0[folder] = nil } }
    return try await body()
  }

  private static let installation: Bool = {
    guard let system = sqlite3_vfs_find(nil), let set = system.pointee.xSetSystemCall else {
      return false
    }
    func replace(_ name: String, _ function: sqlite3_syscall_ptr?) {
      precondition(set(system, name, function) == SQLITE_OK)
    }
    replace("open", unsafeBitCast(openCall, to: sqlite3_syscall_ptr.self))
    replace("pread64", unsafeBitCast(readCall, to: sqlite3_syscall_ptr.self))
    replace("pread", unsafeBitCast(readCall, to: sqlite3_syscall_ptr.self))
    replace("pwrite64", unsafeBitCast(writeCall, to: sqlite3_syscall_ptr.self))
    replace("pwrite", unsafeBitCast(writeCall, to: sqlite3_syscall_ptr.self))
    return true
  }()
}

private let faults = Locked<[String: FaultyDisk.Fault]>([:])

private func fault(at path: String) -> FaultyDisk.Fault? {
  faults.withLock { all in all.first { path.hasPrefix($0.key) }?.value }
}

private func fault(of descriptor: Int32) -> FaultyDisk.Fault? {
  guard faults.withLock({ !$0.isEmpty }) else { return nil }
  let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
    let count = readlink("/proc/self/fd/\(descriptor)", buffer.baseAddress!, buffer.count)
    return String(
      decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
  return fault(at: path)
}

private let openCall: @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> Int32 = {
  path, flags, mode in
  guard fault(at: String(cString: path)) == .open else {
    return open(path, flags, mode_t(mode))
  }
  errno = EACCES
  return -1
}

private let readCall: @convention(c) (Int32, UnsafeMutableRawPointer?, Int, off_t) -> Int = {
  guard fault(of: $0) == .read else { return pread($0, $1, $2, $3) }
  errno = EIO
  return -1
}

private let writeCall: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
  let fault = fault(of: $0)
  let isLate = (fault == .lateWrite || fault == .lateWriteOnce) && $2 == 4096
  let count = fault == .write ? -1 : pwrite($0, $1, $2, $3)
  guard fault == .write || isLate else { return count }
  if fault == .lateWriteOnce { faults.withLock { $0 = $0.filter { $0.value != .lateWriteOnce } } }
  errno = EIO
  return -1
}
