import EngagementEmulator
import EngagementModel
import EngagementVendors
import Foundation
import Testing

/// Files of the emulated Atomic's cards.
@Suite(.timeLimit(.minutes(20))) struct AtomicFileTests {
  private static let id = "7d0a1b66-0000-4000-8000-000000000009"
  private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0, 7]
  private static let card = Stand.card(
    "1",
    [
      "defaultView": [
        "nodes": [
          [
            "type": "form", "attributes": [:],
            "children": [
              ["type": "fileUpload", "attributes": ["key": "proof"]],
              ["type": "submitButton", "attributes": ["text": "Send"]],
            ],
          ]
        ]
      ]
    ])

  private func put(
    _ phone: AtomicPhone, _ bytes: [UInt8] = jpeg, as type: String = "image/jpeg",
    id: String = id, card: String = "1", name: String = "a.jpg"
  ) throws -> RawAnswer {
    let query = "streamContainerId=BqWL1sT&cardInstanceId=\(card)&filename=\(name)&bucketId=b"
    var request = phone.request("PUT", "upload/\(id)?\(query)")
    request.headers = request.headers.map { $0.0 == "Content-Type" ? ($0.0, type) : $0 }
    request.body = bytes
    return try request.send(to: phone.stand.atomic)
  }

  @Test("A32: a file counts once, and a response may name it afterwards")
  func taken() async throws {
    try await Stand.runAtomic(cards: [Self.card]) { stand async throws in
      let phone = AtomicPhone(stand)
      let response: JSON = ["values": ["proof": .string(Self.id)]]
      #expect(try phone.act("response", "1", response).status == 400, "there is no such file")
      for _ in 0..<2 { #expect(try put(phone).json == ["ok": true]) }
      #expect(await stand.emulator.times("file", of: "a.jpg", by: "user_123") == 1)
      #expect(try put(phone, Self.jpeg + [8]).status == 409, "another file has the id")
      #expect(try AtomicPhone(stand, user: "other").act("response", "1", response).status == 400)
      #expect(try phone.act("response", "1", response).json == ["ok": true])
      #expect(await stand.emulator.times("card-completed", of: "1") == 1)
    }
  }

  @Test("A32: what is no JPEG or PNG, has no card or no name, is refused")
  func refused() async throws {
    try await Stand.runAtomic(cards: [Self.card]) { stand async throws in
      let phone = AtomicPhone(stand)
      #expect(try put(phone, Array("GIF89a".utf8), as: "image/gif").status == 400)
      #expect(try put(phone, Array("GIF89a".utf8)).status == 415)
      #expect(try put(phone, Self.jpeg, as: "image/png").status == 415)
      #expect(try put(phone, id: "no-uuid").status == 400)
      #expect(try put(phone, card: "2").status == 404)
      #expect(try put(phone, name: "").status == 400)
      #expect(await stand.emulator.effects().isEmpty)
    }
  }

  @Test("A32: a file of several megabytes is taken, and one of more than ten is not")
  func large() async throws {
    try await Stand.runAtomic(cards: [Self.card]) { stand async throws in
      let phone = AtomicPhone(stand)
      let most = Self.jpeg + [UInt8](repeating: 1, count: (10 << 20) - Self.jpeg.count)
      #expect(try put(phone, most).json == ["ok": true])
      #expect(try put(phone, most + [1]).status == 413)
    }
  }
}
