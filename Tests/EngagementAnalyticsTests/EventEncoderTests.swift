import EngagementAnalytics
import EngagementJSON
import EngagementModel
import TestSupport
import Testing

/// Events in each format, read back by a reader of the format.
@Suite struct EventEncoderTests {
  /// One cell, as a reader gets it back.
  private enum Cell: Equatable {
    case missing
    case text(String)
    case integer(Int64)
    case time(Int64)
    case json(String)
  }

  private static func encode(_ rows: [[Cell]], by encoder: some EventEncoder) -> String {
    var encoder = encoder
    encoder.begin()
    send(rows, to: &encoder)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  private static func send(_ rows: [[Cell]], to sink: inout some EventSink) {
    for row in rows {
      for cell in row {
        switch cell {
        case .missing: sink.missing()
        case .text(let text): sink.text(text)
        case .integer(let value): sink.integer(value)
        case .time(let milliseconds): sink.time(milliseconds)
        case .json(let text): sink.json(text.utf8.span.bytes)
        }
      }
      sink.endEvent()
    }
  }

  /// An event with that text in each column of text.
  private static func row(_ text: String) -> [Cell] {
    EventColumn.allCases.map { column in
      switch column {
      case .time: .time(1_790_845_200_007)
      case .recordedTime: .missing
      case .sequence: .integer(.max)
      case .uptime: .integer(0)
      case .zoneOffset: .integer(-3_600)
      case .data: .json(#"{"a":"q\",","b":[1]}"#)
      case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container, .name:
        .text(text)
      }
    }
  }

  /// Fields by RFC 4180: a quoted one ends with the quote that no quote follows.
  private static func records(in csv: String) throws -> [[String]] {
    var (records, record, field): ([[String]], [String], [UInt8]) = ([], [], [])
    var bytes = Array(csv.utf8)[...]
    func take() -> String { String(decoding: field, as: UTF8.self) }
    var isQuoted = false
    while let byte = bytes.popFirst() {
      if isQuoted {
        if byte != UInt8(ascii: "\"") {
          field.append(byte)
        } else if bytes.first == UInt8(ascii: "\"") {
          field.append(byte)
          bytes.removeFirst()
        } else {
          isQuoted = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        try #require(field.isEmpty, "a quote within a field")
        isQuoted = true
      case UInt8(ascii: ","):
        record.append(take())
        field = []
      case UInt8(ascii: "\r"):
        try #require(bytes.popFirst() == UInt8(ascii: "\n"))
        records.append(record + [take()])
        (record, field) = ([], [])
      default: field.append(byte)
      }
    }
    try #require(record.isEmpty && field.isEmpty && !isQuoted)
    return records
  }

  static let texts = [
    "", "plain", "a,b", "\"", "\"\"", "a\"b\"", "line\nline", "line\r\nline", "\r", "é", "日本語 🎉",
    "e\u{301}", "\u{202e}abc", "\u{feff}bom", "\u{7f}", "\u{1b}[31m", "\u{1}", "</script>",
    "1234567", "12345678", "1234567,", "12345678\"", "x\u{85}y\u{2028}z", "\\", "a\\\"b",
    " spaces ", "！not one", "\u{ff1c}",
  ]
  static let formulas = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", "'quoted", "=\"a\",b", "-",
    "＝1+1", "＋1", "－1", "＠SUM(A1)",
  ]

  @Test("X14: every text comes back from CSV as it was", arguments: texts)
  func csv(text: String) throws {
    let csv = Self.encode([Self.row(text), Self.row("next")], by: CSVEncoder())
    let records = try Self.records(in: csv)
    #expect(records.count == 3)
    #expect(records[0] == EventColumn.allCases.map(\.name))
    let guarded = text == "\r" ? "'\r" : text
    for (column, field) in zip(EventColumn.allCases, records[1]) {
      switch column {
      case .time: #expect(field == "2026-10-01T09:00:00.007Z")
      case .recordedTime: #expect(field.isEmpty)
      case .sequence: #expect(field == "9223372036854775807")
      case .uptime: #expect(field == "0")
      case .zoneOffset: #expect(field == "-3600")
      case .data: #expect(field == #"{"a":"q\",","b":[1]}"#)
      case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container, .name:
        #expect(Array(field.utf8) == Array(guarded.utf8), "\(column)")
      }
    }
  }

  @Test("X14: no program takes a text of a CSV for a formula", arguments: formulas)
  func guarded(text: String) throws {
    let records = try Self.records(in: Self.encode([Self.row(text)], by: CSVEncoder()))
    #expect(Array(records[1][0].utf8) == Array("'\(text)".utf8))
  }

  @Test(
    "X14: every text comes back from NDJSON as it was",
    arguments: texts + formulas)
  func ndjson(text: String) throws {
    let lines = Self.encode([Self.row(text), Self.row("next")], by: NDJSONEncoder())
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[2].isEmpty)
    let event = try JSON(parsing: Array(lines[0].utf8))
    #expect(event["specversion"] == "1.0")
    #expect(event["recordedtime"] == nil)
    #expect(event["time"] == "2026-10-01T09:00:00.007Z")
    #expect(event["sequence"] == .integer(.max) && event["zoneoffset"] == -3_600)
    #expect(event["data"] == ["a": "q\",", "b": [1]])
    for name in ["id", "source", "type", "subject", "userid", "sessionid", "provider", "name"] {
      #expect(event[name]?.string.map { Array($0.utf8) } == Array(text.utf8), "\(name)")
    }
  }

  @Test("X14: bytes that are no UTF-8 become U+FFFD, and so does a zero byte")
  func repaired() throws {
    for bytes in [[0x61, 0xff, 0x62], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0x61, 0, 0x62]]
      as [[UInt8]]
    {
      let repaired = String(decoding: bytes, as: UTF8.self).exported
      var (csv, ndjson) = (CSVEncoder(), NDJSONEncoder())
      csv.text(bytes.span.bytes)
      ndjson.text(bytes.span.bytes)
      #expect(String(decoding: csv.bytes, as: UTF8.self) == repaired)
      #expect(
        String(decoding: ndjson.bytes, as: UTF8.self)
          == #"{"specversion":"1.0","id":"\#(repaired)""#)
    }
  }

