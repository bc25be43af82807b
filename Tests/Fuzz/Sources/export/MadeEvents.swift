import EngagementAnalytics
import EngagementJSON
import EngagementModel

/// Events that bytes decide.
struct MadeEvents {
  private var bytes: ArraySlice<UInt8>
  private(set) var rows: [EventRecord] = []

  private static let most = 8
  private static let beginnings = [
    "", "=", "'", "\"", "\r\n", ",", "\u{1b}[", "\u{feff}", "{", "é", "\\", "\u{2028}", "-",
  ]

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    repeat { rows.append(event()) } while !self.bytes.isEmpty && rows.count < Self.most
  }

  private mutating func event() -> EventRecord {
    var record = EventRecord()
    for column in EventColumn.allCases {
      switch column {
      case .id, .source, .type: record.text(([UInt8(ascii: "i")] + text()).span.bytes)
      case .subject, .user, .session, .surface, .container, .name: addText(to: &record)
      // No provider has an empty name: a file with one is refused.
      case .provider:
        next() < 64 ? record.missing() : record.text(([UInt8(ascii: "p")] + text()).span.bytes)
      case .sequence: record.integer(number())
      case .time: record.time(abs(number() % 253_402_300_800_000))
      case .recordedTime: next() < 128 ? record.missing() : record.time(number())
      case .uptime, .zoneOffset: next() < 128 ? record.missing() : record.integer(number())
      case .data: addData(to: &record)
      }
    }
    record.endEvent()
    return record
  }

  private mutating func next() -> UInt8 { bytes.popFirst() ?? 0 }

  /// Numbers of every size, and both signs.
  private mutating func number() -> Int64 {
    let size = next()
    var bits: UInt64 = size > 127 ? .max : 0
    for _ in 0..<(size & 15) % 9 { bits = bits << 8 | UInt64(next()) }
    return Int64(bitPattern: bits)
  }

  private mutating func text() -> [UInt8] {
    let size = next()
    let beginning = Array(Self.beginnings[Int(size) % Self.beginnings.count].utf8)
    let rest = bytes.prefix(Int(size >> 3))
    bytes = bytes.dropFirst(rest.count)
    return beginning + rest
  }

  private mutating func addText(to record: inout EventRecord) {
    if next() < 64 { record.missing() } else { record.text(text().span.bytes) }
  }

  /// Properties as the store writes them: an object without zero bytes.
  private mutating func addData(to record: inout EventRecord) {
    let count = Int(next() & 3)
    guard count > 0 else { return record.missing() }
    var object = JSONObject()
    for _ in 0..<count {
      let key = sound()
      object[key] = next() < 128 ? .string(sound()) : [.integer(number()), .null, .bool(true)]
    }
    let json = JSON.object(object).encoded()
    record.json(json.span.bytes)
  }

  private mutating func sound() -> String {
    String(decoding: text().filter { $0 != 0 }, as: UTF8.self)
  }
}
