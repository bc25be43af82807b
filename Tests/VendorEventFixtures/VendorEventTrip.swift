public import EngagementAnalytics
import EngagementJSON
public import EngagementModel

/// Brings events from a vendor's format into ours and back, as files do.
public struct VendorEventTrip: Sendable {
  private let table: VendorEventTable

  public init(_ table: VendorEventTable) { self.table = table }

  /// The lines of our NDJSON for lines of the vendor's, and what is wrong with the others.
  public func ours(of lines: [String]) -> (lines: [JSON], faults: [String]) {
    var faults: [String] = []
    let bytes = Self.written(lines, by: VendorEventDecoder(table), NDJSONEncoder(), &faults)
    return (Self.objects(bytes), faults)
  }

  /// The vendor's lines for lines of our NDJSON.
  public func vendors(of lines: [JSON]) -> [JSON] {
    var faults: [String] = []
    let texts = lines.map { String(decoding: $0.encoded(), as: UTF8.self) }
    let bytes = Self.written(texts, by: NDJSONDecoder(), VendorEventEncoder(table), &faults)
    precondition(faults.isEmpty, "\(faults)")
    return Self.objects(bytes)
  }

  private static func written(
    _ lines: [String], by decoder: some EventDecoder, _ encoder: some EventEncoder,
    _ faults: inout [String]
  ) -> [UInt8] {
    var (decoder, encoder) = (decoder, encoder)
    encoder.begin()
    var found: [String] = []
    func take(_ line: Int, _ decoded: DecodedEvent) {
      switch decoded {
      case .event(let record): record.send(to: &encoder)
      case .fault(let fault): found.append("\(line): \(fault)")
      }
    }
    decoder.decode(Array(lines.joined(separator: "\n").utf8), take)
    decoder.finish(take)
    encoder.finish()
    faults = found
    return encoder.bytes
  }

  /// Objects are equal whatever the order of their members.
  private static func objects(_ bytes: [UInt8]) -> [JSON] {
    bytes.split(separator: UInt8(ascii: "\n")).map { line in
      (try? JSON(parsing: Array(line))) ?? .null
    }
  }
}