  @Test("X14: a time outside the years 0000 to 9999 is missing")
  func timeless() throws {
    var (csv, ndjson) = (CSVEncoder(), NDJSONEncoder())
    csv.time(.max)
    ndjson.text("id")
    ndjson.time(.min)
    ndjson.endEvent()
    #expect(csv.bytes.isEmpty)
    #expect(
      String(decoding: ndjson.bytes, as: UTF8.self) == #"{"specversion":"1.0","id":"id"}"# + "\n")
  }

  @Test("X14: a page sends its events on as it was given them, each time it is asked")
  func page() {
    let rows = ["", "a", "é🎉", "\"quoted\", long"].map(Self.row)
    let direct = Self.encode(rows, by: NDJSONEncoder())
    var page = EventPage(with: EventPage().room)
    for _ in 0..<2 {
      page = EventPage(with: page.room)
      Self.send(rows, to: &page)
      for _ in 0..<2 {
        var encoder = NDJSONEncoder()
        page.send(to: &encoder)
        #expect(String(decoding: encoder.bytes, as: UTF8.self) == direct)
      }
    }
  }

  @Test("X14: random texts come back from both formats")
  func random() throws {
    var generator = SeededGenerator(seed: 15)
    let alphabet = Array("ab,\"\r\n\\\t =+-@'é🎉\u{1}\u{0}\u{7f}")
    for _ in 0..<2_000 {
      let text = String(
        (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
          alphabet.randomElement(using: &generator) ?? "a"
        })
      let line = Self.encode([Self.row(text)], by: NDJSONEncoder())
      let read = try JSON(parsing: Array(line.utf8.dropLast()))["id"]?.string
      let expected = Array(text.exported.utf8)
      #expect(read.map { Array($0.utf8) } == expected)
      let records = try Self.records(in: Self.encode([Self.row(text)], by: CSVEncoder()))
      var field = Array(records[1][0].utf8)
      if field.first == UInt8(ascii: "'") { field.removeFirst() }
      #expect(field == expected, "\(text.debugDescription)")
    }
  }
}

extension String {
  /// The text as an export has it.
  fileprivate var exported: String {
    unicodeScalars.map { $0 == "\0" ? "\u{fffd}" : String($0) }.joined()
  }
}
