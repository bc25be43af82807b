import EngagementHTTP
import EngagementModel

/// Keeps what it takes, and may throw at a chosen call.
final class RecordingReceiver: ResponseReceiver {
  struct Record {
    var heads: [HTTPResponse] = []
    var body: [UInt8] = []
    var byteCount = 0
    var largestPiece = 0
    var pieces = 0
  }

  private let record = Locked(Record())
  private let keepsBody: Bool
  private let onBegin: @Sendable (HTTPResponse) throws(EngagementError) -> Void
  private let onTake: @Sendable (Record) throws(EngagementError) -> Void

  init(
    keepsBody: Bool = true,
    onBegin: @escaping @Sendable (HTTPResponse) throws(EngagementError) -> Void = {
      (_) throws(EngagementError) in
    },
    onTake: @escaping @Sendable (Record) throws(EngagementError) -> Void = {
      (_) throws(EngagementError) in
    }
  ) {
    self.keepsBody = keepsBody
    self.onBegin = onBegin
    self.onTake = onTake
  }

  var seen: Record { record.withLock { $0 } }

  func begin(_ head: HTTPResponse) throws(EngagementError) {
    record.withLock { $0.heads.append(head) }
    try onBegin(head)
  }

  func take(_ bytes: RawSpan) throws(EngagementError) {
    // A test of memory must not allocate for each piece.
    let kept = keepsBody ? bytes.withUnsafeBytes { Array($0) } : []
    let now = record.withLock { record in
      record.body += kept
      record.byteCount += bytes.byteCount
      record.largestPiece = max(record.largestPiece, bytes.byteCount)
      record.pieces += 1
      return record
    }
    try onTake(now)
  }
}
