import CJansson
import EngagementModel

/// A parsed document in jansson's memory. `deinit` frees it.
@safe struct JanssonTree: ~Copyable {
  typealias Node = UnsafeMutablePointer<json_t>

  private let root: Node

  init(parsing bytes: [UInt8]) throws(EngagementError) {
    // An empty array may have no address; jansson reports that as a misuse.
    guard !bytes.isEmpty else { throw DocumentFault.end.error(at: (1, 0)) }
    // jansson 2.14 overlooks a NUL after a number.
    if let nul = bytes.firstIndex(of: 0) {
      throw DocumentFault.null.error(at: Self.place(of: nul, in: bytes))
    }
    let flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY
    var report = json_error_t()
    let result = unsafe bytes.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe json_loadb(start, buffer.count, Int(flags), &report)
    }
    unsafe root = try unsafe Self.check(
      result, or: DocumentFault(report).error(at: (report.line, report.column)))
  }

  deinit { unsafe json_decref(root) }

  /// The document as Swift values.
  func json() throws(EngagementError) -> JSON {
    try unsafe Self.copy(root, levels: Document.depthLimit)
  }

  /// The line and the column of a byte, both counted from 1. Columns count characters.
  private static func place(of index: Int, in bytes: [UInt8]) -> (line: Int32, column: Int32) {
    let before = bytes[..<index]
    let newline = UInt8(ascii: "\n")
    let line = before.lazy.filter { $0 == newline }.count
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    let column = before[start...].lazy.filter { $0 & 0xc0 != 0x80 }.count
    return (Int32(clamping: line + 1), Int32(clamping: column + 1))
  }

  /// Every pointer from jansson passes this check: null is a failure.
  private static func check<Pointer>(
    _ result: Pointer?, or failure: @autoclosure () -> EngagementError
  ) throws(EngagementError) -> Pointer {
    guard let result else { throw failure() }
    return result
  }
}

extension JanssonTree {
  private static func copy(_ node: Node?, levels: Int) throws(EngagementError) -> JSON {
    let node = try unsafe check(node, or: missing)
    switch unsafe node.pointee.type {
    case JSON_TRUE: return .bool(true)
    case JSON_FALSE: return .bool(false)
    case JSON_INTEGER: return unsafe .integer(json_integer_value(node))
    case JSON_REAL: return unsafe .number(json_real_value(node))
    case JSON_STRING:
      return unsafe .string(try text(json_string_value(node), json_string_length(node)))
    case JSON_ARRAY: return unsafe .array(try elements(of: node, levels: levels))
    case JSON_OBJECT: return unsafe .object(try members(of: node, levels: levels))
    default: return .null
    }
  }

  private static func elements(of node: Node, levels: Int) throws(EngagementError) -> [JSON] {
    guard levels > 0 else { throw DocumentFault.depth.error() }
    let count = unsafe json_array_size(node)
    var elements: [JSON] = []
    elements.reserveCapacity(count)
    for index in 0..<count {
      elements.append(try unsafe copy(json_array_get(node, index), levels: levels - 1))
    }
    return elements
  }

  private static func members(of node: Node, levels: Int) throws(EngagementError) -> JSONObject {
    guard levels > 0 else { throw DocumentFault.depth.error() }
    var members: [JSONObject.Member] = []
    unsafe members.reserveCapacity(json_object_size(node))
    var next = unsafe json_object_iter(node)
    while let member = unsafe next {
      let key = try unsafe text(json_object_iter_key(member), json_object_iter_key_len(member))
      let value = try unsafe copy(json_object_iter_value(member), levels: levels - 1)
      members.append(JSONObject.Member(key, value))
      unsafe next = unsafe json_object_iter_next(node, member)
    }
    return JSONObject(uniqueMembers: members)
  }

  private static func text(
    _ start: UnsafePointer<CChar>?, _ count: Int
  ) throws(EngagementError) -> String {
    let start = try unsafe check(start, or: missing)
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  private static var missing: EngagementError {
    EngagementError(.internalFailure, "The document's tree lacks a part")
  }
}
