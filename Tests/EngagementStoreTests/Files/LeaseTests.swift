import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

@Suite struct LeaseTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("G11: only one holder has the lease, and the next gets it after a release")
  func exclusive() throws {
    let first = try Lease(.sending, ofCacheAt: scratch.path())
    let second = try Lease(.sending, ofCacheAt: scratch.path())
    #expect(try first.tryAcquire())
    #expect(try first.tryAcquire())
    #expect(try !second.tryAcquire())
    first.release()
    #expect(try second.tryAcquire())
    #expect(try !first.tryAcquire())
    second.release()
    second.release()
    #expect(try first.tryAcquire())
  }

  @Test("a lease ends when its last reference is dropped")
  func dropped() throws {
    do {
      let first = try Lease(.sending, ofCacheAt: scratch.path())
      #expect(try first.tryAcquire())
    }
    #expect(try Lease(.sending, ofCacheAt: scratch.path()).tryAcquire())
  }

  @Test("G11: a lease ends when the process that holds it is killed", .timeLimit(.minutes(20)))
  func killed() throws {
    let lease = try Lease(.sending, ofCacheAt: scratch.path())
    let holder = try ChildProcess(
      "/usr/bin/flock",
      ["-x", "--no-fork", scratch.path() + ".courier", "sh", "-c", "echo held; exec cat"],
      input: .pipe, output: .pipe)
    #expect(try holder.line() == "held")
    #expect(try !lease.tryAcquire())
    holder.kill()
    #expect(try lease.tryAcquire())
  }

  @Test("a lease still excludes other holders after its file was removed")
  func removed() throws {
    let first = try Lease(.sending, ofCacheAt: scratch.path())
    try FileManager.default.removeItem(atPath: scratch.path() + ".courier")
    #expect(try first.tryAcquire())
    #expect(try !Lease(.sending, ofCacheAt: scratch.path()).tryAcquire())
  }

  @Test("a held write lock does not block the lease")
  func beside() throws {
    var lock = try SideLock(at: scratch.path() + ".lock")
    try lock.acquire(within: .zero)
    #expect(try Lease(.sending, ofCacheAt: scratch.path()).tryAcquire())
    #expect(try scratch.mode(of: scratch.path() + ".courier") == 0o600)
  }

  @Test("a symbolic link in place of the lease file is set aside and not followed")
  func link() throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path() + ".courier", withDestinationPath: scratch.path("victim"))
    let (first, second) = (
      try Lease(.sending, ofCacheAt: scratch.path()), try Lease(.sending, ofCacheAt: scratch.path())
    )
    #expect(try first.tryAcquire())
    #expect(try !second.tryAcquire())
    #expect(!FileManager.default.fileExists(atPath: scratch.path("victim")))
  }
}
