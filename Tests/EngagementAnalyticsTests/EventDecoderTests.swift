import EngagementAnalytics
import EngagementModel
import TestSupport
import Testing

/// Events that were written in a format, read back.
@Suite struct EventDecoderTests {
  static let texts = EventEncoderTests.texts + EventEncoderTests.formulas

  private static func event(_ text: String, sequence: Int64) -> EventRecord {
    var record = EventRecord()
    for column in EventColumn.allCases {
      switch column {
      case .time: record.time(1_790_845_200_007)
      case .recordedTime: record.missing()
      case .sequence: record.integer(sequence)
      case .uptime: record.integer(0)
      case .zoneOffset: record.integer(-3_600)
      case .data: record.json(#"{"a":"q\",\n","b":[1]}"#.utf8.span.bytes)
      case .id, .source, .type, .provider: record.text("x\(text)")
      case .subject, .user, .session, .surface, .container, .name: record.text(text)
      }
    }
    return record
  }

  private static func cells(_ record: EventRecord) -> [EventRecord.Cell] {
    EventColumn.allCases.map { record[$0] }
  }

  private static func bytes(_ records: [EventRecord], by encoder: some EventEncoder) -> [UInt8] {
    var encoder = encoder
    encoder.begin()
    for record in records { record.send(to: &encoder) }
    encoder.finish()
    return encoder.bytes
  }

  /// The events and faults of the bytes, which come in pieces.
  private static func read(
    _ bytes: [UInt8], by decoder: some EventDecoder, piece: Int = .max
  ) -> (events: [EventRecord], faults: [String]) {
    var decoder = decoder
    var (events, faults): ([EventRecord], [String]) = ([], [])
    func take(_ line: Int, _ decoded: DecodedEvent) {
      switch decoded {
      case .event(let record): events.append(record)
      case .fault(let fault): faults.append("\(line): \(fault)")
      }
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      decoder.decode(Array(rest.prefix(piece)), take)
      rest = rest.dropFirst(piece)
    }
    decoder.finish(take)
    return (events, faults)
  }

  @Test("X14: NDJSON gives back every event that was written, in pieces of any size")
  func ndjson() {
    let records = Self.texts.enumerated().map { Self.event($1, sequence: Int64($0)) }
    let bytes = Self.bytes(records, by: NDJSONEncoder())
    for piece in [1, 7, 4_096, Int.max] {
      let (events, faults) = Self.read(bytes, by: NDJSONDecoder(), piece: piece)
      #expect(faults == [])
      #expect(events.map(Self.cells) == records.map(Self.cells))
    }
  }

  @Test("X14: CSV gives back every event that was written; an empty text is a missing one")
  func csv() {
    let records = Self.texts.enumerated().map { Self.event($1, sequence: Int64($0)) }
    let bytes = Self.bytes(records, by: CSVEncoder())
    let written = records.map { record in
      Self.cells(record).map { $0 == .text([]) ? EventRecord.Cell.missing : $0 }
    }
    for piece in [1, 7, 4_096, Int.max] {
      let (events, faults) = Self.read(bytes, by: CSVDecoder(), piece: piece)
      #expect(faults == [])
      #expect(events.map(Self.cells) == written)
    }
  }

  @Test("X14: JSON on several lines of a CSV or in a Parquet file is one line of NDJSON")
  func severalLines() throws {
    let data = "{\r\n \"\"a\"\":\n[1,2]}"
    let csv = "id,source,type,time,sequence,data\n1,s,t,2026-10-01T09:00:00Z,1,\"\(data)\"\n"
    let found = Self.read(Array(csv.utf8), by: CSVDecoder())
    #expect(found.faults.isEmpty)
    let ndjson = Self.bytes(found.events, by: NDJSONEncoder())
    #expect(ndjson.count { $0 == UInt8(ascii: "\n") } == 1)
    let again = Self.read(ndjson, by: NDJSONDecoder())
    #expect(again.faults.isEmpty && again.events.map(Self.cells) == found.events.map(Self.cells))
    var cells: [ParquetDecoder.Cell] = EventColumn.allCases.map { _ in .text("x") }
    (cells[EventColumn.sequence.rawValue], cells[EventColumn.time.rawValue]) = (
      .integer(1), .time(0)
    )
    cells[EventColumn.data.rawValue] = .json("{\n}")
    guard case .event(let event) = DecodedEvent(cells) else { throw Fault() }
    #expect(event[.data] == .json(Array("{ }".utf8)))
  }

  private struct Fault: Error {}

  @Test("X14: an event whose id is empty is none, in whatever format")
  func emptyID() {
    let csv = "id,source,type,time,sequence\n',s,t,2026-10-01T09:00:00Z,1\n"
    #expect(Self.read(Array(csv.utf8), by: CSVDecoder()).faults == ["2: Its id is empty."])
    let cells: [ParquetDecoder.Cell] = EventColumn.allCases.map { _ in .text("") }
    guard case .fault(let fault) = DecodedEvent(cells) else {
      Issue.record("an event without an id")
      return
    }
    #expect(fault == "Its id is empty.")
  }

  @Test("X14: a bad line is told by its number, and the others are read")
  func badLines() {
    let good = String(
      decoding: Self.bytes([Self.event("a", sequence: 1)], by: NDJSONEncoder()), as: UTF8.self)
    let lines = [
      good, "{\n", "\n", "[1]\n", good.replacing("1.0", with: "2.0"),
      good.replacing("\"source\":\"xa\",", with: ""), good.replacing("\"xa\"", with: "7"),
      good.replacing("2026-10-01T", with: "yesterday "), good,
    ]
    let (events, faults) = Self.read(Array(lines.joined().utf8), by: NDJSONDecoder())
    #expect(events.count == 2)
    #expect(
      faults == [
        "2: It is no JSON object.", "4: It is no JSON object.",
        "5: It is no event of CloudEvents 1.0: its specversion is not \"1.0\".",
        "6: It has no source.", "7: Its id is no text.", "8: Its time is no time of ISO 8601.",
      ])
  }

