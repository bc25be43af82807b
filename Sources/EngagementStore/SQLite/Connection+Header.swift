import CSQLite
import EngagementModel

extension Connection {
  /// What the first bytes of a file say about who wrote it.
  enum Origin: Equatable {
    case empty, ours, others
    /// It has our mark, but is no longer a database.
    case damaged
  }

  /// Reads the header as bytes, so that a foreign file is left alone: no lock, no log, no recovery.
  func origin() throws(EngagementError) -> Origin {
    var header = [UInt8](repeating: 0, count: 100)
    var size: Int64 = 0
    let code = unsafe header.withUnsafeMutableBytes { buffer in
      unsafe csqlite_read_start(handle, buffer.baseAddress, Int32(buffer.count), &size)
    }
    try ResultCode.check(code)
    guard size > 0 else { return .empty }
    let isDatabase = header.starts(with: Self.signature)
    let mark = header[68..<72].reduce(0) { $0 << 8 | Int32(truncatingIfNeeded: $1) }
    switch (isDatabase, mark == Database.applicationID) {
    case (true, true): return Self.isSound(header) ? .ours : .damaged
    case (false, true): return .damaged
    case (_, false): return .others
    }
  }

  /// Whether the fields that SQLite reads before all others have the values that it gives them.
  ///
  /// With others it would call the file one of a later SQLite, to be left alone or only to be read.
  private static func isSound(_ header: [UInt8]) -> Bool {
    // 1 until the log is turned on.
    let versions: ClosedRange<UInt8> = 1...2
    return versions.contains(header[18]) && versions.contains(header[19])
      // How much of a page a row may take, which was never anything else.
      && header[21..<24].elementsEqual([64, 32, 32])
      // The format of the schema and the encoding of texts, both 0 until there is a table.
      && [[0, 0, 0, 0], [0, 0, 0, 4]].contains(Array(header[44..<48]))
      && [[0, 0, 0, 0], [0, 0, 0, 1]].contains(Array(header[56..<60]))
  }

  private static let signature = Array("SQLite format 3\0".utf8)
}
