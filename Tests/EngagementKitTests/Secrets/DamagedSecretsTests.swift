import EngagementFormats
import EngagementModel
import EngagementTesting
import Foundation
import TestSupport
import Testing

@testable import EngagementKit

private let device = Engagement.SecretOwner(environment: "production", provider: "vibes", user: nil)

/// The error code of a read; nil for success.
private func code(reading store: Engagement.FileSecretStore) async -> EngagementError.Code? {
  do {
    _ = try await store.secrets(of: device)
    return nil
  } catch {
    return error.code
  }
}

@Suite struct DamagedSecretsTests {
  // The suite holds the folder, so that it outlives the store.
  private let folder: SecretFolder

  init() throws { folder = try SecretFolder() }

  @Test(
    "G8: an invalid secrets file is set aside, and the store goes on empty",
    arguments: [
      "", " ", "{}", "[]", "null", "hello", #"{"schema":1}"#, #"{"schema":"1"}"#,
      #"{"schema":0,"owners":[]}"#, #"{"schema":-1}"#, #"{"schema":1,"digest":"","owners":[]}"#,
      #"{"schema":1,"schema":2}"#, #"{"schema":2,"vault":"elsewhere"}"#,
      #"{"schema":9,"digest":"00","owners":[]}"#,
    ])
  func notOurs(text: String) async throws {
    try folder.write(Data(text.utf8))
    let told = Locked<[String]>([])
    let store = try Engagement.FileSecretStore(path: folder.path) { path in
      told.withLock { $0.append(path) }
    }
    #expect(try await store.secrets(of: device).isEmpty)
    #expect(told.withLock { $0 } == ["\(folder.path).damaged"])
    #expect(try Data(contentsOf: URL(filePath: "\(folder.path).damaged")) == Data(text.utf8))
    try await store.set(["token": Secret("t")], of: device)
    #expect(try await folder.store().secrets(of: device) == ["token": Secret("t")])
    #expect(told.withLock { $0.count } == 1)
    try await store.removeAll(of: "u-1", in: "p")
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path).damaged"), "G14")
  }

  @Test("G10: a secrets file of a newer version is refused and left unchanged")
  func newer() async throws {
    let digest = SHA256.digest(of: #"{"schema":2,"vault":"elsewhere"}"#)
    let bytes = Data(#"{"schema":2,"digest":"\#(digest)","vault":"elsewhere"}"#.utf8)
    try folder.write(bytes)
    let store = try folder.store()
    #expect(await code(reading: store) == .newerSchema)
    await #expect(throws: EngagementError.self) { try await store.removeAll(of: "u", in: "p") }
    #expect(try folder.bytes() == bytes)
  }

  @Test("G8: a flipped bit at any position never keeps the store from opening or changes a secret")
  func flips() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("abc")], of: device)
    let bytes = try folder.bytes()
    let number = try #require(bytes.range(of: Data(#""schema":1"#.utf8))).upperBound - 1
    for bit in Effort.some(of: Array(0..<(bytes.count * 8))) + (0..<8).map({ number * 8 + $0 }) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try folder.write(damaged)
      let secrets = try await store.secrets(of: device)
      #expect(secrets.isEmpty || secrets == ["token": Secret("abc")], "bit \(bit)")
    }
    // A higher number with this schema's digest is this schema's.
    var higher = bytes
    higher[number] = UInt8(ascii: "3")
    try folder.write(higher)
    #expect(try await store.secrets(of: device) == ["token": Secret("abc")])
    try folder.write(bytes)
    #expect(try await store.secrets(of: device) == ["token": Secret("abc")])
    // With another bit of the file, it is nobody's.
    higher[try #require(bytes.range(of: Data("abc".utf8))).lowerBound] ^= 1
    try folder.write(higher)
    #expect(try await store.secrets(of: device).isEmpty)
  }

  @Test("a file truncated to any length is detected")
  func cuts() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("abc")], of: device)
    let bytes = try folder.bytes()
    for count in 0..<bytes.count {
      try folder.write(bytes.prefix(count))
      #expect(try await store.secrets(of: device).isEmpty, "\(count) bytes")
    }
  }
}
