import EngagementModel
import Foundation
import Testing

@testable import EngagementKit

@Suite("erasure", .timeLimit(.minutes(20))) struct ErasureTests {
  @Test("G14: an erasure removes set-aside caches, also if the user is in no other file")
  func copies() async throws {
    let place = Stage.Place()
    let stage = try await Stage([PuppetAdapter("braze")], at: place)
    let copy = place.path + ".corrupt-20261124T120000Z"
    for suffix in ["", "-wal"] { try Data("of u-9".utf8).write(to: URL(filePath: copy + suffix)) }
    _ = try await stage.engagement.eraseData(of: "u-9")
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(!FileManager.default.fileExists(atPath: copy + "-wal"))
    await #expect {
      try await stage.engagement.eraseData(of: "u-9")
    } throws: { ($0 as? EngagementError)?.code == .notFound }
    try await stage.end()
  }
}
