public import EngagementModel

/// Events that one thread has read and another is to write, in order.
public struct EventPage: Sendable {
  private enum Cell: UInt8 {
    case missing, text, integer, time, json, end
  }

  private var cells: [Cell] = []
  /// A number for each cell that has a value: of a text it is the count of bytes.
  private var values: [Int64] = []
  private var bytes: [UInt8] = []

  public init() {}

  /// How much a page holds.
  public struct Room: Sendable {
    fileprivate var (cells, values, bytes) = (0, 0, 0)

    public init() {}
  }

  public var room: Room {
    var room = Room()
    (room.cells, room.values, room.bytes) = (cells.count, values.count, bytes.count)
    return room
  }

  /// An empty page that can hold as much, and a little more, without growing.
  public init(with room: Room) {
    cells.reserveCapacity(Self.ample(room.cells))
    values.reserveCapacity(Self.ample(room.values))
    bytes.reserveCapacity(Self.ample(room.bytes))
  }

  private static func ample(_ count: Int) -> Int { count + count / 8 }

  /// Sends the events on.
  public func send(to sink: inout some EventSink) {
    let (bytes, values) = (bytes.span.bytes, values.span)
    var (offset, index) = (0, 0)
    func nextValue() -> Int64 {
      index &+= 1
      return values[index &- 1]
    }
    func nextBytes() -> Range<Int> {
      let start = offset
      offset &+= Int(nextValue())
      return start..<offset
    }
    for cell in cells {
      switch cell {
      case .missing: sink.missing()
      case .text: sink.text(bytes.extracting(nextBytes()))
      case .integer: sink.integer(nextValue())
      case .time: sink.time(nextValue())
      case .json: sink.json(bytes.extracting(nextBytes()))
      case .end: sink.endEvent()
      }
    }
  }

  @inline(__always)
  private mutating func add(_ cell: Cell, _ value: Int64) {
    cells.append(cell)
    values.append(value)
  }

  @inline(__always)
  private mutating func add(_ cell: Cell, _ span: RawSpan) {
    add(cell, Int64(span.byteCount))
    unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }
}

extension EventPage: EventSink {
  public mutating func missing() { cells.append(.missing) }
  public mutating func text(_ text: RawSpan) { add(.text, text) }
  public mutating func integer(_ value: Int64) { add(.integer, value) }
  public mutating func time(_ milliseconds: Int64) { add(.time, milliseconds) }
  public mutating func json(_ json: RawSpan) { add(.json, json) }
  public mutating func endEvent() { cells.append(.end) }
}
