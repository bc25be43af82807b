import EngagementJSON
import EngagementModel

/// Reads events from a text format. The bytes may be cut anywhere.
public protocol EventDecoder {
  /// - Parameter body: Called with each event and the number of its first line.
  mutating func decode(
    _ bytes: [UInt8], _ body: (Int, DecodedEvent) throws -> Void
  ) rethrows

  /// Takes what is left as the last event.
  mutating func finish(_ body: (Int, DecodedEvent) throws -> Void) rethrows

  /// Sentences on what was passed over, once all is read.
  var notes: [String] { get }
}

extension EventDecoder {
  public var notes: [String] { [] }
}

/// An event that was read, or a sentence that says why it cannot be.
public enum DecodedEvent: Sendable {
  case event(EventRecord)
  case fault(String)

  static let tooLong = DecodedEvent.fault("The line is longer than 16 MB.")

  /// The fault of a line that is to be a JSON object.
  static func unreadable(_ fault: JSONFault) -> DecodedEvent { .fault(fault.sentence) }
}

extension EventRecord {
  /// Appends a text from outside. Returns what is wrong with it.
  mutating func append(_ text: RawSpan, as column: EventColumn) -> String? {
    guard !text.isEmpty || !column.isRequired && column != .provider else {
      return "Its \(column.name) is empty."
    }
    guard TextFacts(text).isSound else {
      return "Its \(column.name) \(text.isUTF8 ? "has a zero byte" : "is not UTF-8")."
    }
    self.text(text)
    return nil
  }

  /// Appends JSON from outside. Returns what is wrong with it.
  mutating func append(json: [UInt8], as column: EventColumn) -> String? {
    do throws(JSONFault) { _ = try JSON(parsing: json) } catch {
      return error.isOfSyntax
        ? "Its \(column.name) is no JSON." : "In its \(column.name): \(error.sentence)"
    }
    // JSON has line ends only between its parts. In NDJSON an event is one line.
    if json.contains(where: Self.lineEnds.contains) {
      let line = json.map { Self.lineEnds.contains($0) ? UInt8(ascii: " ") : $0 }
      self.json(line.span.bytes)
    } else {
      self.json(json.span.bytes)
    }
    return nil
  }

  // A form feed and a vertical tab, which lie between them, are in no JSON.
  private static let lineEnds = UInt8(ascii: "\n")...UInt8(ascii: "\r")
}

extension JSONFault {
  /// Without the place: the lines of a file with the same fault are told together.
  fileprivate var sentence: String {
    switch kind {
    case .unexpectedByte, .unexpectedEnd, .byteOrderMark, .controlCharacter, .invalidEscape,
      .trailingBytes, .notAnObject, .noValue:
      Self.noObject
    case .tooLarge: "It is too large; leave fields out."
    case .tooDeep: EngagementError(self).message
    case .nul: "It has a zero byte, written as \\u0000; leave that out."
    case .invalidUTF8: "It has a text that is not UTF-8."
    case .invalidSurrogate: "It has half of a surrogate pair; write the character whole."
    case .integerOverflow: "It has a whole number of more than 64 bits; write it as a text."
    case .realOverflow: "It has a number that is too large; write it as a text."
    case .duplicateKey: "It has a key twice in one object; leave out one of the two."
    }
  }

  private static let noObject = "It is no JSON object."

  /// Whether it is no JSON at all.
  fileprivate var isOfSyntax: Bool { sentence == Self.noObject }
}

/// The most bytes of one event.
let longestEvent = 16 << 20