  @Test("X14: a bad record of a CSV is told by its line, and the others are read")
  func badRecords() {
    let csv = """
      id,type,source,time,sequence,data,other
      a,t,s,2026-10-01T09:00:00Z,1,,x
      b,t,s,2026-10-01T09:00:00Z,one,,
      c,t,s,2026-10-01T09:00:00Z,2
      d,t,s,2026-10-01T09:00:00Z,3,{,
      e,"t
      u",s,2026-10-01T09:00:00Z,4,"{""a"":1}",

      f,t"t,s,2026-10-01T09:00:00Z,5,,
      g,"t"t,s,2026-10-01T09:00:00Z,6,,
      h,t,s,2026-10-01T09:00:00Z,7,"{}
      """
    let (events, faults) = Self.read(Array(csv.utf8), by: CSVDecoder())
    #expect(events.map { $0[.id] } == [.text(Array("a".utf8)), .text(Array("e".utf8))])
    #expect(events.last?[.type] == .text(Array("t\nu".utf8)))
    #expect(events.last?[.data] == .json(Array(#"{"a":1}"#.utf8)))
    #expect(
      faults == [
        "3: Its sequence is no whole number.",
        "4: It has 5 fields, and the line of names has 7.", "5: Its data is no JSON.",
        "9: A quote is within a field.", "10: Something follows a closing quote.",
        "11: A quote is not closed.",
      ])
    #expect(Self.read([], by: CSVDecoder()).faults == ["1: The file has no line of names."])
    #expect(
      Self.read(Array("id,type,time,sequence\n".utf8), by: CSVDecoder()).faults
        == ["1: The line of names has no source."])
  }

  private static let names = "id,source,type,time,sequence"
  private static let record = "1,s,t,2026-10-01T09:00:00Z,1"

  private static let moreNames = String(repeating: ",x", count: 996)
  private static let refused: [(String, String)] = [
    (names + "\r" + record + "\r", "save the file with LF line ends."),
    ("\"id\",\"source\"\r\"1\",\"s\"\r", "save the file with LF line ends."),
    (names + ",\"a\rb\"\n" + record, "save the file with LF line ends."),
    (names + ",a\0\n" + record, "The name of a column has a zero byte; leave that out."),
    (names + ",id\n" + record, "The column \"id\" is there twice; leave out one of the two."),
    (names + moreNames + "\n", "The line of names has 1001 names, and at most 1000 are read; "),
    (names + ",\"x\n" + record, "A quote is not closed."),
  ]

  @Test(
    "X14: a line of names that is none is refused with the next step, and no line is read",
    arguments: refused)
  func refusedNames(csv: String, sentence: String) {
    let (events, faults) = Self.read(Array(csv.utf8), by: CSVDecoder())
    #expect(events.isEmpty && faults.count == 1, "\(faults)")
    let fault = faults.first ?? ""
    #expect(fault.hasPrefix("1: ") && fault.contains(sentence), "\(fault)")
    #expect(fault.hasSuffix(" No line is read."), "\(fault)")
  }

  @Test("X14: a carriage return within a record is told, and one that belongs to a line end is not")
  func returns() {
    let lines = [Self.names, "\r\n", Self.record, "\r\r\n", "1\r2,s,t,2026-10-01T09:00:00Z,1\n"]
    let csv = lines.joined() + Self.record + "\r"
    let (events, faults) = Self.read(Array(csv.utf8), by: CSVDecoder())
    #expect(events.count == 2)
    #expect(faults == ["3: A carriage return ends no line; save the file with LF line ends."])
  }

  @Test("X14: a record of many fields is told by their number, and the others are read")
  func manyFields() {
    let csv =
      "\n\n\(Self.names)\n\n\(String(repeating: ",", count: 20_000))\n\n\(Self.record)\n,,x\n"
    let (events, faults) = Self.read(Array(csv.utf8), by: CSVDecoder())
    #expect(events.count == 1)
    #expect(
      faults == [
        "5: It has 20001 fields, and the line of names has 5.",
        "8: It has 3 fields, and the line of names has 5.",
      ])
  }

  @Test("X14: an event with a zero byte in a text is none, in whatever format")
  func zeroByte() {
    let csv = "\(Self.names)\na\0b,s,t,2026-10-01T09:00:00Z,1\n"
    #expect(Self.read(Array(csv.utf8), by: CSVDecoder()).faults == ["2: Its id has a zero byte."])
    var bytes = Array(csv.utf8)
    bytes[bytes.firstIndex(of: 0) ?? 0] = 0xff
    #expect(Self.read(bytes, by: CSVDecoder()).faults == ["2: Its id is not UTF-8."])
    let cells: [ParquetDecoder.Cell] = EventColumn.allCases.map { _ in .text("a\0b") }
    guard case .fault(let fault) = DecodedEvent(cells) else {
      Issue.record("an event with a zero byte")
      return
    }
    #expect(fault == "Its id has a zero byte.")
  }

  @Test(
    "X14: JSON that is sound and cannot be kept is told for what it is",
    arguments: [
      (#"{"a":18446744073709551616}"#, "a whole number of more than 64 bits; write it as a text."),
      (#"{"a":1e400}"#, "a number that is too large; write it as a text."),
      (#"{"a":"b\u0000"}"#, #"a zero byte, written as \u0000; leave that out."#),
      (#"{"a":1,"a":2}"#, "a key twice in one object; leave out one of the two."),
      (#"{"a":"\ud800"}"#, "half of a surrogate pair; write the character whole."),
    ])
  func unfitJSON(line: String, sentence: String) {
    let found = Self.read(Array("\n\(line)\n".utf8), by: NDJSONDecoder())
    #expect(found.faults == ["2: It has \(sentence)"])
    let cut = Self.read(Array(line.dropLast().utf8), by: NDJSONDecoder())
    #expect(cut.faults == ["1: It is no JSON object."])
  }

  @Test("X14: a column of JSON says what is wrong with it")
  func unfitColumn() {
    for (data, fault) in [
      (
        #"{""a"":""b\u0000""}"#,
        #"In its data: It has a zero byte, written as \u0000; leave that out."#
      ),
      ("{", "Its data is no JSON."),
    ] {
      let csv = "\(Self.names),data\n\(Self.record),\"\(data)\"\n"
      #expect(Self.read(Array(csv.utf8), by: CSVDecoder()).faults == ["2: \(fault)"])
    }
  }

  @Test("X14: JSON that is nested too deep is told with how deep it may be")
  func deepJSON() {
    let (opening, closing) = (String(repeating: "[", count: 70), String(repeating: "]", count: 70))
    let found = Self.read(Array("{\"a\":\(opening)\(closing)}".utf8), by: NDJSONDecoder())
    #expect(found.faults == ["1: The JSON is nested more than 64 levels deep."])
  }
}
