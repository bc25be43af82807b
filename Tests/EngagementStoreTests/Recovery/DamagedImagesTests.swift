import EngagementModel
import Foundation
import TestSupport
import Testing

@testable import EngagementStore

/// Random damage to a file, determined by a seed.
private struct Image: CustomTestStringConvertible {
  let seed: UInt64
  var testDescription: String { "seed \(seed)" }

  /// Damages the file or its log.
  func damaged(_ file: Data, _ log: Data, _ otherLog: Data) -> (file: Data, log: Data) {
    var noise = SeededGenerator(seed: seed)
    var (file, log) = (file, log)
    switch seed % 8 {
    case 0, 1, 2: Self.flip(&file, &noise)
    case 3: Self.flip(&log, &noise)
    case 4: file = file.prefix(Int.random(in: 0...file.count, using: &noise))
    case 5: file = file.prefix(4096 * Int.random(in: 0...(file.count / 4096), using: &noise))
    case 6: log = log.prefix(Int.random(in: 0...log.count, using: &noise))
    default:
      log = otherLog
      if noise.next() % 2 == 0 { Self.flip(&log, &noise) }
    }
    return (file, log)
  }

  /// Changes one to eight bytes, or a whole page.
  private static func flip(_ bytes: inout Data, _ noise: inout SeededGenerator) {
    let start = Int.random(in: 0..<bytes.count, using: &noise)
    let count = noise.next() % 10 == 0 ? 4096 : Int.random(in: 1...8, using: &noise)
    for index in start..<min(start + count, bytes.count) {
      bytes[index] ^= UInt8.random(in: 1...255, using: &noise)
    }
  }
}

@Suite struct DamagedImagesTests {
  // The suite holds the folder, so that it outlives the files that a test opens in it.
  private let scratch: Scratch
  private let file: Data
  private let log: Data
  private let otherLog: Data

  init() throws {
    scratch = try Scratch()
    // One part of the rows is in the file, the other only in the log.
    func image(_ count: Int64) throws -> (Data, Data) {
      let scratch = try Scratch()
      try scratch.fillNotes(count)
      var opened = try scratch.openNotes()
      for id in (count + 1)...(count + 60) {
        try opened.database.write(
          "INSERT INTO note VALUES (\(id), ?)", .text(NoteCache.body(id)))
      }
      return (try scratch.bytes(), try scratch.bytes("cache.sqlite-wal"))
    }
    (file, log) = try image(200)
    otherLog = try image(90).1
  }

  @Test(
    "G8 G9: any damaged image opens or is refused untouched, and yields only rows once written",
    .timeLimit(.minutes(20)), arguments: [0..<100, 100..<200, 200..<300, 300..<400])
  func images(seeds: Range<UInt64>) throws {
    for seed in Effort.some(of: Array(seeds)) {
      let folder = try Scratch()
      let image = Image(seed: seed).damaged(file, log, otherLog)
      try folder.write(image.file)
      try folder.write(image.log, to: "cache.sqlite-wal")
      let error = failure { () throws(EngagementError) in
        var opened = try folder.openNotes(isSuspect: true)
        try check(&opened, seed)
      }
      guard let error else { continue }
      // Without our application id, or with a newer schema, the file may belong to another program.
      #expect(error.code == .unreadable || error.code == .newerSchema, "seed \(seed)")
      #expect(try folder.bytes() == image.file, "seed \(seed)")
      #expect(try folder.bytes("cache.sqlite-wal") == image.log, "seed \(seed)")
    }
  }

  private func check(
    _ opened: inout StoreOpening.Opened, _ seed: UInt64
  ) throws(EngagementError) {
    let notes = try opened.database.notes()
    if let recovery = opened.recovery {
      #expect(recovery.savedRows == notes.count, "seed \(seed)")
      #expect(notes.allSatisfy { $1 == NoteCache.body($0) }, "seed \(seed)")
      #expect(recovery.mayHaveLostRows || notes.count == 260, "seed \(seed)")
    } else {
      // SQLite does not check the bytes of bodies; the rows' own checksums do.
      #expect(notes.keys.allSatisfy { 1...260 ~= $0 }, "seed \(seed)")
    }
    try opened.database.write("INSERT INTO note VALUES (1000, 'new')")
    let isThere = try opened.database.notes()[1000] == "new"
    #expect(isThere, "seed \(seed)")
  }
}
