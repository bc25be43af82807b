import EngagementModel
import Testing

@Suite struct CardFileTests {
  private static let box = Array("\0\0\0\u{18}ftyp".utf8)

  static let images: [(CardFile.Format, [UInt8])] = [
    (.jpeg, [0xff, 0xd8, 0xff, 0xe0]), (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    (.webp, Array("RIFF....WEBPVP8 ....".utf8)),
    (.webp, Array("RIFF....WEBPVP8X....".utf8) + [0x10]),
    (.tiff, [0x49, 0x49, 0x2a, 0, 8]), (.tiff, [0x4d, 0x4d, 0, 0x2a, 8]),
    (.bmp, Array("BM".utf8) + [UInt8](repeating: 0, count: 24)),
    (.heif, box + Array("heic".utf8)), (.heif, box + Array("mif1".utf8)),
    (.avif, box + Array("avif".utf8)),
  ]

  @Test("A32: the format of a still image is read from its bytes", arguments: images)
  func format(format: CardFile.Format, bytes: [UInt8]) throws {
    let file = try CardFile(name: "a.gif", bytes: bytes)
    #expect(file.format == format && file.format.contentType == "image/\(format.rawValue)")
  }

  static let others: [(String, [UInt8])] = [
    ("GIF", Array("GIF89a......".utf8)), ("older GIF", Array("GIF87a......".utf8)),
    ("moving WebP", Array("RIFF....WEBPVP8X....".utf8) + [0x02]),
    ("sequence", box + Array("msf1".utf8)), ("moving AVIF", box + Array("avis".utf8)),
    ("film", box + Array("qt  ".utf8)), ("PDF", Array("%PDF-1.7".utf8)),
    ("SVG", Array("<svg xmlns=''/>".utf8)), ("nothing", []), ("half a PNG", [0x89, 0x50, 0x4e]),
    ("two letters", Array("BM".utf8)),
  ]

  @Test(
    "A32: GIFs, moving images and what is no image are refused by their bytes", arguments: others)
  func refused(what: String, bytes: [UInt8]) {
    let error = #expect(throws: EngagementError.self) {
      try CardFile(name: "photo.jpg", bytes: bytes)
    }
    #expect(error?.code == .invalidArgument && error?.operation == "upload")
  }

  @Test("A32: a file has a name without a folder, and at most 10 MB")
  func limits() throws {
    let start: [UInt8] = [0xff, 0xd8, 0xff]
    for name in ["", "a/b.jpg", "..\\b.jpg", "a\0b"] {
      #expect(throws: EngagementError.self) { try CardFile(name: name, bytes: start) }
    }
    let most = start + [UInt8](repeating: 0, count: CardFile.sizeLimit - 3)
    #expect(try CardFile(name: "a.jpg", bytes: most).bytes.count == 10_485_760)
    #expect(throws: EngagementError.self) { try CardFile(name: "a.jpg", bytes: most + [0]) }
  }

  @Test("A32: a form takes a file for a file input alone, and its value is the name of the file")
  func form() throws {
    var card = Card(ItemID("p", "c"), vendor: "puppet", kind: .classic)
    let rule: JSON = ["rule": "required", "value": true, "message": "Choose one."]
    card.components = [
      Component(
        .fileInput,
        [
          "name": "proof", "contentTypes": ["image/png"], "bucket": "b-1", "rules": [rule],
        ]), Component(.textInput, ["name": "note"]),
    ]
    var form = card.form()
    #expect(form.faults.map(\.message) == ["Choose one."])
    let file = try CardFile(name: "a.jpg", bytes: [0xff, 0xd8, 0xff])
    #expect(throws: EngagementError.self) { try form.choose(file, for: "note") }
    #expect(throws: EngagementError.self) { try form.choose(file, for: "other") }
    try form.choose(file, for: "proof")
    #expect(form.faults.isEmpty && form["proof"] == "a.jpg" && form.files == ["proof": file])
    #expect(form.inputs[0].bucket == "b-1" && form.inputs[0].takes("image/png"))
    #expect(!form.inputs[0].takes("image/jpeg") && form.inputs[1].takes("image/jpeg"))
    form["proof"] = nil
    #expect(form.files.isEmpty && form.faults.count == 1)
  }
}
