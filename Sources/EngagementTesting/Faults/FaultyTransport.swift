public import EngagementHTTP
public import EngagementModel

/// A network with faults in front of a vendor's server.
public final class FaultyTransport: HTTPTransport {
  /// Answers as the vendor does.
  public typealias Answering = @Sendable (HTTPRequest) async -> HTTPResponse

  private let clock: TestClock
  private let answering: Answering
  private let left: Locked<[Charge]>

  /// A fault with how much of it is left.
  fileprivate struct Charge {
    let fault: FaultScript.Fault
    var after: Int
    var times: Int?

    init(_ fault: FaultScript.Fault) {
      self.fault = fault
      after = fault.after
      times = fault.times
    }
  }

  public init(_ script: FaultScript, clock: TestClock, answering: @escaping Answering) {
    self.clock = clock
    self.answering = answering
    left = Locked(script.faults.map(Charge.init))
  }

  /// Begins another script; what is left of the one before is forgotten.
  public func load(_ script: FaultScript) {
    left.withLock { $0 = script.faults.map(Charge.init) }
  }

  public func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try checkCancellation()
    let response: HTTPResponse
    switch strike(request.line) {
    case .status(let status, let wait)?:
      response = .json(status, "{}", headers: wait.map { [("Retry-After", $0)] } ?? [])
    case .deadBefore?: throw Self.dead
    case .deadAfter?:
      _ = await answering(request)
      throw Self.dead
    case .delay(let delay)?:
      clock.advance(by: delay)
      response = await answering(request)
    case .duplicate?:
      _ = await answering(request)
      response = await answering(request)
    case let kind: response = await answering(request).spoiled(by: kind)
    }
    try checkCancellation()
    return response
  }

  private func checkCancellation() throws(EngagementError) {
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
  }

  private static let dead = EngagementError(.unavailable, "The connection broke.")

  /// The fault that strikes the request; the first one in the script that is due.
  private func strike(_ line: String) -> FaultScript.Kind? {
    left.withLock { left in
      for index in left.indices where left[index].strikes(line) { return left[index].fault.kind }
      return nil
    }
  }
}

extension FaultyTransport.Charge {
  fileprivate mutating func strikes(_ line: String) -> Bool {
    guard fault.place.isEmpty || line.contains(fault.place), times != 0 else { return false }
    guard after == 0 else {
      after -= 1
      return false
    }
    times = times.map { $0 - 1 }
    return true
  }
}

extension HTTPResponse {
  /// The response as it arrives through a fault that touches its body only.
  fileprivate func spoiled(by kind: FaultScript.Kind?) -> HTTPResponse {
    var response = self
    switch kind {
    case .cut(let count)?: response.body = Array(body.prefix(count))
    case .wrongType?: response.body = Array((body.first == UInt8(ascii: "[") ? "{}" : "[]").utf8)
    case .invalidUTF8?: response.body = Array("{\"".utf8) + [0xff, 0xfe] + Array("\":1}".utf8)
    default: break
    }
    return response
  }
}
