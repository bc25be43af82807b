import EngagementFormats
import EngagementModel
import Testing

@Suite struct ContentKeyTests {
  private static func card(_ change: (inout Card) -> Void) -> Card {
    var card = Card(ItemID("braze", "c"), vendor: "braze", kind: .classic)
    change(&card)
    return card
  }

  private static func message(_ change: (inout InboxMessage) -> Void) -> InboxMessage {
    var message = InboxMessage(ItemID("vibes", "m"), vendor: "vibes")
    change(&message)
    return message
  }

  /// The first 128 bits of the digest of the text.
  private func prefix(_ text: String) -> [UInt8] { Array(SHA256.digest(of: text).bytes.prefix(16)) }

  @Test("X4: a key comes from an extra, custom data, a campaign or a fingerprint")
  func sources() throws {
    let card = Self.card {
      $0.extras = ["sku": "k-1"]
      $0.metadata = ["sku": "other", "code": "k-2"]
      $0.campaignID = "k-3"
      ($0.title, $0.text, $0.imageURLText, $0.urlText) = ("T", "Ä", nil, "https://x.example")
    }
    #expect(try ContentKeySource.extra("sku").key(of: card).bytes == prefix("key\0k-1"))
    #expect(try ContentKeySource.extra("code").key(of: card).bytes == prefix("key\0k-2"))
    #expect(try ContentKeySource.campaign.key(of: card).bytes == prefix("key\0k-3"))
    let print = "print\u{0}1\0T\u{0}2\0Ä\u{0}0\0\u{0}17\0https://x.example"
    #expect(try ContentKeySource.fingerprint.key(of: card).bytes == prefix(print))
    let message = Self.message {
      $0.custom = ["sku": "k-1"]
      $0.campaignID = "k-3"
    }
    #expect(try ContentKeySource.extra("sku").key(of: message).bytes == prefix("key\0k-1"))
    #expect(try ContentKeySource.campaign.key(of: message).bytes == prefix("key\0k-3"))
  }

  @Test(
    "X4: a key that is no text, empty or longer than a thousand bytes is none, with its reason",
    arguments: [
      (nil, .missing), (.null, .missing), (7, .noText), (true, .noText), (["a"], .noText),
      (["a": "b"], .noText), ("", .empty), (.string(text(1_001)), .tooLong),
      // 501 letters of two bytes.
      (.string(String(repeating: "é", count: 501)), .tooLong),
    ] as [(JSON?, ContentKey.Absence)])
  func absent(value: JSON?, absence: ContentKey.Absence) {
    let source = ContentKeySource.extra("sku")
    #expect(throws: absence) { try source.key(of: Self.card { $0.extras["sku"] = value }) }
    #expect(throws: absence) { try source.key(of: Self.message { $0.custom["sku"] = value }) }
  }

  @Test("X4: the longest key is a thousand bytes", arguments: [1, 999, 1_000])
  func longest(length: Int) throws {
    let card = Self.card { $0.campaignID = text(length) }
    #expect(try ContentKeySource.campaign.key(of: card).bytes == prefix("key\0\(text(length))"))
  }

  @Test("X4: an item without a campaign or anything to see has no key")
  func nothing() {
    for source in [ContentKeySource.campaign, .fingerprint] {
      #expect(throws: ContentKey.Absence.missing) { try source.key(of: Self.card { _ in }) }
      #expect(throws: ContentKey.Absence.missing) { try source.key(of: Self.message { _ in }) }
    }
    #expect(throws: ContentKey.Absence.empty) {
      try ContentKeySource.campaign.key(of: Self.card { $0.campaignID = "" })
    }
  }

  @Test("X4: a card and a message with the same text have the same key")
  func surfaces() throws {
    let card = Self.card {
      ($0.title, $0.text, $0.imageURLText, $0.urlText) = ("T", "x", "https://i", "https://u")
    }
    var message = Self.message {
      ($0.subject, $0.text) = ("T", "x")
      ($0.imageURLText, $0.detailURLText) = ("https://i", "https://u")
    }
    let source = ContentKeySource.fingerprint
    #expect(try source.key(of: card) == source.key(of: message))
    message.detailURLText = "https://v"
    #expect(try source.key(of: card) != source.key(of: message))
    // A part that moves to another field is another content.
    let moved = Self.card { ($0.title, $0.text) = ("Tx", "") }
    let other = Self.card { ($0.title, $0.text) = ("T", "x") }
    #expect(try source.key(of: moved) != source.key(of: other))
  }

  @Test("X4: a fingerprint is no key of the same text")
  func domains() throws {
    let print = "1\0T\u{0}0\0\u{0}0\0\u{0}0\0"
    let fingerprint = try ContentKeySource.fingerprint.key(of: Self.card { $0.title = "T" })
    let key = try ContentKeySource.campaign.key(of: Self.card { $0.campaignID = print })
    #expect(fingerprint.bytes == prefix("print\0" + print))
    #expect(key != fingerprint)
    let item = ContentKey(of: ItemID("p", "x"), on: .cards)
    #expect(item.bytes == prefix("item\u{0}1\0p\u{0}5\0cards\u{0}1\0x"))
    #expect(item != ContentKey(of: ItemID("p", "x"), on: .inbox))
    #expect(item != ContentKey(of: ItemID("px", ""), on: .cards))
  }

  @Test("X4: a key is 16 bytes in the cache, and comes back from them")
  func stored() throws {
    let key = try ContentKeySource.campaign.key(of: Self.card { $0.campaignID = "k" })
    #expect(key.bytes.count == 16)
    #expect(ContentKey(bytes: key.bytes) == key)
    for count in [0, 15, 17] {
      #expect(ContentKey(bytes: Array(repeating: 1, count: count)) == nil)
    }
  }
}

private func text(_ length: Int) -> String { String(repeating: "k", count: length) }
