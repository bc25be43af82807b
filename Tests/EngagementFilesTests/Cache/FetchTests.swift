import EngagementFiles
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct FetchTests {
  @Test("C8: a fetched file is kept under its digest, for its owner alone")
  func kept() async throws {
    let fixture = try FilesFixture()
    let body = contents(count: 200_000)
    try await withServer { connection in
      while true {
        try connection.readHead()
        try connection.sendFile(body, type: "Image/PNG; charset=x")
      }
    } _: { server in
      let cache = try fixture.cache()
      let url = server.url("/a.png")
      #expect(cache.path(of: url, for: "ann") == nil)
      let file = try await cache.fetch(url, for: "ann")
      #expect(file.digest == digest(of: body) && file.byteCount == body.count)
      #expect(file.contentType == "image/png")
      #expect(file.path == "\(fixture.folder)/objects/\(file.digest)")
      #expect(FileManager.default.contents(atPath: file.path) == Data(body))
      #expect(cache.path(of: url, for: "ann") == file.path)
      #expect(cache.path(of: url, for: "bob") == nil)
      #expect(try await cache.fetch(url, for: "ann") == file)
      #expect(server.heads.count == 1)
    }
  }

  @Test("C8: a request for a file says what is accepted, and nothing of a person")
  func request() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      _ = try await fixture.cache().fetch(server.url("/a?q=1#part"), for: "ann")
      let lines = server.heads.first?.split(separator: "\r\n").map(String.init) ?? []
      #expect(
        lines == [
          "GET /a?q=1 HTTP/1.1", "Host: 127.0.0.1:\(server.port)",
          "Accept: image/gif, image/jpeg, image/png, image/webp", "Accept-Encoding: identity",
        ])
    }
  }

  @Test("C8: files and folders are for their owner alone, and nothing of a URL can be read")
  func privacy() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.readHead()
      try $0.sendFile(contents(mark: ""))
    } _: { server in
      _ = try await fixture.cache().fetch(server.url("/secret/path?key=word"), for: "ann")
      let paths =
        [""]
        + (FileManager.default.enumerator(atPath: fixture.folder)?.allObjects ?? [])
        .compactMap { $0 as? String }
      #expect(fixture.files.count == 2)
      for path in paths {
        let full = "\(fixture.folder)/\(path)"
        let mode = try FileManager.default.attributesOfItem(atPath: full)[.posixPermissions] as? Int
        #expect(mode == (fixture.files.contains(path) ? 0o600 : 0o700), "\(path)")
        let text = FileManager.default.contents(atPath: full).map {
          String(decoding: $0, as: UTF8.self)
        }
        for word in ["secret", "path", "key", "word", "127.0.0.1", "ann"] {
          #expect(!path.contains(word) && text?.contains(word) != true)
        }
      }
    }
  }

  @Test(
    "C8: each type is known by its first bytes",
    arguments: ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"],
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml", "text/html"])
  func types(named: String, real: String) async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.readHead()
      try $0.sendFile(contents(real), type: named)
    } _: { server in
      let cache = try fixture.cache { $0.contentTypes.insert("image/svg+xml") }
      let code = await code { () throws(EngagementError) in
        try await cache.fetch(server.url(), for: "ann")
      }
      #expect(code == (named == real ? nil : .malformedResponse))
      #expect(fixture.files.count == (named == real ? 2 : 0))
    }
  }

  @Test("C8: short and empty files are compared with their type too", arguments: [0, 2, 5])
  func short(count: Int) async throws {
    let fixture = try FilesFixture()
    try await withServer { connection in
      while true {
        let isText = try connection.readHead().contains("GET /text")
        let bytes = Array(contents().prefix(count))
        try connection.sendFile(bytes, type: isText ? "text/plain" : "image/png")
      }
    } _: { server in
      let cache = try fixture.cache { $0.contentTypes.insert("text/plain") }
      let code = await code { () throws(EngagementError) in
        try await cache.fetch(server.url("/image"), for: "ann")
      }
      #expect(code == .malformedResponse)
      #expect(fixture.files.isEmpty)
      #expect(try await cache.fetch(server.url("/text"), for: "ann").byteCount == count)
    }
  }

  @Test(
    "C8: a URL that may not be fetched is refused without a request",
    arguments: [
      ("", EngagementError.Code.invalidArgument), ("a.png", .invalidArgument),
      ("file:///etc/passwd", .invalidArgument), ("wss://files.example/a", .invalidArgument),
      ("http://files.example/a", .permissionDenied), ("http://localhost/a", .permissionDenied),
      ("https://other.example/a", .permissionDenied),
      ("https://files.example.evil/", .permissionDenied),
      ("https://u@files.example/a", .invalidArgument), ("http://127.0.0.1/a", .permissionDenied),
    ])
  func refused(url: String, expected: EngagementError.Code) async throws {
    let fixture = try FilesFixture()
    let transport = CountingTransport()
    let cache = try fixture.cache(hosts: ["files.example"], through: transport)
    let code = await code { () throws(EngagementError) in try await cache.fetch(url, for: "ann") }
    #expect(code == expected)
    #expect(cache.path(of: url, for: "ann") == nil)
    #expect(transport.count == 0 && fixture.files.isEmpty)
  }

  @Test("C8: no host is allowed unless the application allows it")
  func noHosts() async throws {
    let fixture = try FilesFixture()
    let cache = try fixture.cache(hosts: [])
    let code = await code { () throws(EngagementError) in
      try await cache.fetch("https://files.example/a", for: "ann")
    }
    #expect(code == .permissionDenied)
  }

  @Test("C8: a path in a URL names no file of this machine")
  func pathLikeNames() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      for path in ["/../../x", "/%2e%2e%2f%2e%2e%2fx", "/..%00/x", "/objects/../../x", "/~/x.png"] {
        let file = try await cache.fetch(server.url(path), for: "../../\(path)")
        #expect(file.path == "\(fixture.folder)/objects/\(file.digest)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root) == ["cache.files"])
      #expect(fixture.names(in: "") == ["incoming", "objects", "references"])
    }
  }

  @Test(
    "C8: a limit that can't hold is a configuration error",
    arguments: ["fileBytes", "totalBytes", "contentTypes", "transferTime", "transfers"])
  func limits(name: String) throws {
    let fixture = try FilesFixture()
    let error = #expect(throws: EngagementError.self) {
      try fixture.cache { limits in
        if name == "fileBytes" { limits.fileBytes = 0 }
        if name == "totalBytes" { limits.totalBytes = limits.fileBytes - 1 }
        if name == "contentTypes" { limits.contentTypes = ["image/tiff"] }
        if name == "transferTime" { limits.transferTime = .zero }
        if name == "transfers" { limits.transfers = 0 }
      }
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains(name) == true)
  }
}

/// A transport that counts and always fails.
private final class CountingTransport: HTTPTransport {
  private let requests = Locked(0)
  var count: Int { requests.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    requests.withLock { $0 += 1 }
    throw EngagementError(.unavailable, "There is no network.")
  }
}
