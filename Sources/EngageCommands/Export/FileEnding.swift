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

  init(of path: String) {
    var name = path[...]
    for candidate in Compression.allCases where name.hasSuffix(candidate.suffix) {
      compression = candidate
      name = name.dropLast(candidate.suffix.count)
    }
    format = ExportFormat.allCases.first { name.hasSuffix(".\($0.rawValue)") }
  }
}
