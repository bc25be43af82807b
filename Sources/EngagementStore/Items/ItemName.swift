import EngagementModel

/// A vendor's own id of an item, equal only to the same bytes.
struct ItemName: ByteComparable {
  let text: String
  init(_ text: String) { self.text = text }

  var bytes: [UInt8] { Array(text.utf8) }
}
