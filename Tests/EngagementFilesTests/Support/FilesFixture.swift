import EngagementCurl
import EngagementFiles
import EngagementFormats
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers

/// A folder for one test, a clock that only the test moves, and a transport.
final class FilesFixture: Sendable {
  let root: String
  let folder: String
  let transport: CurlTransport
  private let time = Locked(Date(timeIntervalSince1970: 1_790_000_000))

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())").path
    folder = "\(root)/cache.files"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    configuration.lowSpeed = 0
    configuration.totalTimeout = .seconds(3000)
    transport = CurlTransport(configuration)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  var now: Date {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }

  func cache(
    hosts: AllowedHosts = ["127.0.0.1"], at folder: String? = nil,
    through transport: (any HTTPTransport)? = nil,
    _ change: (inout FileCache.Limits) -> Void = { _ in }
  ) throws -> FileCache {
    var limits = FileCache.Limits()
    limits.diskReserve = 0
    change(&limits)
    return try FileCache(
      folder: folder ?? self.folder, limits: limits, hosts: hosts,
      transport: transport ?? self.transport, now: { [time] in time.withLock { $0 } })
  }

  /// The names in a folder of the cache, sorted; none if there is no such folder.
  func names(in place: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(place)")) ?? []).sorted()
  }

  /// The paths of all files below the cache's folder, sorted, without the count of erasures.
  var files: [String] {
    let walk = FileManager.default.enumerator(atPath: folder)
    return (walk?.compactMap { $0 as? String } ?? []).filter {
      if $0 == "erasures" { return false }
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: "\(folder)/\($0)", isDirectory: &isFolder)
      return isThere && !isFolder.boolValue
    }.sorted()
  }
}

/// Contents of a type, with a mark so that two differ.
func contents(_ type: String = "image/png", mark: String = "a", count: Int = 1000) -> [UInt8] {
  let heads: [String: [UInt8]] = [
    "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    "image/jpeg": [0xff, 0xd8, 0xff],
    "image/gif": Array("GIF89a".utf8), "image/webp": Array("RIFF0000WEBP".utf8),
    "image/svg+xml": Array("\u{feff} \n<svg/>".utf8),
  ]
  let head = heads[type, default: []] + Array(mark.utf8)
  return head + [UInt8](repeating: UInt8(ascii: "x"), count: max(0, count - head.count))
}

func digest(of bytes: [UInt8]) -> String { SHA256.digest(of: bytes).description }

extension ServerConnection {
  /// Sends a whole file.
  func sendFile(_ bytes: [UInt8], type: String = "image/png") throws {
    try write(
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(bytes.count)\r\n\r\n")
    try write(bytes)
  }

  /// Answers every request on the connection with a file whose contents depend on its target.
  func serveFiles(count: Int = 1000) throws {
    while true {
      let target = try readHead().split(separator: " ")[1]
      try sendFile(contents(mark: String(target), count: count))
    }
  }
}

/// The code of a fetch's error; nil if there is none.
func code(
  of fetch: () async throws(EngagementError) -> KeptFile
) async -> EngagementError.Code? {
  do throws(EngagementError) {
    _ = try await fetch()
    return nil
  } catch {
    return error.code
  }
}

/// A single event for which a task waits.
final class TestEvent: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func set() { continuation.yield() }
  func wait() async { for await _ in stream { return } }
}
