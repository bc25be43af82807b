import EngagementCurl
import EngagementHTTP
import EngagementModel
import TestServers
import Testing

@Suite struct CertificateTests {
  private func error(
    from identity: TLSIdentity, trusting authority: TLSIdentity, host: String = "localhost"
  ) async throws -> EngagementError {
    try await authority.withFile { file in
      try await withServer(identity) {
        try $0.readHead()
        try $0.answer()
      } _: { server in
        defer { #expect(server.heads.isEmpty) }
        return try await failure(
          of: HTTPRequest(.get, server.url(scheme: "https", host: host)),
          by: transport(trusting: file))
      }
    }
  }

  @Test("a certificate of the configured authority is trusted, by name and by address")
  func trusted() async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let identity = try TLSIdentity(
      "server", hosts: "DNS:localhost,IP:127.0.0.1", issuer: authority)
    try await authority.withFile { file in
      try await withServer(identity) {
        try $0.readHead()
        try $0.answer("200 OK", "ok")
      } _: { server in
        let transport = transport(trusting: file)
        for host in ["localhost", "127.0.0.1"] {
          let url = server.url(scheme: "https", host: host)
          let response = try await transport.send(HTTPRequest(.get, url))
          #expect(response.body == Array("ok".utf8))
        }
      }
    }
  }

  @Test("G16: a self-signed certificate is refused before the request is sent")
  func selfSigned() async throws {
    let error = try await error(
      from: TLSIdentity("localhost", hosts: "DNS:localhost"),
      trusting: TLSIdentity("Authority", isAuthority: true))
    #expect(error.code == .unavailable && error.message.contains("self-signed"), "\(error)")
  }

  @Test("G16: a certificate of an unknown authority is refused")
  func unknownAuthority() async throws {
    let stranger = try TLSIdentity("Stranger", isAuthority: true)
    let error = try await error(
      from: TLSIdentity("localhost", hosts: "DNS:localhost", issuer: stranger),
      trusting: TLSIdentity("Authority", isAuthority: true))
    #expect(error.code == .unavailable && error.message.contains("not trusted"), "\(error)")
  }

  @Test("G16: a certificate for another host is refused", arguments: ["localhost", "127.0.0.1"])
  func wrongHost(host: String) async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let error = try await error(
      from: TLSIdentity("localhost", hosts: "DNS:example.com,IP:127.0.0.2", issuer: authority),
      trusting: authority, host: host)
    #expect(error.code == .unavailable && error.message.contains("another host"), "\(error)")
  }

  @Test(
    "G16: an expired or not yet valid certificate is refused",
    arguments: [
      (TLSIdentity.Validity.past, "has expired"), (.future, "not valid yet"),
    ])
  func time(validity: TLSIdentity.Validity, words: String) async throws {
    let authority = try TLSIdentity("Authority", isAuthority: true)
    let error = try await error(
      from: TLSIdentity(
        "localhost", hosts: "DNS:localhost", validity: validity, issuer: authority),
      trusting: authority)
    #expect(error.code == .unavailable && error.message.contains(words), "\(error)")
  }

  @Test("a port without TLS or with only TLS 1.1 is refused", arguments: [false, true])
  func noTLS(isOld: Bool) async throws {
    let identity = try TLSIdentity("localhost", hosts: "DNS:localhost")
    try await withServer {
      if isOld {
        _ = try $0.read()
        // The alert of a server that supports none of the client's versions.
        try $0.write([21, 3, 2, 0, 2, 2, 70])
      } else {
        try $0.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try $0.read()
      }
    } _: { server in
      let error = try await failure(
        of: HTTPRequest(.get, server.url(scheme: "https", host: "localhost")), by: transport())
      #expect(error.code == .unavailable && error.message.contains("TLS"), "\(error)")
      _ = identity
    }
  }

  @Test("a handshake that does not end times out")
  func stalled() async throws {
    try await withServer {
      while true { _ = try $0.read() }
    } _: { server in
      let error = try await failure(
        of: HTTPRequest(.get, server.url(scheme: "https", host: "localhost")),
        by: transport { $0.connectTimeout = .milliseconds(500) })
      #expect(error.code == .deadlineExceeded && error.message.contains("handshake"), "\(error)")
    }
  }
}
