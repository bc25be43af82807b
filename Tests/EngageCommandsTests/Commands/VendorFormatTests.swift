import EngagementEmulator
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// `engage import --as` and `engage export --as`: the formats in which vendors export events.
@Suite(.timeLimit(.minutes(20))) struct VendorFormatTests {
  private static func click(_ id: Int, _ user: String = "ada") -> String {
    #"{"event_type":"users.messages.contentcard.Click","id":"\#(id)","time":1790845200,"#
      + #""user":{"external_user_id":"\#(user)"},"properties":{"content_card_id":"c-1"}}"# + "\n"
  }

  private static func objects(_ text: String) throws -> [JSON] {
    try text.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
  }

  @Test("X14: a vendor's events are collected, and its bad lines are told by their numbers")
  func imports() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.click(1) + "nonsense\n{}\n" + Self.click(2), to: "currents.ndjson")
    let ending = await stage.engage(
      "import", "--as", "braze-currents", "currents.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed)
    #expect(
      ending.errors
        == "currents.ndjson:2: It is no JSON object.\ncurrents.ndjson:3: It has no event_type.\n")
    #expect(ending.output == "2 events added to all.ndjson, 2 lines bad\n")
    try stage.write(
      #"{"ts":20261001090000,"eventName":"Notification Viewed","profile":{"identity":"ada"}}"#
        + "\n",
      to: "clevertap.json")
    let other = await stage.engage(
      "import", "--as", "clevertap-export", "clevertap.json", "--into", "all.ndjson")
    #expect(other.output == "1 event added to all.ndjson\n")
    let again = await stage.engage(
      "import", "--as", "clevertap-export", "clevertap.json", "--into", "all.ndjson")
    #expect(again.output == "0 events added to all.ndjson, 1 known already\n")
    let text = try String(contentsOf: stage.folder.appending(path: "all.ndjson"), encoding: .utf8)
    #expect(
      try Self.objects(text).map { $0["type"]?.string } == [
        "engage.card.click", "engage.card.click", "engage.impression",
      ])
  }

  @Test("X14: users of a vendor's events are hashed and fields left out where that is asked for")
  func hides() async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.click(1), to: "currents.ndjson")
    try stage.write("orchard", to: "key")
    let line = ["import", "--as", "braze-currents", "currents.ndjson", "--user-hash-key", "key"]
    let ending = await stage.run(line + ["--redact", "subject", "--into", "all.ndjson"])
    #expect(ending.output == "1 event added to all.ndjson\n", "\(ending)")
    let text = try String(contentsOf: stage.folder.appending(path: "all.ndjson"), encoding: .utf8)
    // printf ada | openssl dgst -sha256 -hmac orchard
    let hash = "6446ce9a240f4f6048f9bb7005b05fc222d46cd05ca4cd1d1e733b00aafedfb6"
    #expect(try Self.objects(text).first?["userid"]?.string == hash)
    #expect(!text.contains("\"ada\"") && !text.contains("c-1"))
    let ours = await stage.engage(
      "import", "all.ndjson", "--user-hash-key", "key", "--into", "other.ndjson")
    #expect(ours.status == .usage && ours.errors.contains("add --as"))
  }

  @Test("X12: events of two vendors' exports are compared like those of devices")
  func compares() async throws {
    let stage = try CommandLineFixture()
    try stage.write((0..<20).map { Self.click($0, "user-\($0)") }.joined(), to: "currents.ndjson")
    let viewed = (0..<10).map {
      #"{"ts":20261001090000,"eventName":"Notification Clicked","profile":{"identity":"b-\#($0)"},"#
        + #""eventProps":{"wzrk_id":"1"}}"# + "\n"
    }
    try stage.write(viewed.joined(), to: "clevertap.json")
    for (format, file) in [
      ("braze-currents", "currents.ndjson"), ("clevertap-export", "clevertap.json"),
    ] {
      #expect(
        await stage.engage("import", "--as", format, file, "--into", "all.parquet").status == .done)
    }
    let ending = await stage.engage(
      "compare", "--from", "all.parquet", "--provider", "braze", "--provider", "clevertap", "--json"
    )
    #expect(ending.status == .done, "\(ending)")
    let report = try JSON(parsing: Array(ending.output.utf8))
    #expect(report["arms"]?.array?.count == 2, "\(ending.output)")
  }

  @Test("X14: the ledger is exported in a vendor's format, with users as hashes")
  func exports() async throws {
    let scene = try await CommandScene()
    await scene.engage("sync")
    await scene.engage("track", "Tea ordered", "size=large")
    await scene.emulator.stop()
    let ours = try Self.objects(await scene.engage("export").output)
    let ending = await scene.engage("export", "--as", "braze-currents")
    #expect(ending.errors == "\(ours.count) events exported.\n")
    let theirs = try Self.objects(ending.output)
    #expect(theirs.count == ours.count)
    #expect(theirs.map { $0["id"] } == ours.map { $0["id"] })
    #expect(theirs.map { $0["user"]?["external_user_id"] } == ours.map { $0["userid"] })
    let tea = try #require(theirs.first { $0["properties"]?["name"] == "Tea ordered" })
    #expect(tea["event_type"] == "users.behaviors.CustomEvent")
    #expect(tea["properties"]?["custom_properties"] == ["size": "large"])
    let file = await scene.engage(
      "export", "--as", "clevertap-export", "--gzip", "--out", "c.json.gz")
    #expect(file.status == .done, "\(file)")
    let back = await scene.engage(
      "import", "--as", "clevertap-export", "c.json.gz", "--into", "back.ndjson")
    #expect(back.status == .done, "\(back)")
  }

  @Test("X14: what a vendor's format cannot be is refused, with the next step")
  func refusals() async throws {
    let stage = try CommandLineFixture()
    try stage.write("Obj\u{1}schema", to: "part.avro")
    let avro = await stage.engage(
      "import", "--as", "braze-currents", "part.avro", "--into", "all.ndjson")
    #expect(avro.status == .failed)
    #expect(avro.errors.contains("is Avro; braze-currents is read as lines of JSON."))
    for line in [
      ["import", "--as", "nobody", "a", "--into", "b.ndjson"],
      ["export", "--as", "braze-currents", "--format", "csv"],
      ["export", "--as", "braze-currents", "--to", "clickhouse://127.0.0.1:1/x"],
      ["export", "--as", "braze-currents", "--cursor", "nightly", "--out", "events"],
    ] {
      #expect(await stage.run(line).status == .usage, "\(line)")
    }
  }
}
