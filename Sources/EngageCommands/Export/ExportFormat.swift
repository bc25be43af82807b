/// A format of exported events.
enum ExportFormat: String, CaseIterable {
  case ndjson
  case csv
  case parquet
}
