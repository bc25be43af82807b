import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel

/// A small Braze for these tests: three cards, and a record of events.
final class PlayedBraze: HTTPTransport {
  private struct State {
    var isDown = false
    var events: [String] = []
  }

  private let state = Locked(State())

  /// The received events in the vendor's terms, such as `ccd c-2`.
  var events: [String] { state.withLock { $0.events } }

  func goDown() { state.withLock { $0.isDown = true } }
  func comeBack() { state.withLock { $0.isDown = false } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    guard !state.withLock({ $0.isDown }) else {
      throw EngagementError(.unavailable, "The host was not reached.", underlying: "unplugged")
    }
    note(eventsIn: request.body ?? [])
    let isSync = request.url.contains("content_cards/sync")
    return HTTPResponse(200, body: Array((isSync ? Self.cards : Self.settings).utf8))
  }

  private func note(eventsIn body: [UInt8]) {
    guard let events = (try? JSON(parsing: body))?["events"]?.array else { return }
    for event in events where event["name"] != "ss" {
      guard let name = event["name"]?.string else { continue }
      let data = event["data"]
      let ids = data?["ids"]?.array?.compactMap(\.string) ?? [data?["n"]?.string ?? ""]
      state.withLock { state in state.events += ids.map { "\(name) \($0)" } }
    }
  }

  private static let settings = """
    {"config": {"time": 1, "content_cards": {"enabled": true}}}
    """

  private static let cards = #"""
    {"full_sync": true, "last_full_sync_at": 1, "last_card_updated_at": 1, "cards": [
     {"id": "c-1", "tp": "short_news", "ca": 1790840000, "ea": -1, "tt": "Fresh \u001b[31mroast", "ds": "Beans of the week", "u": "https://example.com/roast", "db": true, "p": true},
     {"id": "c-2", "tp": "captioned_image", "ca": 1790830000, "ea": -1, "tt": "咖啡 for two", "ds": "Bring a friend", "i": "https://example.com/two.png", "db": true},
     {"id": "d-3", "tp": "banner_image", "ca": 1790820000, "ea": -1, "i": "https://example.com/banner.png", "db": false},
     {"id": "k-4", "tp": "control", "ca": 1790810000, "ea": -1}]}
    """#
}
