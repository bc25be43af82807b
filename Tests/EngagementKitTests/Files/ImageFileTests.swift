import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

@Suite("images that the application asks for") struct ImageFileTests {
  private static let address = "https://images.example/a.png"
  /// The first bytes of a PNG, and a few more.
  private static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]

  private func stage(
    hosts: [String] = ["images.example"], at place: Stage.Place? = nil
  ) async throws -> Stage {
    let transport = ScriptedTransport { _ in
      var response = HTTPResponse(200, body: Self.png)
      try? response.headers.append("Content-Type", "image/png")
      return response
    }
    return try await Stage(
      [Provider("braze", PuppetAdapter("braze"))], imageHosts: hosts, at: place, transport)
  }

  @Test("C8: an image is fetched once without a credential, and is there after a restart")
  func kept() async throws {
    let place = Stage.Place()
    let first = try await stage(at: place)
    try await first.signIn("u-1")
    let path = try await first.engagement.imageFile(at: Self.address)
    #expect(try Stage.bytes(at: path) == Self.png)
    #expect(try await first.engagement.imageFile(at: Self.address) == path)
    #expect(first.transport.requests.map(\.url) == [Self.address])
    #expect(first.transport.requests[0].headers.contains("Authorization") == false)
    try await first.end()
    let second = try await stage(at: place)
    #expect(try await second.engagement.imageFile(at: Self.address) == path)
    #expect(second.transport.requests.isEmpty)
    try await second.end()
  }

  @Test("C8: an image comes from a named host alone", arguments: [[], ["*.images.example"]])
  func hosts(_ hosts: [String]) async throws {
    let stage = try await stage(hosts: hosts)
    let error = await failure { _ = try await stage.engagement.imageFile(at: Self.address) }
    #expect(error?.code == .permissionDenied)
    #expect(stage.transport.requests.isEmpty)
    try await stage.end()
  }

  @Test("C8 X21: an erasure removes the images of its user and no other's")
  func erased() async throws {
    let place = Stage.Place()
    let stage = try await stage(at: place)
    try await stage.signIn("u-1")
    _ = try await stage.engagement.imageFile(at: Self.address)
    try await stage.signIn("u-2")
    let path = try await stage.engagement.imageFile(at: Self.address)
    _ = try await stage.engagement.eraseData(of: "u-1")
    #expect(try Stage.bytes(at: path) == Self.png)
    _ = try await stage.engagement.eraseData(of: "u-2")
    #expect(throws: (any Error).self) { try Stage.bytes(at: path) }
    try await stage.end()
  }

  @Test("C8 G14: an erasure removes images of hosts that are not allowed any more")
  func erasedLater() async throws {
    let place = Stage.Place()
    let first = try await stage(at: place)
    try await first.signIn("u-1")
    let path = try await first.engagement.imageFile(at: Self.address)
    try await first.end()
    let second = try await stage(hosts: [], at: place)
    _ = try await second.engagement.eraseData(of: "u-1")
    #expect(throws: (any Error).self) { try Stage.bytes(at: path) }
    try await second.end()
  }

  @Test("C8: images that nobody asked for in two weeks are removed")
  func old() async throws {
    let place = Stage.Place()
    let stage = try await stage(at: place)
    let path = try await stage.engagement.imageFile(at: Self.address)
    stage.clock.advance(by: .seconds(15 * 86_400))
    for number in 0..<16 {
      _ = try await stage.engagement.imageFile(at: "https://images.example/\(number).png")
    }
    // The contents stay as long as another address has them.
    #expect(try Stage.bytes(at: path) == Self.png)
    #expect(stage.lines.all.contains { $0.message.contains("1 were old") })
    try await stage.end()
  }

  @Test("C8: a host of images that is none is refused by name when the engagement is opened")
  func badHost() async throws {
    let error = await failure { try await stage(hosts: ["https://images.example/"]) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("options.imageHosts") == true)
  }
}
