import EngagementFiles
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct SharingTests {
  @Test("C8: twenty concurrent fetches of one URL are one request", .timeLimit(.minutes(20)))
  func single() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      let files = try await withThrowingTaskGroup(of: KeptFile.self) { group in
        for _ in 0..<20 { group.addTask { try await cache.fetch(server.url("/a"), for: "ann") } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(files.count == 1)
      #expect(server.heads.count == 1)
      #expect(fixture.files.count == 2)
    }
  }

  @Test("C8: concurrent fetches for several owners are one request", .timeLimit(.minutes(20)))
  func owners() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let cache = try fixture.cache()
      try await withThrowingTaskGroup(of: KeptFile.self) { group in
        for number in 0..<10 {
          group.addTask { try await cache.fetch(server.url("/a"), for: "owner \(number)") }
        }
        try await group.waitForAll()
      }
      #expect(server.heads.count == 1)
      #expect(fixture.names(in: "objects").count == 1)
      #expect(fixture.names(in: "references").count == 10)
    }
  }

  @Test("C8: two URLs with the same contents share one object; a changed URL is another file")
  func contentsOnce() async throws {
    let fixture = try FilesFixture()
    try await withServer { connection in
      while true {
        let isNew = try connection.readHead().contains("v=3")
        try connection.sendFile(contents(mark: isNew ? "new" : "old"))
      }
    } _: { server in
      let cache = try fixture.cache()
      let first = try await cache.fetch(server.url("/a?v=1"), for: "ann")
      let second = try await cache.fetch(server.url("/a?v=2"), for: "ann")
      let third = try await cache.fetch(server.url("/a?v=3"), for: "ann")
      #expect(first == second && first != third)
      #expect(server.heads.count == 3)
      #expect(fixture.names(in: "objects") == [first.digest, third.digest].sorted())
    }
  }

  @Test("C8: no more transfers run at one time than the limit", .timeLimit(.minutes(20)))
  func slots() async throws {
    let fixture = try FilesFixture()
    let transport = CrowdTransport()
    let cache = try fixture.cache(through: transport)
    let files = try await withThrowingTaskGroup(of: KeptFile.self) { group in
      for number in 0..<50 {
        group.addTask { try await cache.fetch("http://127.0.0.1/\(number)", for: "ann") }
      }
      return try await group.reduce(into: 0) { count, _ in count += 1 }
    }
    #expect(files == 50)
    #expect(transport.most == 10)
  }

  @Test("C8: a cancelled fetch throws at once and leaves nothing", .timeLimit(.minutes(20)))
  func cancelled() async throws {
    let fixture = try FilesFixture()
    let (asked, left) = (TestEvent(), TestEvent())
    try await withServer { connection in
      try connection.readHead()
      defer { left.set() }
      try connection.write(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\n")
      try connection.write(contents(count: 1000))
      asked.set()
      _ = try connection.read()
    } _: { server in
      let cache = try fixture.cache()
      let task = Task {
        await code { () throws(EngagementError) in try await cache.fetch(server.url(), for: "ann") }
      }
      await asked.wait()
      task.cancel()
      #expect(await task.value == .cancelled)
      await left.wait()
      #expect(fixture.files.isEmpty)
    }
  }

  @Test("C8: a cancelled fetch does not fail the others of its URL", .timeLimit(.minutes(20)))
  func follower() async throws {
    let fixture = try FilesFixture()
    let asked = TestEvent()
    let turn = Locked(0)
    try await withServer { connection in
      try connection.readHead()
      let number = turn.withLock { turn in
        turn += 1
        return turn
      }
      if number > 1 { return try connection.sendFile(contents()) }
      asked.set()
      _ = try connection.read()
    } _: { server in
      let cache = try fixture.cache()
      let first = Task {
        await code { () throws(EngagementError) in try await cache.fetch(server.url(), for: "ann") }
      }
      await asked.wait()
      let second = Task { try await cache.fetch(server.url(), for: "ann") }
      await Task.yield()
      first.cancel()
      #expect(await first.value == .cancelled)
      #expect(try await second.value.byteCount == 1000)
    }
  }

  @Test("C8: two caches over one folder share files and do not damage each other's")
  func twoCaches() async throws {
    let fixture = try FilesFixture()
    try await withServer {
      try $0.serveFiles()
    } _: { server in
      let caches = [try fixture.cache(), try fixture.cache()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          let cache = caches[number % 2]
          group.addTask { _ = try await cache.fetch(server.url("/\(number / 4)"), for: "ann") }
          if number % 10 == 9 { group.addTask { try await cache.clean() } }
        }
        try await group.waitForAll()
      }
      for number in 0..<10 {
        let url = server.url("/\(number)")
        let paths = caches.map { $0.path(of: url, for: "ann") }
        let path = try #require(paths[0])
        #expect(paths[1] == path)
        #expect(FileManager.default.contents(atPath: path) == Data(contents(mark: "/\(number)")))
      }
      #expect(fixture.files.count == 20)
    }
  }
}

/// A transport that answers when ten requests are there, or no more are to come.
private final class CrowdTransport: HTTPTransport {
  private struct State {
    var present = 0
    var most = 0
    var total = 0
    var released = 0
  }

  private let state = Locked(State())
  private let signal = AsyncSignal()

  var most: Int { state.withLock { $0.most } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let own = state.withLock { state in
      state.present += 1
      state.total += 1
      state.most = max(state.most, state.present)
      if state.total.isMultiple(of: 10) { state.released = state.total }
      return state.total
    }
    signal.fire()
    while state.withLock({ $0.released < own }) {
      let count = signal.count
      if state.withLock({ $0.released >= own }) { break }
      await signal.wait(after: count)
    }
    state.withLock { $0.present -= 1 }
    let body = contents(mark: request.url)
    return HTTPResponse(200, headers: try HTTPHeaders(["Content-Type": "image/png"]), body: body)
  }
}
