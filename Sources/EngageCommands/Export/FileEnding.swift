import EngagementCompression

/// A format of exported events.
enum ExportFormat: String, CaseIterable {
  case ndjson
  case csv
  case parquet
}

/// What the name of a file says of its format and compression, such as `events.ndjson.zst`.
struct FileEnding {
  var format: ExportFormat?
  var compression: Compression?
  /// What stands behind the last dot and is no format; nil for a name without one.
  private(set) var unknown: String?

  /// Names of lines of JSON that other programs use.
  private static let others = ["json", "jsonl"]

  /// Whether the name is that of a file, and hardly that of a folder.
  var isOfFile: Bool {
    format != nil || compression != nil
      || unknown.map { Self.fileEndings.union(Self.compressions).contains($0.lowercased()) }
        ?? hasOther
  }

  private static let fileEndings: Set<String> = ["txt", "log", "tsv", "zip", "xlsx"]
  /// What compresses files, and is not known here.
  private static let compressions: Set<String> = ["7z", "bz2", "lz4"]
  private var hasOther = false

  init(of path: String) {
    var name = path[...]
    for candidate in Compression.allCases where name.hasSuffix(candidate.suffix) {
      compression = candidate
      name = name.dropLast(candidate.suffix.count)
    }
    format = ExportFormat.allCases.first { name.hasSuffix(".\($0.rawValue)") }
    hasOther = Self.others.contains { name.hasSuffix(".\($0)") }
    guard format == nil, !hasOther, let file = name.split(separator: "/").last,
      let dot = file.lastIndex(of: "."), dot != file.startIndex
    else { return }
    let ending = file[file.index(after: dot)...]
    // A day or a version is no ending.
    if Self.compressions.contains(ending.lowercased())
      || !ending.isEmpty && ending.utf8.allSatisfy({ $0 | 0x20 >= UInt8(ascii: "a") })
    {
      unknown = String(ending)
    }
  }
}
