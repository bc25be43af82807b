import EngagementFiles
import EngagementModel
import Foundation
import TestServers
import Testing

/// Links, foreign files and damage in the folder.
@Suite struct StrangerTests {
  /// Runs the body with a cache that has one file.
  private func withFile(
    _ body: (FilesFixture, FileCache, String, KeptFile) async throws -> Void
  ) async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let url = server.url("/a")
      try await body(fixture, cache, url, try await cache.fetch(url, for: "ann"))
    }
  }

  private func reference(in fixture: FilesFixture) throws -> String {
    let owner = try #require(fixture.names(in: "references").first)
    let url = try #require(fixture.names(in: "references/\(owner)").first)
    return "\(fixture.folder)/references/\(owner)/\(url)"
  }

  @Test(
    "C8: an object that is changed is fetched again",
    arguments: ["longer", "shorter", "other", "gone"])
  func damaged(how: String) async throws {
    try await withFile { fixture, cache, url, file in
      switch how {
      case "longer": try Data(contents(mark: "/a", count: 1001)).write(to: URL(filePath: file.path))
      case "shorter": try Data(contents(mark: "/a", count: 999)).write(to: URL(filePath: file.path))
      case "other": try Data(contents(mark: "/b", count: 1000)).write(to: URL(filePath: file.path))
      default: try FileManager.default.removeItem(atPath: file.path)
      }
      // A look at the size does not find other bytes.
      #expect((cache.path(of: url, for: "ann") == nil) == (how != "other"))
      #expect(try await cache.fetch(url, for: "ann") == file)
      #expect(FileManager.default.contents(atPath: file.path) == Data(contents(mark: "/a")))
    }
  }

  @Test(
    "C8: a reference that is no reference is fetched again",
    arguments: [
      "", "file 1\n", "file 2\n\(String(repeating: "0", count: 64))\n5\nimage/png\n",
      "file 1\n../../../etc/passwd\n5\nimage/png\n",
      "file 1\n\(String(repeating: "0", count: 64))\n-1\nimage/png\n",
      "file 1\n\(String(repeating: "0", count: 64))\n5\nimage/png",
      String(repeating: "x", count: 100_000),
    ])
  func badReference(text: String) async throws {
    try await withFile { fixture, cache, url, file in
      let path = try reference(in: fixture)
      try Data(text.utf8).write(to: URL(filePath: path))
      #expect(cache.path(of: url, for: "ann") == nil)
      #expect(try await cache.fetch(url, for: "ann") == file)
      try Data(text.utf8).write(to: URL(filePath: path))
      try await cache.clean()
      #expect(fixture.files.isEmpty)
    }
  }

  @Test("C8: a link in place of an object is not followed, and a fetch replaces it")
  func linkedObject() async throws {
    try await withFile { fixture, cache, url, file in
      let secret = "\(fixture.root)/secret"
      try Data(contents(mark: "/a")).write(to: URL(filePath: secret))
      try FileManager.default.removeItem(atPath: file.path)
      try FileManager.default.createSymbolicLink(
        atPath: file.path, withDestinationPath: secret)
      #expect(cache.path(of: url, for: "ann") == nil)
      #expect(try await cache.fetch(url, for: "ann") == file)
      let kind = try FileManager.default.attributesOfItem(atPath: file.path)[.type]
      #expect(kind as? FileAttributeType == .typeRegular)
      #expect(FileManager.default.fileExists(atPath: secret))
    }
  }

  @Test("C8: a link in place of a reference is not followed, and cleaning removes only the link")
  func linkedReference() async throws {
    try await withFile { fixture, cache, url, file in
      let path = try reference(in: fixture)
      let other = "\(fixture.root)/other"
      try FileManager.default.moveItem(atPath: path, toPath: other)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
      #expect(cache.path(of: url, for: "ann") == nil)
      try await cache.clean()
      #expect(fixture.files.isEmpty)
      #expect(FileManager.default.fileExists(atPath: other))
    }
  }

  @Test(
    "C8: a link in place of a folder is not followed",
    arguments: ["", "/objects", "/references", "/incoming"])
  func linkedFolder(name: String) async throws {
    try await withFile { fixture, cache, url, _ in
      let path = "\(fixture.folder)\(name)"
      let other = "\(fixture.root)/other"
      try FileManager.default.moveItem(atPath: path, toPath: other)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
      let before = FileManager.default.subpaths(atPath: other)
      let code = await code { () throws(EngagementError) in
        try await cache.fetch("\(url)?new", for: "ann")
      }
      #expect(code == .unreadable)
      let cleaning = await #expect(throws: EngagementError.self) { try await cache.clean() }
      #expect(cleaning?.code == .unreadable)
      if name != "/incoming" { #expect(cache.path(of: url, for: "ann") == nil) }
      #expect(FileManager.default.subpaths(atPath: other) == before)
    }
  }

  @Test("C8: foreign files stay, and are neither used nor counted")
  func foreignFiles() async throws {
    try await withFile { fixture, cache, url, file in
      let owner = try #require(fixture.names(in: "references").first)
      let foreign = [
        "notes.txt", "objects/picture.png", "references/list", "references/\(owner)/readme",
        "incoming/other",
      ]
      for name in foreign {
        _ = FileManager.default.createFile(
          atPath: "\(fixture.folder)/\(name)", contents: Data(count: 200 << 10))
      }
      let small = try fixture.cache {
        $0.fileBytes = 1000
        $0.totalBytes = 1000
      }
      #expect(try await small.clean() == FileCache.CleaningReport())
      #expect(cache.path(of: url, for: "ann") == file.path)
      try await cache.erase(owner: "ann")
      #expect(fixture.files == foreign.sorted())
    }
  }

  @Test("C8: a folder that is removed while the cache is used is made again")
  func removedFolder() async throws {
    try await withFile { fixture, cache, url, file in
      try FileManager.default.removeItem(atPath: fixture.folder)
      #expect(cache.path(of: url, for: "ann") == nil)
      #expect(try await cache.fetch(url, for: "ann") == file)
      #expect(cache.path(of: url, for: "ann") == file.path)
    }
  }

  @Test("C8: a path that no folder can have is a configuration error", arguments: ["", "a\0b"])
  func badPath(path: String) throws {
    let fixture = try FilesFixture()
    let error = #expect(throws: EngagementError.self) { try fixture.cache(at: path) }
    #expect(error?.code == .invalidConfiguration)
  }
}
