import EngagementFiles
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct CleaningTests {
  @Test("C8: erasing an owner removes the files that nobody else refers to")
  func erase() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let own = try await cache.fetch(server.url("/own"), for: "ann")
      let shared = try await cache.fetch(server.url("/shared"), for: "ann")
      _ = try await cache.fetch(server.url("/shared"), for: "bob")
      try await cache.erase(owner: "ann")
      #expect(cache.path(of: server.url("/own"), for: "ann") == nil)
      #expect(cache.path(of: server.url("/shared"), for: "ann") == nil)
      #expect(cache.path(of: server.url("/shared"), for: "bob") == shared.path)
      #expect(!FileManager.default.fileExists(atPath: own.path))
      #expect(fixture.names(in: "references").count == 1)
      try await cache.erase(owner: "bob")
      #expect(fixture.files.isEmpty)
      try await cache.erase(owner: "nobody")
    }
  }

  @Test(
    "C8 G14: a fetch that is under way when its owner is erased, here or by another process, keeps nothing",
    arguments: [false, true])
  func eraseMeanwhile(elsewhere: Bool) async throws {
    let fixture = try FilesFixture()
    let isKnown = Locked(true)
    let (asked, erased) = (TestEvent(), DispatchSemaphore(value: 0))
    try await withServer {
      try $0.readHead()
      asked.set()
      erased.wait()
      try $0.sendFile(contents())
    } _: { server in
      let cache = try fixture.cache()
      let task = Task {
        await code { () throws(EngagementError) in
          try await cache.fetch(server.url(), for: "ann") { isKnown.withLock(\.self) }
        }
      }
      await asked.wait()
      isKnown.withLock { $0 = false }
      // Another cache on the folder is what another process has.
      try await (elsewhere ? fixture.cache() : cache).erase(owner: "ann")
      erased.signal()
      #expect(await task.value == .cancelled)
      #expect(fixture.files.isEmpty)
    }
  }

  @Test("C8: a fetch for another owner goes on when one is erased")
  func otherErased() async throws {
    let fixture = try FilesFixture()
    let (asked, erased) = (TestEvent(), DispatchSemaphore(value: 0))
    let count = Locked(0)
    try await withServer {
      try $0.readHead()
      asked.set()
      if count.withLock({ (count) -> Int in
        count += 1
        return count
      }) == 1 {
        erased.wait()
      }
      try $0.sendFile(contents())
    } _: { server in
      let cache = try fixture.cache()
      let task = Task { try await cache.fetch(server.url(), for: "bob") }
      await asked.wait()
      try await fixture.cache().erase(owner: "ann")
      erased.signal()
      let file = try await task.value
      #expect(cache.path(of: server.url(), for: "bob") == file.path)
      #expect(count.withLock(\.self) == 2)
    }
  }

  @Test("C8 G14: an erasure removes the parts of downloads that were killed")
  func leftParts() async throws {
    let fixture = try FilesFixture()
    try FileManager.default.createDirectory(
      atPath: "\(fixture.folder)/incoming", withIntermediateDirectories: true)
    let part = "\(fixture.folder)/incoming/\(UUID().uuidString.lowercased()).part"
    try Data("personal".utf8).write(to: URL(filePath: part))
    try await fixture.cache().erase(owner: "ann")
    #expect(fixture.files.isEmpty)
  }

  @Test("C8 G14: an erasure that leaves anything behind throws, and can be repeated")
  func failedErasure() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      _ = try await cache.fetch(server.url("/own"), for: "ann")
      let owner = "\(fixture.folder)/references/\(fixture.names(in: "references")[0])"
      let reference = "\(owner)/\(try FileManager.default.contentsOfDirectory(atPath: owner)[0])"
      // A folder in place of a reference cannot be removed as a file, whoever the user is.
      try FileManager.default.removeItem(atPath: reference)
      try FileManager.default.createDirectory(
        atPath: reference, withIntermediateDirectories: false)
      let error = await #expect(throws: EngagementError.self) {
        try await cache.erase(owner: "ann")
      }
      #expect(error?.code == .storage)
      try FileManager.default.removeItem(atPath: reference)
      try await cache.erase(owner: "ann")
      #expect(fixture.files.isEmpty)
    }
  }

  @Test("C8: a download leaves the reserve of the disk free")
  func reserve() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache { $0.diskReserve = .max / 2 }
      let code = await code { () throws(EngagementError) in
        try await cache.fetch(server.url("/own"), for: "ann")
      }
      #expect(code == .storage && fixture.files.isEmpty)
    }
  }

  @Test("C8: a reference that is not used for two weeks ends; each use renews it")
  func expiry() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      for name in ["/idle", "/looked", "/fetched"] {
        _ = try await cache.fetch(server.url(name), for: "ann")
      }
      fixture.now += 13 * 86_400
      #expect(cache.path(of: server.url("/looked"), for: "ann") != nil)
      _ = try await cache.fetch(server.url("/fetched"), for: "ann")
      #expect(try await cache.clean().expired == 0)
      fixture.now += 86_400
      #expect(cache.path(of: server.url("/idle"), for: "ann") == nil)
      #expect(try await cache.clean().expired == 1)
      #expect(fixture.names(in: "objects").count == 2)
      #expect(cache.path(of: server.url("/looked"), for: "ann") != nil)
      #expect(cache.path(of: server.url("/fetched"), for: "ann") != nil)
      fixture.now += 14 * 86_400
      #expect(try await cache.clean().expired == 2)
      #expect(fixture.files.isEmpty && fixture.names(in: "references").isEmpty)
      #expect(server.heads.count == 3)
    }
  }

  @Test("C8: a clock that was set back does not keep a reference for longer")
  func clockSetBack() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      fixture.now += 365 * 86_400
      _ = try await cache.fetch(server.url("/a"), for: "ann")
      fixture.now -= 365 * 86_400
      #expect(try await cache.clean().expired == 0)
      fixture.now += 14 * 86_400
      #expect(try await cache.clean().expired == 1)
    }
  }

  @Test("C8: files are evicted beyond the total size, the least recently used first")
  func eviction() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles(count: 1000)
    } _: { server in
      let cache = try fixture.cache {
        $0.fileBytes = 1000
        $0.totalBytes = 3000
      }
      for name in ["/a", "/b", "/c", "/d", "/e"] {
        _ = try await cache.fetch(server.url(name), for: "ann")
        fixture.now += 60
      }
      // Another owner's use counts too.
      _ = try await cache.fetch(server.url("/a"), for: "bob")
      fixture.now += 60
      #expect(cache.path(of: server.url("/b"), for: "ann") != nil)
      #expect(try await cache.clean().evicted == 2)
      let left = ["/a", "/b", "/c", "/d", "/e"].filter {
        cache.path(of: server.url($0), for: "ann") != nil
      }
      #expect(left == ["/a", "/b", "/e"])
      #expect(fixture.names(in: "objects").count == 3)
      #expect(try await cache.clean() == FileCache.CleaningReport())
    }
  }

  @Test("C8: parts that a killed process left are removed after an hour, and not before")
  func leftovers() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let begin = Date()
      fixture.now = begin
      let file = try await cache.fetch(server.url("/a"), for: "ann")
      let part = "\(UUID().uuidString.lowercased()).part"
      for name in [part, "own.txt"] {
        _ = FileManager.default.createFile(
          atPath: "\(fixture.folder)/incoming/\(name)", contents: Data("half".utf8))
      }
      fixture.now = begin + 3500
      #expect(try await cache.clean().leftovers == 0)
      fixture.now = Date() + 3700
      #expect(try await cache.clean().leftovers == 1)
      #expect(fixture.names(in: "incoming") == ["own.txt"])
      #expect(cache.path(of: server.url("/a"), for: "ann") == file.path)
    }
  }

  @Test("C8: an object without a reference, which a kill can leave, is removed")
  func orphan() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let file = try await cache.fetch(server.url("/a"), for: "ann")
      let orphan = "\(fixture.folder)/objects/\(String(repeating: "0", count: 64))"
      _ = FileManager.default.createFile(atPath: orphan, contents: Data("x".utf8))
      #expect(try await cache.clean() == FileCache.CleaningReport())
      #expect(fixture.names(in: "objects") == [file.digest])
    }
  }

  @Test("C8: cleaning without a folder does nothing and makes none")
  func nothing() async throws {
    let fixture = try FilesFixture()
    #expect(try await fixture.cache().clean() == FileCache.CleaningReport())
    try await fixture.cache().erase(owner: "ann")
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root).isEmpty)
  }
}
