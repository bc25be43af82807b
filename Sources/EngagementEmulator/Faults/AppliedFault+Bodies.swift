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
    case .invalidUTF8: reply.with(Self.withInvalidUTF8(reply.body))
    case .wrongType: damaged(reply) { JSONDamage.wrongType($0, salt: fault.salt).encoded() }
    case .missingField: damaged(reply) { JSONDamage.missingField($0, salt: fault.salt).encoded() }
    case .duplicateKey: damaged(reply, withRepeatedKey)
    case .oversize: damaged(reply) { Self.padded($0, by: fault.bytes ?? 10 << 20).encoded() }
    case .gzipBomb:
      reply.adding("Content-Encoding", "gzip")
        .with(GzipBomb.bytes(expandingTo: fault.bytes ?? 64 << 20))
    case .gzipBroken: reply.adding("Content-Encoding", "gzip")
    case .wrongContentType: withWrongType(reply)
    case .status, .throttleSeconds, .throttleDate, .throttleGarbage, .unauthorized, .resetBefore,
      .closeBefore, .hang, .html, .empty, .notHTTP, .redirectLoop, .redirectElsewhere,
      .redirectOnce, .delay, .resetAfter, .closeAfter, .resetMiddle, .truncate, .truncateHead,
      .duplicateAnswer, .duplicateRequest, .slowDrip, .slowHead, .headerFlood, .headerLong,
      .lengthShort, .lengthConflict, .chunkBroken, .earlyHints, .socketRefused,
      .socketDropped, .socketSilent, .socketDelayed, .socketDoubled, .socketReordered,
      .socketFragmented, .socketInvalidUTF8, .socketOversize:
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
  static func withInvalidUTF8(_ body: [UInt8]) -> [UInt8] {
    let opening = Array(":\"".utf8)
    let place = body.indices.first { body[$0...].starts(with: opening) }
    var body = body
    body.insert(contentsOf: [0xff, 0xc0], at: place.map { $0 + 2 } ?? body.endIndex)
    return body
  }

  /// The same value whose first object has a member twice. Without an object, one with such a
  /// member is added or takes its place.
  private func withRepeatedKey(_ json: JSON) -> [UInt8] {
    var writer = JSONWriter()
    switch json {
    case .object(let object): Self.write(object, to: &writer)
    case .array(let array):
      let place = array.firstIndex { $0.object != nil }
      writer.beginArray()
      if place == nil { Self.write([:], to: &writer) }
      for (index, element) in array.enumerated() {
        if index == place, let object = element.object {
          Self.write(object, to: &writer)
        } else {
          writer.value(element)
        }
      }
      writer.endArray()
    case .null, .bool, .integer, .number, .string: Self.write([:], to: &writer)
    }
    return writer.bytes
  }

  private static func write(_ object: JSONObject, to writer: inout JSONWriter) {
    let repeated = object.members.first ?? JSONObject.Member("again", true)
    writer.beginObject()
    for member in [repeated] + (object.isEmpty ? [repeated] : object.members) {
      writer.member(member.key, member.value)
    }
    writer.endObject()
  }

  /// The same value with a long text more.
  static func padded(_ json: JSON, by count: Int) -> JSON {
    let padding = JSON.string(String(repeating: "x", count: count))
    switch json {
    case .object(var object):
      object["padding"] = padding
      return .object(object)
    case .array(let array): return .array(array + [["padding": padding]])
    case .null, .bool, .integer, .number, .string: return padding
    }
  }
}

extension VendorReply {
  fileprivate func with(_ body: [UInt8]) -> VendorReply {
    var reply = self
    reply.body = body
    return reply
  }
}
