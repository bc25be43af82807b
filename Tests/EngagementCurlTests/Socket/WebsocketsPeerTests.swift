import EngagementCurl
import EngagementHTTP
import EngagementModel
import Foundation
import TestServers
import TestSupport
import Testing

/// The same protocol as others read it: the server is Python's `websockets`.
@Suite("web sockets with a foreign server", .timeLimit(.minutes(10)))
struct WebsocketsPeerTests {
  /// The foreign server, which runs until the object is released.
  private final class Peer {
    private let process: ChildProcess
    let port: Int

    /// - Parameter file: A certificate with its key, for a proxy that ends TLS.
    init(_ file: String? = nil) throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
      // The server ends when its input does, whatever becomes of this process.
      process = try ChildProcess(
        "/usr/bin/python3",
        [folder.appending(path: "websockets_peer.py").path, file].compactMap(\.self),
        input: .pipe, output: .pipe)
      guard let port = try process.line().flatMap({ Int($0) }) else {
        throw TestFailure("The foreign server did not start.")
      }
      self.port = port
    }

    /// What the server prints next.
    func line() -> String { (try? process.line()) ?? "" }
  }

  /// Runs the body over a plain connection and through a proxy that ends TLS.
  private func withPeer(
    _ path: String, isEncrypted: Bool,
    _ body: (any SocketConnection) async throws -> String?
  ) async throws {
    guard isEncrypted else {
      let peer = try Peer()
      let socket = try await transport().connect(
        HTTPRequest(.get, "ws://127.0.0.1:\(peer.port)/\(path)"))
      if let end = try await body(socket) { #expect(peer.line().hasPrefix(end)) }
      return
    }
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let identity = try TLSIdentity("server", hosts: "DNS:localhost", issuer: authority)
    try await authority.withFile { trusted in
      try await identity.withFile(withKey: true) { file in
        let peer = try Peer(file)
        let socket = try await transport(trusting: trusted).connect(
          HTTPRequest(.get, "wss://localhost:\(peer.port)/\(path)"))
        if let end = try await body(socket) { #expect(peer.line().hasPrefix(end)) }
      }
    }
  }

  @Test("A3: messages up to a megabyte are echoed", arguments: [false, true])
  func echo(isEncrypted: Bool) async throws {
    try await withPeer("echo", isEncrypted: isEncrypted) { (socket) async throws -> String? in
      let sizes = [0, 1, 125, 126, 65_535, 65_536, 1 << 20]
      for size in sizes {
        try await socket.send(.text(String(repeating: "é", count: size / 2)))
        try await socket.send(.binary([UInt8](repeating: 9, count: size)))
      }
      for size in sizes {
        #expect(try await socket.message() == .text(String(repeating: "é", count: size / 2)))
        #expect(try await socket.message() == .binary([UInt8](repeating: 9, count: size)))
      }
      await socket.close(try SocketClose(SocketCloseCode(rawValue: 3_004), "background"))
      return "closed echo 3004 background"
    }
  }

  @Test("A3: fragments with control frames between them are one text", arguments: [false, true])
  func fragments(isEncrypted: Bool) async throws {
    try await withPeer("fragments", isEncrypted: isEncrypted) { (socket) async throws -> String? in
      #expect(try await socket.message() == .text("one twö three"))
      try await socket.send(.text("more"))
      #expect(try await socket.message() == .text("more"))
      await socket.close(.normal)
      return "closed fragments 1000 "
    }
  }

  @Test("A3: a message that comes byte by byte is whole", arguments: [false, true])
  func slowly(isEncrypted: Bool) async throws {
    try await withPeer("slowly", isEncrypted: isEncrypted) { (socket) async throws -> String? in
      #expect(try await socket.message() == .text("byte by byte: é"))
      await socket.close(.normal)
      return "closed slowly 1000 "
    }
  }

  @Test(
    "A3: what breaks the protocol closes the socket with the code for it",
    arguments: [("bad-text", 1007), ("reserved", 1002), ("masked", 1002), ("large/1100000", 1009)],
    [false, true])
  func broken(fault: (path: String, code: Int), isEncrypted: Bool) async throws {
    let (path, code) = fault
    try await withPeer(path, isEncrypted: isEncrypted) { (socket) async throws -> String? in
      #expect(try await socket.ended() == .abnormal)
      return "closed \(path.prefix { $0 != "/" }) \(code)"
    }
  }

  @Test("A3: a megabyte is taken whole", arguments: [false, true])
  func large(isEncrypted: Bool) async throws {
    try await withPeer("large/1000000", isEncrypted: isEncrypted) {
      (socket) async throws -> String? in
      #expect(try await socket.message().count == 1_000_000)
      await socket.close(.normal)
      return "closed large 1000 "
    }
  }

  @Test(
    "A3: the server's code and reason are received", arguments: [1000, 1001, 1011, 4001],
    [false, true])
  func closing(code: Int, isEncrypted: Bool) async throws {
    try await withPeer("close/\(code)", isEncrypted: isEncrypted) {
      (socket) async throws -> String? in
      let close = try await socket.ended()
      #expect(Int(close.code.rawValue) == code && close.reason == "done")
      return "closed close \(code)"
    }
  }

  @Test(
    "A3: the server receives our code and reason", arguments: [1000, 1001, 3000, 4999],
    [false, true])
  func ourClosing(code: UInt16, isEncrypted: Bool) async throws {
    try await withPeer("echo", isEncrypted: isEncrypted) { (socket) async throws -> String? in
      try await socket.send(.text("last"))
      #expect(try await socket.message() == .text("last"))
      await socket.close(try SocketClose(SocketCloseCode(rawValue: code), "réson"))
      return "closed echo \(code) réson"
    }
  }

  @Test("A3: a ping is answered", arguments: [false, true])
  func ping(isEncrypted: Bool) async throws {
    try await withPeer("pinging", isEncrypted: isEncrypted) { (socket) async throws -> String? in
      #expect(try await socket.message() == .text("answered"))
      await socket.close(.normal)
      return nil
    }
  }
}
