import EngagementModel
import EngagementPlatform
import EngagementVendors

/// A fault at work on one call.
struct AppliedFault {
  let fault: EmulatorFaults.Fault
  let call: VendorRequest
  let now: Date

  /// What is answered in the vendor's place; nil where the vendor receives the request.
  var instead: VendorAnswer? {
    refusal.map { VendorAnswer(reply: $0, summary: "nothing: \(fault.kind.name)") }
  }

  /// Whether the vendor gets the call twice.
  var isRepeated: Bool { fault.kind == .duplicateRequest }

  /// Whether the client is sent nothing that it could take for an answer.
  var hidesAnswer: Bool {
    [.resetBefore, .closeBefore, .hang, .resetAfter, .closeAfter, .notHTTP]
      .contains(fault.kind)
  }

  private var refusal: VendorReply? {
    switch fault.kind {
    case .status, .socketRefused: failed(fault.status)
    case .unauthorized: failed(401)
    case .throttleSeconds: throttled("\(fault.seconds)")
    case .throttleDate: throttled(HTTPDateText.text(now.addingTimeInterval(Double(fault.seconds))))
    case .throttleGarbage: throttled("a little later, please")
    case .html: portal
    case .redirectOnce: redirect(to: call.target)
    case .redirectLoop: redirect(to: RedirectLoop.path)
    case .redirectElsewhere: redirect(to: elsewhere)
    case .empty, .resetBefore, .closeBefore, .hang, .notHTTP: VendorReply(200)
    case .delay, .resetAfter, .closeAfter, .resetMiddle, .truncate, .truncateHead, .truncateJSON,
      .wrongType, .missingField, .invalidUTF8, .duplicateKey, .byteOrderMark, .duplicateAnswer,
      .duplicateRequest, .oversize, .gzipBomb, .gzipBroken, .slowDrip, .slowHead, .headerFlood,
      .headerLong, .lengthShort, .lengthConflict, .chunkBroken, .earlyHints, .wrongContentType,
      .socketDropped, .socketSilent, .socketDelayed, .socketDoubled, .socketReordered,
      .socketFragmented, .socketInvalidUTF8, .socketOversize:
      nil
    }
  }

  private func failed(_ status: Int) -> VendorReply {
    // 204 and 304 have no body by their definition.
    status == 204 || status == 304
      ? VendorReply(status)
      : VendorReply(status, json: ["error": .string("A fault script wants \(status)")])
  }

  private func throttled(_ wait: String) -> VendorReply {
    var reply = failed(429)
    reply.headers.append(("Retry-After", wait))
    return reply
  }

  private func redirect(to location: String) -> VendorReply {
    VendorReply(307, headers: [("Location", location)])
  }

  /// The same server by another name: to a client another origin.
  private var elsewhere: String {
    let host = call.header("Host") ?? ""
    let port = host.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(host[$0...]) } ?? ""
    let name = host.lowercased().hasPrefix("localhost") ? "127.0.0.1" : "localhost"
    return "http://\(name)\(port)\(call.target)"
  }

  private var portal: VendorReply {
    let page = """
      <!DOCTYPE html><html><head><title>Welcome to the harbour network</title></head>
      <body><form action="/accept"><button>Accept the terms</button></form></body></html>
      """
    return VendorReply(
      200, headers: [("Content-Type", "text/html; charset=utf-8")], body: Array(page.utf8))
  }
}

/// Where a redirect leads that never ends.
enum RedirectLoop {
  static let path = "/_emulator/loop"

  static func reply(to call: VendorRequest) -> VendorReply? {
    call.path.hasPrefix(path) ? VendorReply(307, headers: [("Location", call.target)]) : nil
  }
}
