import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import Testing

@Suite struct ReceivingMemoryTests {
  /// The pages of this process in memory, in bytes.
  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  @Test("C8: receiving 256 MB takes less than 4 MB of memory")
  func memory() async throws {
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    try await withServer {
      while true {
        try $0.readHead()
        try $0.write("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n")
        for _ in 0..<256 { try $0.write(piece) }
      }
    } _: { server in
      let transport = transport { $0.totalTimeout = .seconds(3000) }
      let most = Locked(0)
      let receiver = RecordingReceiver(
        keepsBody: false,
        onTake: { (record) throws(EngagementError) in
          guard record.pieces.isMultiple(of: 64) else { return }
          most.withLock { $0 = max($0, Self.residentBytes()) }
        })
      let request = HTTPRequest(.get, server.url())
      // The first transfer fills what is kept for later ones.
      _ = try await transport.receive(request, limit: 256 << 20, into: receiver)
      // Other tests of the process use memory too, so the least growth of several transfers counts.
      var growth = Int.max
      for _ in 0..<8 where growth >= 4 << 20 {
        let before = Self.residentBytes()
        most.withLock { $0 = 0 }
        _ = try await transport.receive(request, limit: 256 << 20, into: receiver)
        growth = min(growth, most.withLock { $0 } - before)
      }
      #expect(receiver.seen.byteCount >= 512 << 20)
      #expect(growth < 4 << 20)
    }
  }
}
