/// A type such as `image/png`, and what the first bytes of such a file are.
enum ContentType {
  /// How many bytes are needed to check a file.
  static let headSize = 256

  /// The type in a `Content-Type` header, in lower case and without parameters; nil for a text that
  /// is no type.
  static func type(inHeader text: String) -> String? {
    let name = text.utf8.prefix { $0 != UInt8(ascii: ";") }.map(lowercased)
      .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(isName) else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Whether a cache can accept the type: it is written as above, and images can be checked.
  static func isChecked(_ type: String) -> Bool {
    self.type(inHeader: type) == type && (!type.hasPrefix("image/") || signatures[type] != nil)
  }

  /// Whether a file of that type may begin with these bytes. Types other than images may begin with
  /// any.
  static func matches(_ type: String, _ head: [UInt8]) -> Bool {
    signatures[type]?(head) ?? !type.hasPrefix("image/")
  }

  private static let signatures: [String: @Sendable ([UInt8]) -> Bool] = [
    "image/png": { $0.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
    "image/jpeg": { $0.starts(with: [0xff, 0xd8, 0xff]) },
    "image/gif": { $0.starts(with: "GIF87a".utf8) || $0.starts(with: "GIF89a".utf8) },
    "image/webp": {
      $0.starts(with: "RIFF".utf8) && $0.dropFirst(8).starts(with: "WEBP".utf8)
    },
    "image/svg+xml": isMarkup,
  ]

  /// Whether the bytes can be text that begins with an element, a comment or a declaration.
  private static func isMarkup(_ head: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let text = head.starts(with: mark) ? head.dropFirst(mark.count) : head[...]
    let first = text.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
    return first == UInt8(ascii: "<") && !head.contains(0)
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5a ~= byte ? byte | 0x20 : byte
  }

  /// The names of RFC 6838, section 4.2.
  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    1...127 ~= bytes.count
      && bytes.allSatisfy {
        0x61...0x7a ~= $0 || 0x30...0x39 ~= $0 || "!#$&-^_.+".utf8.contains($0)
      }
  }
}
