import EngagementAnalytics
import EngagementFormats
import EngagementModel

/// What the events of one file of an export have in common.
struct ExportPartition: Hashable {
  /// The keys by which an export is divided.
  enum Key: String, CaseIterable {
    case vendor
    /// The day in UTC.
    case day
    case kind
  }

  private var vendor: [UInt8]?
  private var day: Int64?
  private var kind: [UInt8]?

  init(of event: borrowing EventRecord, by keys: [Key]) {
    for key in keys {
      switch key {
      case .vendor: vendor = Self.text(event[.provider])
      case .day: day = event.milliseconds(.time).map { $0.dividedDown(by: 86_400_000) }
      case .kind: kind = Self.text(event[.type])
      }
    }
  }

  private static func text(_ cell: EventRecord.Cell) -> [UInt8]? {
    if case .text(let text) = cell { text } else { nil }
  }

  /// The folders of the file as Hive names them, with a slash at the end; empty for no keys.
  func folder(by keys: [Key]) -> String {
    var folder = ""
    for key in keys {
      let value: String? =
        switch key {
        case .vendor: vendor.map(Self.escaped)
        case .day:
          day.flatMap { Epoch.date(milliseconds: $0 * 86_400_000) }
            .flatMap { ISO8601.text(of: $0) }.map { String($0.prefix(10)) }
        case .kind: kind.map(Self.escaped)
        }
      folder += "\(key.rawValue)=\(value ?? "__HIVE_DEFAULT_PARTITION__")/"
    }
    return folder
  }

  /// The text with a percent sign and two digits in the place of what no file system has to take.
  private static func escaped(_ text: [UInt8]) -> String {
    // Files have U+FFFD in the place of a zero byte and of what is no UTF-8.
    let readable = String(decoding: text, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
    var name = ""
    for byte in readable.utf8.prefix(80) {
      name += plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + Hex.text(of: [byte])
    }
    return name
  }

  private static let plain = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.".utf8)
}

extension EventRecord {
  /// The cell as a time; nil for any other cell.
  func milliseconds(_ column: EventColumn) -> Int64? {
    if case .time(let milliseconds) = self[column] { milliseconds } else { nil }
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
