import EngagementCompression
import EngagementJSON
import EngagementModel
import Foundation
import Testing

@testable import EngageCommands

/// Files that are no exports of events, or that have more or less than one.
@Suite struct ForeignFilesTests {
  private static let samples: [([UInt8], String)] = [
    (Array("SQLite format 3\0".utf8) + [16, 0, 1, 1], "an SQLite database"),
    (Array("PK\u{3}\u{4}".utf8) + [20, 0], "a ZIP archive"), (Array("Obj\u{1}".utf8), "Avro"),
    (Array("<!DOCTYPE html><p>no".utf8), "a page of HTML"), (Array("\n <html>".utf8), "of HTML"),
    (Array("%PDF-1.7".utf8), "PDF"), (Array("<?xml version".utf8), "XML"),
    (Array("[{\"id\":1}]".utf8), "one JSON array"), ([0xff, 0xfe, 0x7b, 0], "UTF-16"),
    (Array("BZh91AY".utf8), "bzip2"), ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], "xz"),
    (Array("ARROW1".utf8), "Arrow"),
  ]

  @Test(
    "X14: a file of another kind is told for what it is, with the next step, also compressed",
    arguments: samples, [false, true])
  func kinds(kind: ([UInt8], String), isCompressed: Bool) async throws {
    let stage = try CommandLineFixture()
    var bytes = kind.0
    if isCompressed {
      let compressor = try Compressor(.gzip)
      bytes = try compressor.compress(bytes) + compressor.finish()
    }
    try Data(bytes).write(to: stage.folder.appending(path: "thing"))
    for line in [
      ["import", "thing", "--into", "all.ndjson"],
      ["import", "--as", "braze-currents", "thing", "--into", "all.ndjson"],
      ["compare", "--from", "thing"],
    ] {
      let ending = await stage.run(line)
      #expect(ending.status == .failed)
      #expect(ending.errors.contains("thing is ") && ending.errors.contains(kind.1), "\(ending)")
      #expect(ending.errors.contains("; "), "\(ending)")
      #expect(try stage.names() == ["thing"])
    }
  }

  private static func line(_ more: String, user: String = "userid") -> String {
    #"{"specversion":"1.0","id":"1","source":"s","type":"engage.custom","sequence":1,"#
      + #""time":"2026-10-01T09:00:00.007Z","\#(user)":"ada"\#(more)}"# + "\n"
  }

  @Test("X14: fields and columns that are no ours are told by their names")
  func foreignFields() async throws {
    let stage = try CommandLineFixture()
    try stage.write(
      Self.line(#","datacontenttype":"application/json","traceid":"t","colour":1"#), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.csv")
    #expect(ending.status == .done)
    #expect(
      ending.errors
        == "a.ndjson: It has fields that events of ours do not have, and they are left out: \"colour\", "
        + "\"traceid\".\n")
    let csv = try String(contentsOf: stage.folder.appending(path: "all.csv"), encoding: .utf8)
    try stage.write(
      csv.replacing("\r\n", with: ",x\r\n").replacing("data,x", with: "data,colour"), to: "b.csv")
    let table = await stage.engage("import", "b.csv", "--into", "more.ndjson")
    #expect(table.status == .done && table.errors.contains("b.csv: It has columns"), "\(table)")
    #expect(table.errors.contains("\"colour\""))
  }

  @Test(
    "X14: a field whose name is spelt otherwise is told by its line",
    arguments: ["userId", "user_id"])
  func misspelt(name: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(Self.line("", user: name), to: "a.ndjson")
    let ending = await stage.engage("import", "a.ndjson", "--into", "all.ndjson")
    #expect(ending.status == .failed)
    #expect(
      ending.errors.hasPrefix(
        "a.ndjson:1: \"\(name)\" is no field; did you mean \"userid\"?"), "\(ending)")
  }

  @Test("X14: a table with CR line ends is refused with the next step")
  func returns() async throws {
    let stage = try CommandLineFixture()
    try stage.write(
      "id,source,type,time,sequence\r1,s,t,2026-10-01T09:00:00Z,1\r", to: "cr.csv")
    let ending = await stage.engage("import", "cr.csv", "--into", "all.ndjson")
    #expect(ending.status == .failed && ending.errors.hasPrefix("cr.csv:1: "), "\(ending)")
    #expect(ending.errors.contains("save the file with LF line ends"), "\(ending)")
    #expect(try stage.names() == ["cr.csv"])
  }

  @Test("X14: a file without a column for users is told")
  func noUsers() async throws {
    let stage = try CommandLineFixture()
    try stage.write("id,source,type,time,sequence\n1,s,t,2026-10-01T09:00:00Z,1\n", to: "a.csv")
    let ending = await stage.engage("import", "a.csv", "--into", "all.ndjson")
    #expect(ending.status == .done)
    #expect(ending.errors.contains("a.csv: It has no column userid: each device counts as one"))
  }

  @Test(
    "X14: a Parquet file's other columns, and that users lack, are told; its checksums are held")
  func parquet() async throws {
    let stage = try CommandLineFixture()
    var file = try #require(Data(base64Encoded: Self.withChecksums))
    try file.write(to: stage.folder.appending(path: "a.parquet"))
    let ending = await stage.engage("import", "a.parquet", "--into", "all.ndjson")
    #expect(ending.status == .done && ending.output == "1 event added to all.ndjson\n", "\(ending)")
    #expect(
      ending.errors
        == "a.parquet: It has columns that events of ours do not have, and they are left out: \"colour\".\n"
        + "a.parquet: It has no column userid: each device counts as one person.\n")
    // The value of the first page, behind the magic.
    let place = try #require(file.dropFirst(4).firstIndex(of: UInt8(ascii: "1")))
    file[place] = UInt8(ascii: "2")
    try file.write(to: stage.folder.appending(path: "b.parquet"))
    let damaged = await stage.engage("import", "b.parquet", "--into", "b.ndjson")
    #expect(damaged.status == .failed)
    #expect(damaged.errors.contains("in the column id, a page has another CRC-32 than it says"))
  }

  @Test("X14: a column of a Parquet file whose name is spelt otherwise is told")
  func misspeltColumn() async throws {
    let stage = try CommandLineFixture()
    let file = try #require(Data(base64Encoded: Self.misspelt))
    try file.write(to: stage.folder.appending(path: "a.parquet"))
    let ending = await stage.engage("import", "a.parquet", "--into", "all.ndjson")
    #expect(ending.status == .failed)
    #expect(ending.errors.contains("a column \"userId\"; did you mean \"userid\"?"), "\(ending)")
  }

  /// One event without a user, and with a column "colour", as pyarrow writes it with
  /// `write_page_checksum`.
  private static let withChecksums =
    "UEFSMRUAFRYVFhXWjLc5HBUCFQAVBhUGHAAAAAIAAAACAQEAAAAxFQAVFhUWFdHx2csMHBUCFQAVBhUGHAAA"
    + "AAIAAAACAQEAAABzFQAVFhUWFejYglIcFQIVABUGFQYcAAAAAgAAAAIBAQAAAHQVABUcFRwVqOTbtQQcFQIV"
    + "ABUGFQYcAAAAAgAAAAIBAAAAAAAAAAAVABUcFRwV65n0gAIcFQIVABUGFQYcAAAAAgAAAAIBAQAAAAAAAAAV"
    + "ABUaFRoVk4OTlQYcFQIVABUGFQYcAAAAAgAAAAIBAwAAAGFkYRUEGXw1ABgGc2NoZW1hFQwAFQwlAhgCaWQl"
    + "AEwcAAAAFQwlAhgGc291cmNlJQBMHAAAABUMJQIYBHR5cGUlAEwcAAAAFQQlAhgEdGltZSUSTIwRHBwAAAAA"
    + "ABUEJQIYCHNlcXVlbmNlABUMJQIYBmNvbG91ciUATBwAAAAWAhkcGWwmABwVDBklBgAZGAJpZBUAFgIWRhZG"
    + "JghJHBUAFQAVAgA8FgIZBhkmAAIAAAAmABwVDBklBgAZGAZzb3VyY2UVABYCFkgWSCZOSRwVABUAFQIAPBYC"
    + "GQYZJgACAAAAJgAcFQwZJQYAGRgEdHlwZRUAFgIWRhZGJpYBSRwVABUAFQIAPBYCGQYZJgACAAAAJgAcFQQZ"
    + "JQYAGRgEdGltZRUAFgIWThZOJtwBSRwVABUAFQIAPCkGGSYAAgAAACYAHBUEGSUGABkYCHNlcXVlbmNlFQAW"
    + "AhZOFk4mqgJJHBUAFQAVAgA8KQYZJgACAAAAJgAcFQwZJQYAGRgGY29sb3VyFQAWAhZMFkwm+AJJHBUAFQAV"
    + "AgA8FgYZBhkmAAIAAAAWvAMWAiYIFrwDACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZbBwA"
    + "ABwAABwAABwAABwAABwAAADkAQAAUEFSMQ=="

  /// The same with a column "userId", and without checksums.
  private static let misspelt =
    "UEFSMRUAFRYVFiwVAhUAFQYVBhwAAAACAAAAAgEBAAAAMRUAFRYVFiwVAhUAFQYVBhwAAAACAAAAAgEBAAAA"
    + "cxUAFRYVFiwVAhUAFQYVBhwAAAACAAAAAgEBAAAAdBUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAA"
    + "ABUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEBAAAAAAAAABUAFRoVGiwVAhUAFQYVBhwAAAACAAAAAgEDAAAA"
    + "YWRhFQQZfDUAGAZzY2hlbWEVDAAVDCUCGAJpZCUATBwAAAAVDCUCGAZzb3VyY2UlAEwcAAAAFQwlAhgEdHlw"
    + "ZSUATBwAAAAVBCUCGAR0aW1lJRJMjBEcHAAAAAAAFQQlAhgIc2VxdWVuY2UAFQwlAhgGdXNlcklkJQBMHAAA"
    + "ABYCGRwZbCYAHBUMGSUGABkYAmlkFQAWAhY8FjwmCEkcFQAVABUCADwWAhkGGSYAAgAAACYAHBUMGSUGABkY"
    + "BnNvdXJjZRUAFgIWPBY8JkRJHBUAFQAVAgA8FgIZBhkmAAIAAAAmABwVDBklBgAZGAR0eXBlFQAWAhY8Fjwm"
    + "gAFJHBUAFQAVAgA8FgIZBhkmAAIAAAAmABwVBBklBgAZGAR0aW1lFQAWAhZCFkImvAFJHBUAFQAVAgA8KQYZ"
    + "JgACAAAAJgAcFQQZJQYAGRgIc2VxdWVuY2UVABYCFkIWQib+AUkcFQAVABUCADwpBhkmAAIAAAAmABwVDBkl"
    + "BgAZGAZ1c2VySWQVABYCFkAWQCbAAkkcFQAVABUCADwWBhkGGSYAAgAAABb4AhYCJggW+AIAKCBwYXJxdWV0"
    + "LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRlsHAAAHAAAHAAAHAAAHAAAHAAAAOQBAABQQVIx"
}
