/// Texts in normalization form C of Unicode, in which equal texts have equal bytes.
///
/// The form of a text never changes once all its characters are assigned (UAX 15). A text with a character
/// that Unicode assigns later may get another form with another version of Swift.
package enum NFC {
  /// The UTF-8 bytes of the text in normalization form C.
  package static func bytes(of text: String) -> [UInt8] {
    // ASCII is in every form, and most ids are ASCII.
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.utf8) }
    // Foundation is not allowed in products, and tables of our own would be 2,000 rows. The name is
    // underscored, but public in the standard library; `NFCTests` holds it to the vectors.
    return text._nfcCodeUnits
  }
}
