import EngagementJSON
import EngagementModel
import EngagementVendors

/// Bodies that arrive whole and are wrong.
extension AppliedFault {
  /// The reply with a damaged body or with a head that says something else of it; another fault
  /// leaves it as it is.
  func damaged(_ reply: VendorReply) -> VendorReply {
    switch fault.kind {
    case .truncateJSON:
      reply.with(Array(reply.body.prefix(fault.bytes ?? reply.body.count / 2)))
    case .byteOrderMark: reply.with([0xef, 0xbb, 0xbf] + reply.body)
    case .invalidUTF8: reply.with(withInvalidUTF8(reply.body))
    case .wrongType: damaged(reply) { JSONDamage.wrongType($0, salt: fault.salt).encoded() }
    case .missingField: damaged(reply) { JSONDamage.missingField($0, salt: fault.salt).encoded() }
    case .duplicateKey: damaged(reply, withRepeatedKey)
    case .oversize: damaged(reply) { padded($0).encoded() }
    case .gzipBomb:
      reply.adding("Content-Encoding", "gzip")
        .with(GzipBomb.bytes(expandingTo: fault.bytes ?? 64 << 20))
    case .gzipBroken: reply.adding("Content-Encoding", "gzip")
    case .wrongContentType: withWrongType(reply)
    case .status, .throttleSeconds, .throttleDate, .throttleGarbage, .unauthorized, .resetBefore,
      .closeBefore, .hang, .html, .empty, .notHTTP, .redirectLoop, .redirectElsewhere,
      .redirectOnce, .delay, .resetAfter, .closeAfter, .resetMiddle, .truncate, .truncateHead,
      .duplicateAnswer, .duplicateRequest, .slowDrip, .slowHead, .headerFlood, .headerLong,
      .lengthShort, .lengthConflict, .chunkBroken, .earlyHints:
      reply
    }
  }

  /// Leaves a body that is not JSON as it is.
  private func damaged(_ reply: VendorReply, _ change: (JSON) -> [UInt8]) -> VendorReply {
    guard let json = try? JSON(parsing: reply.body) else { return reply }
    return reply.with(change(json))
  }

  private func withWrongType(_ reply: VendorReply) -> VendorReply {
    var reply = reply
    reply.headers.removeAll { $0.name == "Content-Type" }
    return reply.adding("Content-Type", "text/plain")
  }

  /// Two bytes that are no UTF-8 at the beginning of the first text that is a value.
  private func withInvalidUTF8(_ body: [UInt8]) -> [UInt8] {
    let opening = Array(":\"".utf8)
    let place = body.indices.first { body[$0...].starts(with: opening) }
    var body = body
    body.insert(contentsOf: [0xff, 0xc0], at: place.map { $0 + 2 } ?? body.endIndex)
    return body
  }

  private func withRepeatedKey(_ json: JSON) -> [UInt8] {
    guard let first = json.object?.members.first else { return json.encoded() }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member(first.key, first.value)
    for member in json.object?.members ?? [] { writer.member(member.key, member.value) }
    writer.endObject()
    return writer.bytes
  }

  /// The same object with a long member more; an array stays unchanged.
  private func padded(_ json: JSON) -> JSON {
    guard var object = json.object else { return json }
    object["padding"] = .string(String(repeating: "x", count: fault.bytes ?? 10 << 20))
    return .object(object)
  }
}

extension VendorReply {
  fileprivate func with(_ body: [UInt8]) -> VendorReply {
    var reply = self
    reply.body = body
    return reply
  }
}
