/// A kind of files that hold no exported events, known by its first bytes.
enum FileKind: CaseIterable {
  case sqlite, zip, avro, orc, arrow, pdf, html, xml, bzip2, xz, sevenZip, lz4, picture
  case document, program, archive, jsonArray, utf16

  init?(ofFileBeginningWith bytes: [UInt8]) {
    let text = bytes.drop { $0 <= 0x20 }.prefix(16).map { byte in
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
    let found = Self.allCases.first { kind in
      switch kind {
      case .html:
        ["<!doctype html", "<html", "<head", "<body"].contains { text.starts(with: $0.utf8) }
      case .xml: text.starts(with: "<?xml".utf8)
      case .jsonArray: text.first == UInt8(ascii: "[")
      case .archive: bytes.count > 261 && bytes[257...].starts(with: "ustar".utf8)
      case .sqlite, .zip, .avro, .orc, .arrow, .pdf, .bzip2, .xz, .sevenZip, .lz4,
        .picture, .document, .program, .utf16:
        kind.beginnings.contains { bytes.starts(with: $0) }
      }
    }
    guard let found else { return nil }
    self = found
  }

  /// How many bytes tell the kind.
  static let longestBeginning = 512

  private var beginnings: [[UInt8]] {
    switch self {
    case .sqlite: [Array("SQLite format 3\0".utf8)]
    case .zip: [Array("PK\u{3}\u{4}".utf8), Array("PK\u{5}\u{6}".utf8)]
    case .avro: [Array("Obj\u{1}".utf8)]
    case .orc: [Array("ORC".utf8) + [0x08], Array("ORC".utf8) + [0x0a]]
    case .arrow: [Array("ARROW1".utf8), Array("FEA1".utf8)]
    case .pdf: [Array("%PDF-".utf8)]
    case .bzip2: [Array("BZh9".utf8), Array("BZh1".utf8), Array("BZh6".utf8)]
    case .xz: [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]]
    case .sevenZip: [[0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]]
    case .lz4: [[0x04, 0x22, 0x4d, 0x18]]
    case .picture: [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], Array("GIF8".utf8)]
    case .document: [[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]]
    case .program: [[0x7f, 0x45, 0x4c, 0x46], [0xcf, 0xfa, 0xed, 0xfe]]
    case .utf16: [[0xff, 0xfe], [0xfe, 0xff]]
    case .html, .xml, .archive, .jsonArray: []
    }
  }

  /// What it is, such as "a ZIP archive".
  var title: String {
    switch self {
    case .sqlite: "an SQLite database"
    case .zip: "a ZIP archive, as spreadsheets are"
    case .avro: "Avro"
    case .orc: "ORC"
    case .arrow: "Arrow"
    case .pdf: "PDF"
    case .html: "a page of HTML"
    case .xml: "XML"
    case .bzip2: "compressed with bzip2"
    case .xz: "compressed with xz"
    case .sevenZip: "a 7-Zip archive"
    case .lz4: "compressed with LZ4"
    case .picture: "a picture"
    case .document: "a document of an office program"
    case .program: "a program"
    case .archive: "a tar archive"
    case .jsonArray: "one JSON array"
    case .utf16: "text of UTF-16"
    }
  }

  /// What to do to have the events of it.
  var step: String {
    switch self {
    case .sqlite: "\"engage export\" writes the events of a cache to a file that is read here."
    case .zip, .sevenZip, .archive: "take the files out of it, and give those of \"engage export\"."
    case .bzip2, .xz, .lz4: "decompress it, or compress it with gzip or zstd."
    case .jsonArray: "give an event a line: jq -c '.[]' takes them out of it."
    case .utf16: "save it as UTF-8."
    case .html:
      "if it is an answer of a server, fetch the file again; give one of \"engage export\"."
    case .avro, .orc, .arrow, .pdf, .xml, .picture, .document, .program:
      "give a file of \"engage export\": NDJSON, CSV or Parquet; --as reads a vendor's own."
    }
  }
}
