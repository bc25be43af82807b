import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite("web sockets over TLS", .timeLimit(.minutes(20))) struct SocketTLSTests {
  private struct Identities {
    let authority: TLSIdentity
    let server: TLSIdentity

    init() throws {
      authority = try TLSIdentity("Authority", isAuthority: true)
      server = try TLSIdentity("server", hosts: "DNS:localhost", issuer: authority)
    }
  }

  @Test("A3: a socket over TLS speaks HTTP/1.1 and carries large messages both ways")
  func echo() async throws {
    let identities = try Identities()
    let agreed = Locked("")
    try await identities.authority.withFile { file in
      try await withServer(identities.server, protocols: ["h2", "http/1.1"]) { connection in
        agreed.withLock { $0 = connection.agreed }
        var peer = try SocketPeer(connection)
        try peer.echo()
      } _: { server in
        let transport = transport(trusting: file)
        let socket = try await transport.connect(
          HTTPRequest(.get, server.url(scheme: "wss", host: "localhost")))
        let sizes = [0, 1, 70_000, 1 << 20, 16_384, 16_385]
        for size in sizes {
          try await socket.send(.binary([UInt8](repeating: 3, count: size)))
        }
        for size in sizes { #expect(try await socket.message().count == size) }
        await socket.close(.normal)
        #expect(agreed.withLock { $0 } == "http/1.1")
      }
    }
  }

  @Test("G16: a certificate that can't be verified opens no socket")
  func untrusted() async throws {
    let identities = try Identities()
    try await withServer(identities.server) {
      try $0.readHead()
    } _: { server in
      let transport = transport()
      await #expect {
        try await transport.connect(
          HTTPRequest(.get, server.url(scheme: "wss", host: "localhost")))
      } throws: {
        ($0 as? EngagementError)?.code == .unavailable
      }
      #expect(server.heads.isEmpty)
    }
  }

  @Test("G16: a proxy tunnels the socket and sees none of its headers; its refusal is told")
  func proxy() async throws {
    let identities = try Identities()
    try await identities.authority.withFile { file in
      try await withServer(identities.server) { connection in
        var peer = try SocketPeer(connection)
        try peer.echo()
      } _: { server in
        try await withServer { connection in
          try connection.readHead()
          try connection.write("HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n")
          try connection.join(server.port)
        } _: { proxy in
          var request = HTTPRequest(.get, server.url(scheme: "wss", host: "localhost"))
          try request.headers.append("Authorization", Secret("Bearer t"))
          let transport = transport(trusting: file) {
            $0.proxy = .server(Secret("http://127.0.0.1:\(proxy.port)"))
          }
          let socket = try await transport.connect(request)
          try await socket.send(.text("through"))
          #expect(try await socket.message() == .text("through"))
          await socket.close(.normal)
          #expect(proxy.heads[0].hasPrefix("CONNECT localhost:\(server.port) "))
          #expect(!proxy.heads[0].contains("Bearer"))
        }
        try await withServer { connection in
          try connection.readHead()
          try connection.answer("407 Who are you", "<html>a page</html>")
        } _: { proxy in
          let transport = transport(trusting: file) {
            $0.proxy = .server(Secret("http://127.0.0.1:\(proxy.port)"))
          }
          await #expect {
            try await transport.connect(
              HTTPRequest(.get, server.url(scheme: "wss", host: "localhost")))
          } throws: {
            ($0 as? EngagementError)?.message.contains("407") == true
          }
        }
      }
    }
  }
}
