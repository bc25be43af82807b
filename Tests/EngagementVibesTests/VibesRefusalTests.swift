import EngagementAdapterAPI
import EngagementHTTP
import EngagementModel
import EngagementTesting
import EngagementVibes
import Testing
import VibesFixtures

/// Which answers refuse an action, and which come from somebody between the application and Vibes.
@Suite struct VibesRefusalTests {
  static let statuses = [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 415, 422, 428, 429, 431, 451,
    511,
  ]

  /// The kinds of bodies, and whether they may be the vendor's.
  static let bodies: [(String, Bool)] = [
    (#"{"errors":[{"message":"m","code":7}]}"#, true), ("", true),
    ("<html><body>Please log in</body></html>", false), ("Blocked by policy", false),
    (#"{"blocked":true,"policy":"guests"}"#, false),
  ]

  @Test(
    "G2 V8: only the vendor's own words end an action", arguments: statuses, bodies)
  func words(status: Int, body: (String, Bool)) throws {
    let waits = [407, 408, 429, 511].contains(status)
    for operation: Vibes.Operation in [
      .act(.read, on: Vibes.item("m-1")), .events([Vibes.event("e-1", .launch)]), .inbox,
      .registerPush(.production), .device(.register), .device(.renew),
    ] {
      let context = Vibes.context {
        $0.values[.installation, "token.refused"] = "2026-10-01T08:30:00.000Z"
      }
      let answer = try Vibes.adapter().answer(
        to: operation, from: HTTPResponse(status, body: Array(body.0.utf8)), in: context)
      switch answer.verdict {
      case .retry: #expect(waits || !body.1, "\(operation.verb)")
      case .refused, .renew, .done, .partly: #expect(!waits && body.1, "\(operation.verb)")
      }
      if !body.1 { #expect(answer.changes.isEmpty) }
    }
  }
}
