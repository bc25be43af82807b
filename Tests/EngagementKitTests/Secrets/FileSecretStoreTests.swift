import EngagementKit
import EngagementModel
import Foundation
import TestSupport
import Testing

private let device = Engagement.SecretOwner(environment: "production", provider: "vibes", user: nil)
private let person = Engagement.SecretOwner(
  environment: "production", provider: "vibes", user: "u-1")

private func failure(of body: () async throws -> Void) async -> EngagementError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? EngagementError
  }
}

@Suite struct FileSecretStoreTests {
  // The suite holds the folder, so that it outlives the store.
  private let folder: SecretFolder

  init() throws { folder = try SecretFolder() }

  @Test("G16: the store gives only the owner access to its file and folder")
  func modes() async throws {
    let path = folder.folder.appending(path: "new/secrets").path
    let store = try Engagement.FileSecretStore(path: path)
    try await store.set(["token": Secret("t")], of: device)
    #expect(try folder.mode(of: folder.folder.appending(path: "new").path) == 0o700)
    #expect(try folder.mode(of: path) == 0o600)
    #expect(try folder.mode(of: path + ".lock") == 0o600)
  }

  @Test("a stored secret is read back byte for byte by a new store")
  func reopening() async throws {
    let texts = [
      "", "t", "\u{1f600}\u{202e}", "a\"b\\c\nd\u{1}", String(repeating: "x", count: 99_999),
    ]
    for (index, text) in texts.enumerated() {
      try await folder.store().set(["\(index)": Secret(text)], of: device)
    }
    let kept = try await folder.store().secrets(of: device)
    #expect(kept.count == texts.count)
    for (index, text) in texts.enumerated() { #expect(kept["\(index)"] == Secret(text)) }
  }

  @Test("G11 G16: a store that knows the file sees each change of it at once, also of its mode")
  func known() async throws {
    let (store, other) = (try folder.store(), try folder.store())
    try await store.set(["token": Secret("first")], of: device)
    // A file that was just written is read each time; it is known when it is older.
    try await Task.sleep(for: .milliseconds(3_100))
    for _ in 0..<2 { #expect(try await store.secrets(of: device) == ["token": Secret("first")]) }
    for text in ["other", "third"] {
      try await other.set(["token": Secret(text)], of: device)
      #expect(try await store.secrets(of: device) == ["token": Secret(text)])
    }
    try await Task.sleep(for: .milliseconds(3_100))
    #expect(try await store.secrets(of: device) == ["token": Secret("third")])
    try folder.setMode(0o644)
    #expect(await failure { _ = try await store.secrets(of: device) }?.code == .unreadable)
    try folder.setMode(0o600)
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(try await store.secrets(of: device).isEmpty)
  }

  @Test("the file's bytes do not depend on the order in which secrets are stored")
  func sameBytes() async throws {
    let (first, second) = (try folder.store(), try SecretFolder())
    let other = try second.store()
    for owner in [device, person] {
      try await first.set(["a": Secret("1")], of: owner)
      try await first.set(["b": Secret("2")], of: owner)
    }
    for owner in [person, device] {
      try await other.set(["b": Secret("2"), "a": Secret("1")], of: owner)
    }
    #expect(try folder.bytes() == second.bytes())
  }

  @Test(
    "G14: removing a secret erases it from every file of the folder and deletes temporary files")
  func forgetting() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("canary-1")], of: person)
    // The temporary file of a process that was killed while it wrote.
    try Data("canary-1".utf8).write(to: URL(filePath: folder.path + ".next"))
    try await store.set(["token": Secret("canary-2")], of: person)
    #expect(try folder.everything().range(of: Data("canary-1".utf8)) == nil)
    try Data("canary-2".utf8).write(to: URL(filePath: folder.path + ".next"))
    try await store.removeAll(of: "u-1", in: "production")
    #expect(try folder.everything().range(of: Data("canary".utf8)) == nil)
    #expect(try folder.names() == ["secrets", "secrets.lock"])
  }

  @Test("G14: the store overwrites the bytes of a replaced file")
  func overwriting() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("canary")], of: person)
    let link = folder.folder.appending(path: "link")
    try FileManager.default.linkItem(at: URL(filePath: folder.path), to: link)
    try await store.set(["token": nil], of: person)
    #expect(try Data(contentsOf: link).allSatisfy { $0 == 0 })
  }

  @Test(
    "a file that others can access is refused, and the error names the next step",
    arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o666])
  func openMode(mode: Int) async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("t")], of: device)
    try folder.setMode(mode)
    let bytes = try folder.bytes()
    for error in [
      await failure { _ = try await store.secrets(of: device) },
      await failure { try await store.set(["token": Secret("u")], of: device) },
    ] {
      #expect(error?.code == .unreadable)
      #expect(error?.message.contains("chmod 600") == true)
    }
    #expect(try folder.bytes() == bytes)
    try folder.setMode(0o600)
    #expect(try await store.secrets(of: device) == ["token": Secret("t")])
  }

  @Test("a world-writable folder is refused unless it has the sticky bit")
  func openFolder() async throws {
    let store = try folder.store()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: folder.folder.path)
    #expect(await failure { _ = try await store.secrets(of: device) }?.code == .unreadable)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o1777], ofItemAtPath: folder.folder.path)
    #expect(try await store.secrets(of: device).isEmpty)
  }

  @Test(
    "a link, a folder, a pipe or a huge file in the place of the secrets is set aside, not followed",
    arguments: ["link", "dangling", "folder", "pipe", "huge"])
  func noPlainFile(kind: String) async throws {
    let target = folder.folder.appending(path: "target").path
    switch kind {
    case "link":
      try Data("{}".utf8).write(to: URL(filePath: target))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path, withDestinationPath: target)
    case "dangling":
      try FileManager.default.createSymbolicLink(
        atPath: folder.path, withDestinationPath: target)
    case "folder":
      try FileManager.default.createDirectory(
        atPath: folder.path, withIntermediateDirectories: false)
    case "huge":
      try Data().write(to: URL(filePath: folder.path))
      #expect(truncate(folder.path, 5 << 30) == 0)
    default: #expect(mkfifo(folder.path, 0o600) == 0)
    }
    let store = try folder.store()
    #expect(try await store.secrets(of: device).isEmpty)
    try await store.set(["token": Secret("t")], of: device)
    #expect(try await store.secrets(of: device) == ["token": Secret("t")])
    #expect(kind != "link" || (try? Data(contentsOf: URL(filePath: target))) == Data("{}".utf8))
    #expect(kind != "dangling" || !FileManager.default.fileExists(atPath: target))
    #expect(try !folder.names().contains("secrets.next"))
  }

  @Test(
    "a file owned by another user is refused",
    .enabled(if: geteuid() == 0, "only root can make one"))
  func foreign() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("t")], of: device)
    #expect(chown(folder.path, 12_345, 12_345) == 0)
    #expect(await failure { _ = try await store.secrets(of: device) }?.code == .unreadable)
  }

  @Test("an unwritable or invalid path gives an error")
  func noPlace() async throws {
    let store = try Engagement.FileSecretStore(path: "/proc/secrets")
    let error = await failure { try await store.set(["token": Secret("t")], of: device) }
    #expect(error?.code == .unreadable)
    #expect(throws: EngagementError.self) { _ = try Engagement.FileSecretStore(path: "") }
    #expect(throws: EngagementError.self) { _ = try Engagement.FileSecretStore(path: "a\0b") }
  }

  @Test("a secret over the size limit is refused before the file is written")
  func tooLarge() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("t")], of: device)
    let bytes = try folder.bytes()
    let huge = Secret(String(repeating: "x", count: 5 << 20))
    let error = await failure { try await store.set(["huge": huge], of: device) }
    #expect(error?.code == .invalidArgument)
    #expect(try folder.bytes() == bytes)
  }

  @Test(
    "G11: the store waits for another process's lock, then fails with busy",
    .timeLimit(.minutes(20)))
  func otherProcess() async throws {
    let store = try folder.store(wait: .milliseconds(20))
    try await store.set(["token": Secret("t")], of: device)
    let holder = try ChildProcess(
      "/usr/bin/flock",
      ["-x", "--no-fork", folder.path + ".lock", "sh", "-c", "echo held; exec cat"],
      input: .pipe, output: .pipe)
    #expect(try holder.line() == "held")
    #expect(await failure { _ = try await store.secrets(of: device) }?.code == .busy)
    holder.kill()
    #expect(try await store.secrets(of: device) == ["token": Secret("t")])
  }

  @Test("two stores on one file see each other's secrets and lose none")
  func twoStores() async throws {
    let stores = [try folder.store(), try folder.store()]
    await withTaskGroup { group in
      for (index, store) in stores.enumerated() {
        group.addTask {
          for step in 0..<25 {
            await #expect(throws: Never.self) {
              try await store.set(["\(index)-\(step)": Secret("t")], of: device)
            }
          }
        }
      }
    }
    #expect(try await stores[0].secrets(of: device).count == 50)
    #expect(try await stores[0].secrets(of: device) == stores[1].secrets(of: device))
  }

  @Test("G16: an error contains no secret, key, user or path")
  func errorsTellNothing() async throws {
    let store = try folder.store()
    try await store.set(["token": Secret("canary")], of: person)
    try folder.setMode(0o644)
    let error = try #require(await failure { _ = try await store.secrets(of: device) })
    for text in ["canary", "token", "u-1", folder.path] {
      #expect(!error.description.contains(text))
    }
  }
}
