import EngagementJSON
import JSONOracle
import TestSupport

/// Misuses the reader. Only a crash is a finding.
enum Misuse {
  /// Calls the cursor's methods in an order that the bytes decide, and continues after faults.
  static func callInAnyOrder(_ bytes: [UInt8]) {
    let digest = bytes.reduce(into: 0xcbf2_9ce4_8422_2325 as UInt64) { digest, byte in
      digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    var random = SeededGenerator(seed: digest)
    var cursor = JSONCursor(bytes)
    for _ in 0..<48 { _ = try? call(.random(in: 0..<15, using: &random), &cursor) }
    try? cursor.finish()
  }

  private static func call(_ number: Int, _ cursor: inout JSONCursor) throws(JSONFault) {
    switch number {
    case 0: _ = try cursor.kind()
    case 1: _ = try cursor.enterArray()
    case 2: _ = try cursor.string()
    case 3: _ = try cursor.integer()
    case 4: _ = try cursor.number()
    case 5: _ = try cursor.bool()
    case 6: _ = try cursor.json()
    case 7: _ = try cursor.raw()
    case 8: try cursor.skip()
    case 9: _ = try cursor.items()
    case 10: _ = try cursor.item(at: 0)
    case 11: _ = try cursor.nextElement()
    case 12: _ = try cursor.enterObject()
    default: _ = try cursor.nextKey()
    }
  }

  /// Reads unchecked bytes as an item marked as valid.
  static func trust(_ bytes: [UInt8]) {
    let item = RawItem(index: 0, uncheckedBytes: bytes[...])
    guard let fields = try? JSONFields(item) else { return }
    _ = fields.json
    for name in fields.keys.prefix(8) {
      let key = JSONKey(name)
      _ = (fields.string(key), fields.integer(key), fields.number(key), fields.flag(key))
      _ = (fields.json(key), fields.raw(key), fields.strings(key), fields.objects(key)?.count)
      _ = (fields.kind(of: key), fields.fields(key)?.members)
    }
  }
}
