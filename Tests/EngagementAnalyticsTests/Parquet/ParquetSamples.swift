import EngagementAnalytics
import EngagementModel
import TestSupport
import Testing

/// One cell, as it is written or read.
enum EventCell: Hashable {
  case missing
  case text([UInt8])
  case integer(Int64)
  case time(Int64)
  case json([UInt8])

  static func text(_ text: String) -> EventCell { .text(Array(text.utf8)) }
  static func json(_ text: String) -> EventCell { .json(Array(text.utf8)) }

  init(_ cell: ParquetDecoder.Cell) {
    switch cell {
    case .missing: self = .missing
    case .text(let text): self = .text(text)
    case .integer(let value): self = .integer(value)
    case .time(let milliseconds): self = .time(milliseconds)
    case .json(let json): self = .json(json)
    }
  }

  func write(to encoder: inout some EventEncoder) {
    switch self {
    case .missing: encoder.missing()
    case .text(let bytes): encoder.text(bytes.span.bytes)
    case .integer(let value): encoder.integer(value)
    case .time(let milliseconds): encoder.time(milliseconds)
    case .json(let bytes): encoder.json(bytes.span.bytes)
    }
  }
}

/// Events to write.
enum ParquetSamples {
  /// The bytes of a file. They are taken after every so many events.
  static func file(
    _ rows: some Sequence<[EventCell]>, by encoder: ParquetEncoder = ParquetEncoder(),
    takingEvery count: Int = 1_000
  ) -> [UInt8] {
    var encoder = encoder
    var file: [UInt8] = []
    encoder.begin()
    for (index, row) in rows.enumerated() {
      for cell in row { cell.write(to: &encoder) }
      encoder.endEvent()
      if index % count == 0 {
        file += encoder.bytes
        encoder.takeBytes()
      }
    }
    encoder.finish()
    return file + encoder.bytes
  }

  /// The events of a file, which is read piece by piece.
  static func events(in file: [UInt8]) throws -> [[EventCell]] {
    let decoder = try ParquetDecoder(size: file.count) { offset, count in
      Array(file[offset..<offset + count])
    }
    var events: [[EventCell]] = []
    try decoder.forEachEvent { cells throws(EngagementError) in
      events.append(cells.map { EventCell($0) })
    }
    #expect(events.count == decoder.count)
    return events
  }

  /// An event with the cells that are named; the others are missing.
  static func row(_ cells: [EventColumn: EventCell]) -> [EventCell] {
    EventColumn.allCases.map { cells[$0] ?? .missing }
  }

  /// An event with that text in each column of text.
  static func row(_ text: EventCell) -> [EventCell] {
    EventColumn.allCases.map { column in
      switch column {
      case .time: .time(1_790_845_200_007)
      case .recordedTime: .missing
      case .sequence: .integer(.max)
      case .uptime: .integer(0)
      case .zoneOffset: .integer(-3_600)
      case .data: .json(#"{"a":"q\",","b":[1]}"#)
      case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container, .name:
        text
      }
    }
  }

  /// Events like those of a ledger, with every kind of gap. Some columns repeat a few values, some
  /// have a new one in nearly every event.
  static func ledger(_ count: Int, seed: UInt64) -> [[EventCell]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { index in
      EventColumn.allCases.map { column in
        cell(of: column, index: index, using: &generator)
      }
    }
  }

  private static func cell(
    of column: EventColumn, index: Int, using generator: inout SeededGenerator
  ) -> EventCell {
    switch column {
    case .id: .text("0190-\(String(index, radix: 16))-\(generator.next())")
    case .source: .text("installation")
    case .type: .text("engage.card.\(generator.pick(["impression", "click", "dismissal"]))")
    case .subject: generator.chance(20) ? .missing : .text("braze/\(generator.below(300))")
    case .time: .time(1_790_845_200_000 + Int64(index * 40 + generator.below(50)))
    case .sequence: .integer(Int64(index))
    case .recordedTime:
      generator.chance(50) ? .missing : .time(1_790_845_200_000 + Int64(index * 40))
    case .uptime: generator.chance(2) ? .missing : .integer(Int64(index * 40))
    case .zoneOffset: .integer(Int64(generator.pick([-3_600, 0, 7_200])))
    case .user: .text("\(generator.below(30_000)) é🎉")
    case .session: .text("session-\(index / 40)")
    case .provider: .text(generator.pick(["atomic", "braze", "vibes"]))
    case .surface: generator.chance(99) ? .missing : .text("home")
    case .container: index < 5_000 ? .missing : .text("inbox")
    case .name: .missing
    case .data: generator.chance(90) ? .missing : .json(#"{"price":\#(generator.below(900))}"#)
    }
  }

  /// The least and the greatest of what a column holds.
  static let extremes: [[EventCell]] = {
    let integers: [Int64] = [.min, -1, 0, 1, .max]
    let times: [Int64] = [
      -62_167_219_200_000, -62_167_219_200_001, -1, 253_402_300_799_999, 253_402_300_800_000,
    ]
    return zip(integers, times).map { integer, time in
      EventColumn.allCases.map { column in
        switch column {
        case .time, .recordedTime: .time(time)
        case .sequence, .uptime, .zoneOffset: .integer(integer)
        case .data: .json("{}")
        case .id, .source, .type, .subject, .user, .session, .provider, .surface, .container,
          .name:
          .text("")
        }
      }
    }
  }()

  /// What a reader gets for a cell: a time outside the years 0000 to 9999 is missing, and a text is
  /// UTF-8 without zero bytes.
  static func exported(_ cell: EventCell) -> EventCell {
    switch cell {
    case .time(let time):
      (-62_167_219_200_000...253_402_300_799_999).contains(time) ? cell : .missing
    case .text(let bytes):
      .text(
        String(decoding: bytes, as: UTF8.self).unicodeScalars
          .map { $0 == "\0" ? "\u{fffd}" : String($0) }.joined())
    case .missing, .integer, .json: cell
    }
  }
}
