import CleverTapFixtures
import EngagementAdapterAPI
import EngagementCleverTap
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

/// Which answers refuse an action, and which come from somebody between the application and
/// CleverTap.
@Suite("CleverTap: refusals") struct CleverTapRefusalTests {
  static let statuses = [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 415, 422, 428, 429, 431, 451,
    511,
  ]

  /// The kinds of bodies, and whether they may be the vendor's.
  static let bodies: [(String, Bool)] = [
    (#"{"error":"m","code":10006}"#, true), ("", true),
    ("<html><body>Please log in</body></html>", false), ("Blocked by policy", false),
    (#"{"blocked":true,"policy":"guests"}"#, false),
  ]

  private static let operations: [CleverTap.Operation] = [
    .events([CleverTap.event("e-1", .custom, "a")]),
    .events([CleverTap.event("e-2", .impression, on: CleverTap.campaign("1"))]),
    .act(.delete, on: CleverTap.item(.inbox, ["server": true])), .inbox, .campaigns,
    .associate("u-1"), .optOut(true), .templates([]), .registerPush(.production), .settings,
  ]

  @Test("G2 C11: only the vendor's own words end an action", arguments: statuses, bodies)
  func words(status: Int, body: (String, Bool)) throws {
    for operation in Self.operations {
      let answer = try CleverTap.adapter().answer(
        to: operation, from: HTTPResponse(status, body: Array(body.0.utf8)),
        in: CleverTap.context())
      let waits = [407, 408, 429, 511].contains(status) || Self.waits(operation, status)
      switch answer.verdict {
      case .retry: #expect(waits || !body.1, "\(operation.verb)")
      case .refused, .renew, .done, .partly: #expect(!waits && body.1, "\(operation.verb)")
      }
      if !body.1 { #expect(answer.changes.isEmpty) }
    }
  }

  /// What waits for a host is not lost with the handshake, and a deletion that finds no inbox is sent
  /// in the next session.
  private static func waits(_ operation: CleverTap.Operation, _ status: Int) -> Bool {
    switch operation.verb {
    case .settings: status != 401
    case .act("delete", on: .inbox): status == 403
    default: false
    }
  }

  @Test("C4: a 401 for templates says what to mark in the dashboard")
  func testProfile() throws {
    let answer = try CleverTap.adapter().answer(
      to: .templates([]), from: HTTPResponse(401), in: CleverTap.context())
    guard case .refused(let error) = answer.verdict else {
      Issue.record("It was not refused.")
      return
    }
    #expect(error.code == .permissionDenied)
    #expect(error.message.contains("as a test profile in the dashboard"))
  }
}
