import EngagementJSON
import EngagementModel
import EngagementVendors

/// Bodies that arrive whole and are wrong.
extension AppliedFault {
  func spoilt(_ reply: VendorReply) -> VendorReply {
    var reply = reply
    switch fault.kind {
    case .truncateJSON: reply.body = Array(reply.body.prefix(fault.bytes ?? reply.body.count / 2))
    case .byteOrderMark: reply.body = [0xef, 0xbb, 0xbf] + reply.body
    case .invalidUTF8: reply.body = withInvalidUTF8(reply.body)
    case .wrongType, .missingField, .duplicateKey, .oversize:
      if let json = try? JSON(parsing: reply.body) { reply.body = damaged(json) }
    case .gzipBomb:
      reply.headers.append(("Content-Encoding", "gzip"))
      reply.body = GzipBomb.bytes(expandingTo: fault.bytes ?? 64 << 20)
    case .gzipBroken: reply.headers.append(("Content-Encoding", "gzip"))
    case .wrongContentType:
      reply.headers.removeAll { $0.name == "Content-Type" }
      reply.headers.append(("Content-Type", "text/plain"))
    default: break
    }
    return reply
  }

  /// Two bytes that are no UTF-8 at the beginning of the first text that is a value.
  private func withInvalidUTF8(_ body: [UInt8]) -> [UInt8] {
    let opening = Array(":\"".utf8)
    let place = body.indices.first { body[$0...].starts(with: opening) }
    var body = body
    body.insert(contentsOf: [0xff, 0xc0], at: place.map { $0 + 2 } ?? body.endIndex)
    return body
  }

  private func damaged(_ json: JSON) -> [UInt8] {
    switch fault.kind {
    case .wrongType: JSONDamage.wrongType(json, salt: fault.salt).encoded()
    case .missingField: JSONDamage.missingField(json, salt: fault.salt).encoded()
    case .duplicateKey: withRepeatedKey(json)
    default: padded(json).encoded()
    }
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
