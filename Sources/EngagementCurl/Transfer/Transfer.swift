import CCurl
import EngagementHTTP
import EngagementModel
import EngagementPlatform

/// One running request: libcurl's callbacks store data here and ask whether to continue.
///
/// Only the thread that drives uses it.
final class Transfer {
  typealias Outcome = Result<ReceivedData, EngagementError>

  let order: Order
  let ticket: Ticket
  let easy: EasyHandle
  let continuation: CheckedContinuation<Outcome, Never>
  /// Why this side ended the transfer; nil if it did not.
  private(set) var refusal: Refusal?
  var received = ReceivedData()
  private let maximumBodyBytes: Int
  private var bodyBytes = 0
  private var hasBegun = false
  private var sendings = 0

  init(
    _ order: Order, _ ticket: Ticket, on easy: EasyHandle, maximumBodyBytes: Int,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    self.order = order
    self.ticket = ticket
    self.easy = easy
    self.maximumBodyBytes = maximumBodyBytes
    self.continuation = continuation
  }

  /// Whether libcurl may write the request. libcurl asks each time before it writes the request to
  /// a connection.
  func mayBeSent() -> Bool {
    sendings += 1
    // libcurl writes the request again if a kept connection was dead. The server may already have
    // read the first one.
    if sendings > 1 && !order.request.method.isSafe { refusal = .lost }
    if refusal == nil, let pins = order.pins { check(pins) }
    return refusal == nil
  }

  private func check(_ pins: PinSet) {
    let keys = easy.verifiedKeys()
    let verdict = pins.verdict(onChain: keys, at: Date())
    if !verdict.permits { refusal = .pins }
    if case .mismatched = verdict {
      order.report?(
        PinMismatch(host: order.url.host, keys: keys, wasRefused: !verdict.permits))
    }
  }

  func take(headLine line: UnsafeRawBufferPointer) -> Bool {
    if unsafe !received.take(headLine: line) { refusal = .headTooLong }
    return refusal == nil
  }

  /// Takes the status, and passes the head to the receiver, once it is complete. Returns whether to
  /// continue.
  func begin() -> Bool {
    guard !hasBegun, refusal == nil else { return refusal == nil }
    hasBegun = true
    received.status = easy.number(CURLINFO_RESPONSE_CODE)
    // libcurl calls a head an answer where the connection ended within it or after an interim one.
    guard received.isHeadComplete, received.status >= 200 else {
      refusal = .lost
      return false
    }
    guard let receiver = order.receiver else { return true }
    attempt { () throws(EngagementError) in try receiver.begin(received.response) }
    return refusal == nil
  }

  func take(body bytes: UnsafeRawBufferPointer) -> Bool {
    guard begin() else { return false }
    if bytes.count > maximumBodyBytes - bodyBytes { refusal = .bodyTooLong }
    guard refusal == nil else { return false }
    bodyBytes += bytes.count
    if let receiver = order.receiver {
      attempt { () throws(EngagementError) in unsafe try receiver.take(bytes.bytes) }
    } else {
      unsafe received.body.append(contentsOf: bytes)
    }
    return refusal == nil
  }

  private func attempt(_ call: () throws(EngagementError) -> Void) {
    do throws(EngagementError) { try call() } catch { refusal = .receiver(error) }
  }
}

extension Transfer {
  /// Why this side ended a transfer.
  enum Refusal {
    case pins, lost, headTooLong, bodyTooLong
    case receiver(EngagementError)
  }
}

// The context is the transfer. The driver retains it until libcurl has released it.

let takeHeadLine: curl_write_callback = { bytes, size, count, context in
  guard let context = unsafe context else { return 0 }
  let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return unsafe transfer.take(headLine: line) ? size * count : 0
}

let takeBody: curl_write_callback = { bytes, size, count, context in
  guard let context = unsafe context else { return 0 }
  let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return unsafe transfer.take(body: piece) ? size * count : 0
}

let beforeRequest: curl_prereq_callback = { context, _, _, _, _ in
  guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
  let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.mayBeSent() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}
