import EngagementCurl
import EngagementEmulator
import Testing

@testable import EngageCommands

@Suite struct InspectPushTests {
  private func inspect(_ payload: String) async throws -> CommandLineFixture.Ending {
    await (try CommandLineFixture()).engage(
      "push", "inspect", "-", "--json", in: .init(input: payload))
  }

  @Test(
    "X16: push inspect names one owner of a push even if it resembles another vendor's",
    arguments: [
      (#"{"ab": {"c": "x"}, "aps": {"alert": "B"}, "message_uid": "1"}"#, "braze"),
      (#"{"_ab": "true", "a": "B", "message_uid": "1"}"#, "braze"),
      (#"{"message_uid": "1", "aps": {"alert": "B"}}"#, "vibes"),
      (#"{"message_uid": "1", "wzrk_id": "1", "aps": {"alert": "B"}}"#, "clevertap"),
    ])
  func owner(payload: String, vendor: String) async throws {
    let ending = try await inspect(payload)
    #expect(ending.status == .done && ending.lines.count == 1)
    #expect(ending.output.contains(#""vendor":"\#(vendor)""#))
    #expect(ending.output.contains(#""body":"B""#))
  }

  @Test(
    "X16: a push of an unsupported or unknown vendor prints only a note on standard error",
    arguments: [
      (#"{"message_uid": "1", "itbl": {}}"#, "The payload is Iterable's.\n"),
      (
        #"{"aps": {"alert": "B"}}"#,
        "The payload is no push of a vendor that this version knows.\n"
      ),
    ])
  func others(payload: String, note: String) async throws {
    let ending = try await inspect(payload)
    #expect(ending == CommandLineFixture.Ending(status: .done, output: "", errors: note))
  }

  @Test("X15 X16: push inspect says that pushes have moved away from the payload's owner")
  func superseded() async throws {
    let scene = try await CommandScene()
    let payload = #"{"ab": {"c": "x"}, "aps": {"alert": "B"}}"#
    func inspect() async -> CommandLineFixture.Ending {
      await scene.stage.engage(
        "push", "inspect", "-", "--json", by: CurlTransport(), in: .init(input: payload))
    }
    await scene.engage("sync")
    await scene.engage("migrate", "plan", "--from", "braze", "--to", "vibes", "--surfaces", "push")
    let before = await inspect()
    #expect(before.status == .done && !before.output.contains("isSuperseded"), "\(before.errors)")
    for _ in 0..<4 {
      await scene.engage("migrate", "advance", "push", "--force", "--why", "a test")
    }
    let after = await inspect()
    #expect(after.output.contains(#""isSuperseded":true"#))
    #expect(after.errors.contains("Pushes have moved from braze to vibes"), "\(after.errors)")
    await scene.emulator.stop()
  }

  @Test("push inspect fails if the payload is not valid JSON")
  func spoilt() async throws {
    for payload in ["", "{", #"{"ab": {}, "ab": {}}"#] {
      let ending = try await inspect(payload)
      #expect(ending.status == .failed && ending.output.isEmpty && !ending.errors.isEmpty)
    }
  }
}
