import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

@Suite struct SideLockTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("G11: a second holder waits up to its time limit and then throws `busy`")
  func exclusive() throws {
    var first = try SideLock(at: scratch.path("lock"))
    var second = try SideLock(at: scratch.path("lock"))
    try first.acquire(within: .zero)
    #expect(
      failure { () throws(EngagementError) in try second.acquire(within: .milliseconds(5)) }?.code
        == .busy)
    first.release()
    try second.acquire(within: .zero)
  }

  @Test("a lock is released when its holder goes out of scope")
  func released() throws {
    do {
      var first = try SideLock(at: scratch.path("lock"))
      try first.acquire(within: .zero)
    }
    var second = try SideLock(at: scratch.path("lock"))
    try second.acquire(within: .zero)
  }

  @Test("G11: another process holds the lock until it is killed")
  func otherProcess() throws {
    try scratch.write(Data(), to: "lock")
    let holder = try ChildProcess(
      "/usr/bin/flock",
      ["-x", "--no-fork", scratch.path("lock"), "sh", "-c", "echo held; exec cat"],
      input: .pipe, output: .pipe)
    #expect(try holder.line() == "held")
    var lock = try SideLock(at: scratch.path("lock"))
    #expect(
      failure { () throws(EngagementError) in try lock.acquire(within: .zero) }?.code == .busy)
    holder.kill()
    try lock.acquire(within: .zero)
  }

  @Test("a removed lock file is created again and still excludes a second holder")
  func removed() throws {
    var first = try SideLock(at: scratch.path("lock"))
    try FileManager.default.removeItem(atPath: scratch.path("lock"))
    try first.acquire(within: .seconds(1))
    var second = try SideLock(at: scratch.path("lock"))
    #expect(
      failure { () throws(EngagementError) in try second.acquire(within: .zero) }?.code == .busy)
  }

  @Test(
    "G9: a link, a folder or a pipe in place of the lock file is set aside, and not followed",
    arguments: ["link", "folder", "pipe"])
  func stranger(kind: String) throws {
    let path = scratch.path("lock")
    switch kind {
    case "link": #expect(symlink(scratch.path("victim"), path) == 0)
    case "folder": #expect(mkdir(path, 0o700) == 0)
    default: #expect(mkfifo(path, 0o600) == 0)
    }
    var first = try SideLock(at: path)
    try first.acquire(within: .zero)
    var second = try SideLock(at: path)
    #expect(try !second.tryAcquire())
    #expect(!FileManager.default.fileExists(atPath: scratch.path("victim")))
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
    #expect(names.count { $0.hasPrefix("lock.set-aside-") } == 1)
  }
}
