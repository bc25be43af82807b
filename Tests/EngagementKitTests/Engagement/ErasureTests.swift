import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation
import Testing

@testable import EngagementKit

@Suite("erasure", .timeLimit(.minutes(20))) struct ErasureTests {
  private static let nobody = { @Sendable (error: any Error) in
    (error as? EngagementError)?.code == .notFound
  }

  @Test("G14: an erasure removes set-aside caches, also if the user is in no other file")
  func copies() async throws {
    let place = Stage.Place()
    let stage = try await Stage([PuppetAdapter("braze")], at: place)
    let copy = place.path + ".corrupt-20261124T120000Z"
    for suffix in ["", "-wal"] { try Data("of u-9".utf8).write(to: URL(filePath: copy + suffix)) }
    #expect(try await !stage.engagement.eraseData(of: "u-9").isKnown)
    #expect(!FileManager.default.fileExists(atPath: copy))
    #expect(!FileManager.default.fileExists(atPath: copy + "-wal"))
    await #expect {
      try await stage.engagement.eraseData(of: "u-9")
    } throws: {
      Self.nobody($0)
    }
    try await stage.end()
  }

  @Test("G14: an erasure removes the log of a set-aside cache that is gone itself")
  func strayLog() async throws {
    let place = Stage.Place()
    let stage = try await Stage([PuppetAdapter("braze")], at: place)
    let log = place.path + ".corrupt-20261124T120000Z-wal"
    try Data("of u-9".utf8).write(to: URL(filePath: log))
    #expect(try await !stage.engagement.eraseData(of: "u-9").isKnown)
    #expect(!FileManager.default.fileExists(atPath: log))
    try await stage.end()
  }

  @Test(
    "G14: a set-aside cache that cannot be removed fails the erasure by name",
    .enabled(if: BusyFile.isPermitted))
  func keptCopy() async throws {
    let place = Stage.Place()
    let stage = try await Stage([PuppetAdapter("braze")], at: place)
    try await stage.signIn("u-1", consent: .full)
    let name = ".corrupt-20261124T120000Z"
    let busy = try BusyFile(at: place.path + name)
    for _ in 0..<2 {
      let error = await failure { _ = try await stage.engagement.eraseData(of: "u-1") }
      #expect(error?.code == .storage)
      #expect(error?.message.contains(name) == true)
    }
    busy.release()
    #expect(try await !stage.engagement.eraseData(of: "u-1").isKnown, "it ends the first two")
    #expect(!FileManager.default.fileExists(atPath: place.path + name))
    try await stage.end()
  }

  @Test("G14: an erasure that failed is completed by the next one, which says so")
  func repeated() async throws {
    let place = Stage.Place()
    let stage = try await Stage([PuppetAdapter("braze")], at: place)
    try await stage.signIn("u-1", consent: .full)
    _ = try await stage.engagement.dependencies.store.beginErasure()
    let partition = try await stage.engagement.dependencies.store.partition(
      of: "u-1", at: stage.clock.now)
    _ = try await stage.engagement.dependencies.store.erase(partition, at: stage.clock.now)
    try await stage.end()
    // The process was killed here.
    let next = try await Stage([PuppetAdapter("braze")], at: place)
    #expect(try await !next.engagement.eraseData(of: "u-1").isKnown)
    await #expect {
      try await next.engagement.eraseData(of: "u-1")
    } throws: {
      Self.nobody($0)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("erasing") })
    try await next.end()
  }
}

/// A file that cannot be removed while another is mounted over it. Only a privileged process may
/// mount.
private struct BusyFile {
  private let path: String

  static let isPermitted: Bool = {
    let place = FileManager.default.temporaryDirectory.appending(path: "busy-\(UUID())").path
    guard let file = try? BusyFile(at: place) else { return false }
    file.release()
    unlink(place)
    return true
  }()

  init(at path: String) throws {
    try Data("of u-1".utf8).write(to: URL(filePath: path))
    self.path = path
    guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else {
      unlink(path)
      throw EngagementError(.permissionDenied, "no mount: errno \(errno)")
    }
  }

  func release() { umount2(path, Int32(MNT_DETACH)) }
}
