import EngagementHTTP
import EngagementModel
import EngagementVendors

/// What the control interface shows and does with web sockets.
extension ControlAPI {
  func sockets(for call: VendorRequest) -> JSON {
    let vendor = call.query("vendor")
    let sockets = core.sockets.filter { vendor == nil || $0.vendor == vendor }
    return ["sockets": .array(sockets.map(\.json))]
  }

  /// Does one thing on one socket, and returns the sockets.
  func order(
    _ call: VendorRequest, _ number: String, _ verb: String
  ) throws(EngagementError) -> JSON {
    guard let number = Int(number) else {
      throw EngagementError(.notFound, "A web socket has a number")
    }
    switch verb {
    case "say": try core.say(try text(in: call), on: number)
    case "drop": try core.order(try close(in: call).map { .close($0) } ?? .drop, on: number)
    case "silence": try core.order(.silence, on: number)
    case let verb: throw EngagementError(.notFound, "A web socket has no \"\(verb)\"")
    }
    return sockets(for: call)
  }

  /// `{"text": "…"}`.
  private func text(in call: VendorRequest) throws(EngagementError) -> String {
    guard let text = try body(of: call)["text"]?.string else {
      throw EngagementError(.invalidArgument, "The field text is no text")
    }
    return text
  }

  /// `{"code": 1011, "reason": "…"}`; nil for an empty body and for one without a code.
  private func close(in call: VendorRequest) throws(EngagementError) -> SocketClose? {
    guard !call.body.isEmpty, let code = try body(of: call)["code"] else { return nil }
    guard let code = code.integer.flatMap(UInt16.init(exactly:)) else {
      throw EngagementError(.invalidArgument, "The field code is no close code")
    }
    return try SocketClose(
      SocketCloseCode(rawValue: code), try body(of: call)["reason"]?.string ?? "")
  }
}
