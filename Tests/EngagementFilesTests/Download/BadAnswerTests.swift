import EngagementFiles
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct BadAnswerTests {
  /// The code of a fetch from a server with that script. The test fails if anything is left.
  private func code(
    _ limits: (inout FileCache.Limits) -> Void = { _ in },
    script: @escaping TestServer.Script
  ) async throws -> EngagementError.Code? {
    let fixture = try FilesFixture()
    return try await withServer(nil, script) { server in
      let cache = try fixture.cache(limits)
      let code = await EngagementFilesTests.code { () throws(EngagementError) in
        try await cache.fetch(server.url("/a"), for: "ann")
      }
      #expect(fixture.files.isEmpty)
      #expect(cache.path(of: server.url("/a"), for: "ann") == nil)
      return code
    }
  }

  @Test(
    "C8: a status other than 200 brings no file",
    arguments: [
      (301, EngagementError.Code.unsupported), (302, .unsupported), (304, .unsupported),
      (307, .unsupported), (308, .unsupported), (400, .invalidArgument), (401, .unauthenticated),
      (403, .permissionDenied), (404, .notFound), (410, .notFound), (429, .rateLimited),
      (500, .unavailable), (503, .unavailable), (201, .malformedResponse),
      (204, .malformedResponse),
      (206, .malformedResponse), (999, .malformedResponse),
    ])
  func statuses(status: Int, expected: EngagementError.Code) async throws {
    let code = try await code { connection in
      while true {
        try connection.readHead()
        try connection.write(
          "HTTP/1.1 \(status) Some\r\nLocation: /b\r\nContent-Type: image/png\r\n"
            + (status == 204 || status == 304 ? "\r\n" : "Content-Length: 1000\r\n\r\n"))
        if status != 204 && status != 304 { try connection.write(contents()) }
      }
    }
    #expect(code == expected)
  }

  @Test("C8: a redirect is not followed, also to an allowed host")
  func redirect() async throws {
    let fixture = try FilesFixture()
    try await withServer { connection in
      while true {
        let isFirst = try connection.readHead().contains("GET /a ")
        if isFirst {
          try connection.answer("302 Found", headers: ["Location: /b"])
        } else {
          try connection.sendFile(contents())
        }
      }
    } _: { server in
      let cache = try fixture.cache()
      let code = await EngagementFilesTests.code { () throws(EngagementError) in
        try await cache.fetch(server.url("/a"), for: "ann")
      }
      #expect(code == .unsupported)
      #expect(server.heads.count == 1)
    }
  }

  @Test(
    "C8: a file above the limit is refused, with a declared length or without",
    arguments: ["Content-Length: 1001\r\n", "Connection: close\r\n"])
  func tooLarge(header: String) async throws {
    let code = try await code {
      $0.fileBytes = 1000
    } script: {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\(header)\r\n")
      try $0.write(contents(count: 1001))
    }
    #expect(code == .malformedResponse)
  }

  @Test("C8: a file at the limit is kept")
  func atTheLimit() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.readHead()
      try $0.sendFile(contents(count: 1000))
    } _: { server in
      let file = try await fixture.cache { $0.fileBytes = 1000 }.fetch(server.url(), for: "ann")
      #expect(file.byteCount == 1000)
    }
  }

  @Test(
    "C8: a type that is not allowed is refused",
    arguments: ["text/html", "image/svg+xml", "image/tiff", "image", "image/png/x", ""])
  func wrongType(type: String) async throws {
    let code = try await code {
      try $0.readHead()
      try $0.sendFile(contents(), type: type)
    }
    #expect(code == .unsupported)
  }

  @Test("C8: a file without a type is refused")
  func noType() async throws {
    let code = try await code {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
      try $0.write(contents())
    }
    #expect(code == .unsupported)
  }

  @Test(
    "C8: a file that is cut is refused",
    arguments: ["Content-Length: 2000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n7d0\r\n"])
  func cut(header: String) async throws {
    let code = try await code {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\(header)")
      try $0.write(contents(count: 1000))
    }
    #expect(code == .unavailable)
  }

  @Test("C8: a file that is shorter than its declared length is refused, whatever the transport")
  func cutByAnotherTransport() async throws {
    let fixture = try FilesFixture()
    let cache = try fixture.cache(through: ShortTransport())
    let code = await EngagementFilesTests.code { () throws(EngagementError) in
      try await cache.fetch("http://127.0.0.1/a", for: "ann")
    }
    #expect(code == .malformedResponse)
    #expect(fixture.files.isEmpty)
  }

  @Test(
    "C8: an encoded file is refused, since nobody can see whether it is whole",
    arguments: [
      ["Content-Encoding: gzip"], ["Content-Encoding: ", "Content-Encoding: gzip"],
      ["Content-Encoding: identity", "Content-Encoding: br"],
      ["Content-Encoding: identity, gzip"], ["Transfer-Encoding: gzip"],
      ["Transfer-Encoding: gzip, chunked"],
    ])
  func encoded(headers: [String]) async throws {
    let fixture = try FilesFixture()
    let cache = try fixture.cache(through: ShortTransport(headers: headers))
    let code = await EngagementFilesTests.code { () throws(EngagementError) in
      try await cache.fetch("http://127.0.0.1/a", for: "ann")
    }
    #expect(code == .unsupported && fixture.files.isEmpty)
  }

  @Test("C8: a file that is too slow ends at its time limit", .timeLimit(.minutes(20)))
  func slow() async throws {
    let code = try await code {
      $0.transferTime = .milliseconds(200)
    } script: {
      try $0.readHead()
      try $0.write("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\n")
      try $0.write(contents(count: 100))
      _ = try $0.read()
    }
    #expect(code == .deadlineExceeded)
  }

  @Test(
    "C8: a full disk is a storage error and leaves nothing", .enabled(if: SmallDisk.isPermitted))
  func fullDisk() async throws {
    let fixture = try FilesFixture()
    let disk = try SmallDisk(at: fixture.folder, kilobytes: 64)
    defer { disk.remove() }
    try await withServer {
      try $0.serveFiles(count: 100_000)
    } _: { server in
      let cache = try fixture.cache()
      let code = await EngagementFilesTests.code { () throws(EngagementError) in
        try await cache.fetch(server.url("/a"), for: "ann")
      }
      #expect(code == .storage)
      #expect(fixture.files.isEmpty)
    }
  }

  @Test(
    "C8: a file of unknown length leaves the reserve of the disk free",
    .enabled(if: SmallDisk.isPermitted))
  func reserve() async throws {
    let fixture = try FilesFixture()
    let disk = try SmallDisk(at: fixture.folder, kilobytes: 512)
    defer { disk.remove() }
    try await withServer {
      try $0.readHead()
      try $0.write(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n")
      try $0.write(contents(count: 300_000))
    } _: { server in
      let reserving = try fixture.cache { $0.diskReserve = 256 << 10 }
      let code = await EngagementFilesTests.code { () throws(EngagementError) in
        try await reserving.fetch(server.url("/a"), for: "ann")
      }
      #expect(code == .storage)
      #expect(fixture.files.isEmpty)
      _ = try await fixture.cache().fetch(server.url("/a"), for: "ann")
    }
  }

  @Test(
    "C8: a file in place of a folder is an error, and a fetch leaves nothing",
    arguments: ["incoming", "objects", "references"])
  func failedWrite(name: String) async throws {
    let fixture = try FilesFixture()
    try FileManager.default.createDirectory(
      atPath: fixture.folder, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
      atPath: "\(fixture.folder)/\(name)", contents: Data("own".utf8))
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let code = await EngagementFilesTests.code { () throws(EngagementError) in
        try await cache.fetch(server.url("/a"), for: "ann")
      }
      #expect(code == .unreadable)
      #expect(fixture.files == [name])
    }
  }
}

/// A transport whose bodies are shorter than they say.
private struct ShortTransport: HTTPTransport {
  var headers: [String] = []

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    var all = try HTTPHeaders(["Content-Type": "image/png", "Content-Length": "1001"])
    for header in headers {
      let parts = header.split(separator: ":", maxSplits: 1)
      try all.append(String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
    return HTTPResponse(200, headers: all, body: contents(count: 1000))
  }
}
