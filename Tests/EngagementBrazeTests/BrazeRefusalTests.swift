import BrazeFixtures
import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementModel
import EngagementTesting
import Testing

/// Which answers refuse an action, and which come from somebody between the application and Braze.
@Suite struct BrazeRefusalTests {
  static let statuses = [
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 415, 422, 428, 429, 431, 451,
    511,
  ]

  /// The kinds of bodies, and whether they are the vendor's.
  static let bodies: [(String, Bool)] = [
    (#"{"message":"The request is not a JSON object"}"#, true),
    (#"{"error":"invalid_api_key"}"#, true), ("", false),
    ("<html><body>Please log in</body></html>", false),
    (#"{"blocked":true,"policy":"guests"}"#, false),
  ]

  @Test("G2 B3: only the vendor's own words end an action", arguments: statuses, bodies)
  func words(status: Int, body: (String, Bool)) throws {
    let waits = [407, 408, 429, 511].contains(status)
    let event = EngagementEvent(id: "1", kind: .custom, time: TestClock().now, name: "seen")
    for operation: EngagementAdapterAPI.Operation in [
      .events([event]), BrazeScene.cards, .settings, .registerPush(.production),
    ] {
      let answer = try BrazeScene.adapter().answer(
        to: operation, from: HTTPResponse(status, body: Array(body.0.utf8)),
        in: BrazeScene.context())
      switch answer.verdict {
      case .retry: #expect(waits || !body.1, "\(operation.verb)")
      case .refused: #expect(!waits && body.1, "\(operation.verb)")
      default: Issue.record("\(answer.verdict)")
      }
      #expect(answer.told.isEmpty)
    }
  }
}
