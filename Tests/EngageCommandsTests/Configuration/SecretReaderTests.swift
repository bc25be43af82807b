import EngagementKit
import EngagementModel
import EngagementVendors
import EngagementVibes
import Foundation
import Testing

@testable import EngageCommands

@Suite struct SecretReaderTests {
  private func error(_ text: String, mode: Int) async throws -> String {
    let stage = try CommandLineFixture()
    try stage.write(text, to: "key", mode: mode)
    try stage.write(
      """
      {"providers": {"braze": {"vendor": "braze", "endpoint": "https://a.example",
       "apiKey": {"file": "key"}}}}
      """, to: "engage.json")
    let ending = await stage.engage("providers")
    #expect(ending.status == .failed)
    #expect(!ending.errors.contains("canary"))
    return ending.errors
  }

  @Test(
    "G16: a secret file that other users can read is refused", arguments: [0o640, 0o604, 0o644])
  func readableByOthers(mode: Int) async throws {
    #expect(
      try await error("canary", mode: mode).contains(
        "providers.braze.apiKey.file leads to a file that others can read; run chmod 600 on it"))
  }

  @Test(
    "an unusable secret file is refused, and the error prints nothing of its content",
    arguments: [
      ("", "nothing in it"), ("\n", "nothing in it"), ("canary\ncanary", "more than one line"),
      ("canary\u{1}", "more than one line"),
      (String(repeating: "canary", count: 20_000), "it is too long"),
    ])
  func unusable(text: String, reason: String) async throws {
    #expect(try await error(text, mode: 0o600).contains(reason))
  }
}
