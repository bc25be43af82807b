/// A still image that a user chose for a file input of a card.
///
/// Its format is read from its bytes; its name does not count. A live photo is sent as its key photo.
public struct CardFile: Hashable, Sendable {
  /// The name that the vendor is told, such as `receipt.jpg`.
  public let name: String
  public let bytes: [UInt8]
  public let format: Format

  /// The formats of still images. Vendors take JPEG and PNG; any other is converted first.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    case jpeg, png, heif, avif, webp, tiff, bmp

    /// Its MIME type, such as `image/jpeg`.
    public var contentType: String { "image/\(rawValue)" }
  }

  /// More bytes than a file may have.
  public static let sizeLimit = 10 << 20

  /// Throws `invalidArgument` for a name that is empty or has a folder, for a file of more than 10 MB,
  /// and for what is no still image: a GIF, a moving image, a film, a text.
  public init(name: String, bytes: [UInt8]) throws(EngagementError) {
    let isName = !name.isEmpty && !name.utf8.contains { [0, 0x2f, 0x5c].contains($0) }
    guard isName else { throw Self.refusal("The name of a file is empty or names a folder.") }
    guard bytes.count <= Self.sizeLimit else {
      throw Self.refusal("The file \(name) has more than \(Self.sizeLimit >> 20) MB.")
    }
    guard let format = Format(ofImage: bytes) else {
      throw Self.refusal(
        "The file \(name) is no still image; JPEG, PNG, HEIF, AVIF, WebP, TIFF and BMP are.")
    }
    self.name = name
    self.bytes = bytes
    self.format = format
  }

  private static func refusal(_ message: String) -> EngagementError {
    EngagementError(.invalidArgument, message, operation: "upload")
  }
}

extension CardFile.Format {
  /// Nil for anything but a still image.
  init?(ofImage bytes: [UInt8]) {
    func begins(_ start: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + start.count && bytes[offset...].starts(with: start)
    }
    func begins(_ start: StaticString, at offset: Int = 0) -> Bool {
      begins(Array("\(start)".utf8), at: offset)
    }
    if begins([0xff, 0xd8, 0xff]) {
      self = .jpeg
    } else if begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self = .png
    } else if begins("RIFF"), begins("WEBP", at: 8) {
      // The second bit of the extended header says that it moves.
      if begins("VP8X", at: 12), bytes.count > 20, bytes[20] & 2 != 0 { return nil }
      self = .webp
    } else if begins([0x49, 0x49, 0x2a, 0x00]) || begins([0x4d, 0x4d, 0x00, 0x2a]) {
      self = .tiff
    } else if begins("BM"), bytes.count >= 26 {
      self = .bmp
    } else if begins("ftyp", at: 4), let format = Self.brand(of: bytes) {
      self = format
    } else {
      return nil
    }
  }

  /// The format that the first brand of a media file stands for. The brands of sequences and of films
  /// are not among them.
  private static func brand(of bytes: [UInt8]) -> Self? {
    guard bytes.count >= 12 else { return nil }
    switch String(decoding: bytes[8..<12], as: UTF8.self) {
    case "heic", "heix", "heim", "heis", "mif1", "mif2": return .heif
    case "avif": return .avif
    case _: return nil
    }
  }
}
