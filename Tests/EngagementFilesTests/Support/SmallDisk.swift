import Foundation
import Glibc
import TestServers

/// A file system with little room, in a folder. Only a privileged process may mount it.
struct SmallDisk {
  private let path: String

  static let isPermitted: Bool = {
    let place = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID())").path
    guard let disk = try? SmallDisk(at: place, kilobytes: 4) else { return false }
    disk.remove()
    return true
  }()

  init(at path: String, kilobytes: Int) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    self.path = path
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
      rmdir(path)
      throw TestFailure("no mount: errno \(errno)")
    }
  }

  func remove() {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }
}
