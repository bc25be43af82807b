import EngagementJSON
import EngagementModel
import EngagementVendors

/// The answer to a call, which may hold items whose bytes are broken on purpose.
struct CleverTapAnswer {
  private var members: [(key: String, bytes: [UInt8])] = []
  private let authority: String

  init(_ call: VendorRequest) { authority = call.header("Host") ?? "" }

  mutating func add(_ key: String, _ value: JSON) { members.append((key, value.encoded())) }

  mutating func add(_ key: String, listing items: [[UInt8]]) {
    members.append((key, VendorReply.array(of: items.map(withFiles))))
  }

  /// What stands for this server's address in an item, which does not know it.
  static let filesMark = "{files}"

  /// The item with the address of its files. Bytes that have none stay as they are.
  private func withFiles(_ item: [UInt8]) -> [UInt8] {
    guard let text = String(validating: item, as: UTF8.self), text.contains(Self.filesMark) else {
      return item
    }
    return Array(text.replacing(Self.filesMark, with: "http://\(authority)/files").utf8)
  }

  var reply: VendorReply {
    var writer = JSONWriter()
    writer.beginObject()
    for (key, bytes) in members {
      writer.key(key)
      writer.raw(bytes[...])
    }
    writer.endObject()
    return VendorReply(json: writer.bytes)
  }
}
