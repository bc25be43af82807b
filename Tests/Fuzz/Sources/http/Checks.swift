import EngagementHTTP

/// Traps unless an accepted URL is the same after it is written and read again, and the policy
/// denies invalid and plain-text URLs.
func checkURL(_ text: String) {
  let decision = RequestPolicy().decision(on: text)
  guard let url = try? HTTPURL(text) else {
    precondition(decision == .denied(.noHost) || decision == .denied(.invalidURL))
    return
  }
  let again = try? HTTPURL(url.text)
  precondition(again == url, "a URL that changes when read again")
  precondition(url.text.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != UInt8(ascii: "\\") })
  let isAllowed = url.scheme.isEncrypted || url.host.isLoopbackLiteral
  precondition(decision == (isAllowed ? .allowed(pins: nil) : .denied(.plainText)))
  let pattern = try? HostPattern(validating: url.host.text)
  precondition(pattern?.matches(url.host) == true, "a host that does not match itself as a pattern")
}

/// Traps unless every followed redirect stays in its origin.
func checkRedirect(to location: String) {
  let request = HTTPRequest(.get, "https://example.com/a/b?c")
  var response = HTTPResponse(302)
  guard (try? response.headers.set("Location", location)) != nil,
    case .follow(let next) = Redirect.next(after: response, to: request, followed: 0)
  else { return }
  let origin = try? next.target().origin
  precondition(origin?.description == "https://example.com", "a redirect to another origin")
}

/// Traps unless an accepted header stays in one line, with the text as its name or its value.
func checkHeader(_ text: String) {
  for (name, value) in [("X", text), (text, "x")] {
    var request = HTTPRequest(.get, "https://example.com/")
    guard (try? request.headers.append(name, value)) != nil,
      let head = try? HTTPHead.bytes(of: request)
    else { continue }
    precondition(
      head.count { $0 == 0x0a } == 4 && head.count { $0 == 0x0d } == 4, "an additional line")
  }
}

/// Traps unless a head gives the same response in one piece and byte by byte.
func checkHead(_ bytes: [UInt8]) {
  let whole = read([bytes[...]])
  let cut = read(bytes.indices.map { bytes[$0...$0] })
  precondition(whole?.response == cut?.response, "a head that depends on the pieces")
  if let whole, let cut {
    precondition(whole.rest == cut.rest, "another rest")
    let handshake = try? WebSocketHandshake(nonce: [UInt8](repeating: 0, count: 16))
    _ = try? handshake?.subprotocol(acceptedBy: whole.response)
  }
}

private func read(
  _ pieces: [ArraySlice<UInt8>]
) -> (response: HTTPResponse, rest: [UInt8])? {
  var reader = HTTPHeadReader()
  for (index, piece) in pieces.enumerated() {
    do {
      guard let response = try reader.feed(piece) else { continue }
      return (response, reader.rest + pieces[(index + 1)...].flatMap { $0 })
    } catch {
      return nil
    }
  }
  return nil
}
