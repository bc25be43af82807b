public import EngagementHTTP
public import EngagementModel

/// A network with faults in front of a vendor's server.
public final class FaultyTransport: HTTPTransport {
  /// Answers as the vendor does.
  public typealias Answering = @Sendable (HTTPRequest) async -> HTTPResponse

  private let clock: TestClock
  private let refusal: String
  private let answering: Answering
  private let counted: Locked<[CountedFault]>

  /// A fault, with the numbers of requests that it matched and struck.
  fileprivate struct CountedFault {
    let fault: FaultScript.Fault
    var seen = 0
    var struck = 0
  }

  /// - Parameter refusal: The body that the vendor's refusals have.
  public init(
    _ script: FaultScript, clock: TestClock, refusal: String = "{}",
    answering: @escaping Answering
  ) {
    self.clock = clock
    self.refusal = refusal
    self.answering = answering
    counted = Locked(script.faults.map { CountedFault(fault: $0) })
  }

  /// Replaces the script.
  public func load(_ script: FaultScript) {
    counted.withLock { $0 = script.faults.map { CountedFault(fault: $0) } }
  }

  public func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    try checkCancellation()
    let response: HTTPResponse
    switch strike(request.line) {
    case .status(let status, let wait)?:
      response = .json(status, refusal, headers: wait.map { [("Retry-After", $0)] } ?? [])
    case .resetBefore?: throw Self.reset
    case .resetAfter?:
      _ = await answering(request)
      throw Self.reset
    case .delay(let delay)?:
      clock.advance(by: delay)
      response = await answering(request)
    case .duplicateRequest?:
      _ = await answering(request)
      response = await answering(request)
    case .truncate(let count)?:
      response = await answering(request).replacingBody { Array($0.prefix(count)) }
    case .wrongType?:
      response = await answering(request).replacingBody { body in
        Array((body.first == UInt8(ascii: "[") ? "{}" : "[]").utf8)
      }
    case .invalidUTF8?:
      response = await answering(request).replacingBody { _ in
        Array("{\"".utf8) + [0xff, 0xfe] + Array("\":1}".utf8)
      }
    case nil: response = await answering(request)
    }
    try checkCancellation()
    return response
  }

  private func checkCancellation() throws(EngagementError) {
    if Task.isCancelled { throw EngagementError(.cancelled, "It was cancelled.") }
  }

  private static let reset = EngagementError(.unavailable, "The connection broke.")

  /// The first fault of the script that strikes the request.
  private func strike(_ line: String) -> FaultScript.Kind? {
    counted.withLock { counted in
      for index in counted.indices where counted[index].strikes(line) {
        return counted[index].fault.kind
      }
      return nil
    }
  }
}

extension FaultyTransport.CountedFault {
  fileprivate mutating func strikes(_ line: String) -> Bool {
    guard fault.place.isEmpty || line.contains(fault.place) else { return false }
    seen += 1
    guard seen >= fault.from, struck < fault.times ?? .max else { return false }
    struck += 1
    return true
  }
}

extension HTTPResponse {
  fileprivate func replacingBody(_ body: ([UInt8]) -> [UInt8]) -> HTTPResponse {
    var response = self
    response.body = body(self.body)
    return response
  }
}
