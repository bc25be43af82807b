import EngagementKit
import Foundation

/// A test's folder with a secrets file. It is deleted with the test.
final class SecretFolder: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A folder that remains does not affect other tests.
    try? FileManager.default.removeItem(at: folder)
  }

  var path: String { folder.appending(path: "secrets").path }

  func store(wait: Duration = .seconds(5)) throws -> Engagement.FileSecretStore {
    try Engagement.FileSecretStore(path: path, wait: wait)
  }

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

  /// Writes the secrets file with the store's permissions.
  func write(_ bytes: Data) throws {
    try bytes.write(to: URL(filePath: path))
    try setMode(0o600)
  }

  func setMode(_ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Every byte of every file in the folder.
  func everything() throws -> Data {
    try names().reduce(into: Data()) {
      $0.append(try Data(contentsOf: folder.appending(path: $1)))
    }
  }
}
