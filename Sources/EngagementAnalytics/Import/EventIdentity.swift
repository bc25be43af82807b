import EngagementFormats
import EngagementModel

/// What tells whether two events are the same: half of a SHA-256 of an event's source and id. Two events
/// of a billion have the same one with a probability of 10⁻²¹.
public struct EventIdentity: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  public init(_ event: borrowing EventRecord) {
    func bytes(_ column: EventColumn, of event: borrowing EventRecord) -> [UInt8] {
      if case .text(let text) = event[column] { text } else { [] }
    }
    self.init(bytes(.id, of: event), of: bytes(.source, of: event))
  }

  init(_ id: [UInt8], of source: [UInt8]) {
    var hash = SHA256()
    hash.update(id)
    hash.update(source)
    // Without the length, an end of the id could be a beginning of the source.
    hash.update(withUnsafeBytes(of: UInt64(id.count).littleEndian) { Array($0) })
    (high, low) = hash.digest().leadingBits
  }
}
