import EngagementJSON
import EngagementModel

/// Reads a document with the cursor as an adapter does: it enters objects to find lists, skips
/// everything else, and continues after faults that are not structural.
struct Walk {
  /// The items of all lists.
  private(set) var items: [RawItem] = []
  /// The value faults outside of items.
  private(set) var faults: [JSONFault] = []
  private(set) var structural: JSONFault?
  /// The number of lists whose items are not numbered from zero.
  private(set) var misnumbered = 0

  init(of bytes: [UInt8]) {
    var cursor = JSONCursor(bytes)
    do throws(JSONFault) {
      try read(&cursor, levels: 3)
      try tolerate { () throws(JSONFault) in try cursor.finish() }
    } catch {
      structural = error
    }
  }

  private mutating func read(_ cursor: inout JSONCursor, levels: Int) throws(JSONFault) {
    switch try cursor.kind() {
    case .array:
      let list = try cursor.items() ?? []
      if list.map(\.index) != Array(list.indices) { misnumbered += 1 }
      items += list
    case .object where levels > 0:
      _ = try cursor.enterObject()
      while try nextKey(&cursor) { try read(&cursor, levels: levels - 1) }
    default: try tolerate { () throws(JSONFault) in try cursor.skip() }
    }
  }

  /// Moves to the next member. A member with a faulty key still has a value.
  private mutating func nextKey(_ cursor: inout JSONCursor) throws(JSONFault) -> Bool {
    var hasNext = true
    try tolerate { () throws(JSONFault) in hasNext = try cursor.nextKey() != nil }
    return hasNext
  }

  private mutating func tolerate(
    _ step: () throws(JSONFault) -> Void
  ) throws(JSONFault) {
    do throws(JSONFault) {
      try step()
    } catch {
      guard !error.isStructural else { throw error }
      faults.append(error)
    }
  }

  /// Checks that the cursor and the reader of whole documents find the same.
  func check(against parsed: Result<JSON, JSONFault>) throws(Disagreement) {
    let isSound = structural == nil && faults.isEmpty && items.allSatisfy { $0.fault == nil }
    switch parsed {
    case .success:
      try Disagreement.unless(isSound, "the cursor finds \(structural, default: "value faults")")
    case .failure(let fault):
      try Disagreement.unless(!isSound, "the cursor finds nothing: \(fault)")
      try Disagreement.unless(
        !fault.isStructural || structural != nil, "the cursor finds no structural fault: \(fault)")
    }
    try Disagreement.unless(misnumbered == 0, "items are not numbered in their order")
  }

  /// The document with `null` instead of each faulty item, which must be sound. Nil if no item is
  /// faulty or the document has other faults.
  func repaired(_ bytes: [UInt8]) -> [UInt8]? {
    let faulty = items.filter { $0.fault != nil }
    guard structural == nil, faults.isEmpty, !faulty.isEmpty else { return nil }
    var repaired = bytes
    for item in faulty.reversed() {
      repaired.replaceSubrange(item.bytes.indices, with: "null".utf8)
    }
    return repaired
  }
}
