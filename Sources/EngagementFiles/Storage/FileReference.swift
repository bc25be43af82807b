import EngagementFormats
import EngagementHTTP
import EngagementModel

/// Where a reference is: the digests of the owner's name and of the URL.
struct FilePlace: Hashable, Sendable {
  let owner: String
  let url: String

  init(url: HTTPURL, owner: String) {
    self.owner = Self.name(ofOwner: owner)
    self.url = SHA256.digest(of: url.text).description
  }

  static func name(ofOwner owner: String) -> String {
    SHA256.digest(of: "owner \(owner)").description
  }

  /// Whether the text is a digest, as all names of this library's files are.
  static func isDigest(_ name: String) -> Bool {
    name.utf8.count == 64 && name.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }
}

/// What a reference says of its file. Its lines are `file 1`, digest, size and type.
struct FileReference: Hashable, Sendable {
  let digest: String
  let byteCount: Int
  let contentType: String

  /// More bytes than any reference has.
  static let sizeLimit = 512

  init(digest: String, byteCount: Int, contentType: String) {
    self.digest = digest
    self.byteCount = byteCount
    self.contentType = contentType
  }

  /// Reads a reference; nil for any other text, such as a part of one.
  init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 5, lines[0] == "file 1", lines[4].isEmpty, FilePlace.isDigest(lines[1]),
      let count = Int(lines[2]), count >= 0, ContentType.type(inHeader: lines[3]) == lines[3]
    else { return nil }
    self.init(digest: lines[1], byteCount: count, contentType: lines[3])
  }

  var bytes: [UInt8] { Array("file 1\n\(digest)\n\(byteCount)\n\(contentType)\n".utf8) }
}
