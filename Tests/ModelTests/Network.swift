import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// What is between the installation and its vendor, and what passed through.
final class Network: HTTPTransport {
  enum Mode: CaseIterable {
    case fine
    /// Nothing arrives.
    case down
    /// Everything arrives, and no answer comes back.
    case lost
    /// The vendor has too much to do.
    case busy
    /// The vendor takes no action and no event, and never will.
    case refusing
    /// Answers are cut off in the middle.
    case cut
  }

  /// An event or an action that arrived, as often as it did.
  struct Arrival: Hashable {
    var user: User
    /// The item for an action; nil for an event that is about none.
    var item: String?
    /// What arrived: an event's id, or an action by name.
    var id: String
    /// The application's own name of an event.
    var name: String?
  }

  private struct State {
    var mode = Mode.fine
    var arrivals: [Arrival] = []
    /// Requests that came with another user's credential.
    var foreign: [String] = []
    var lost = 0
  }

  private let vendor: InProcessServer
  private let state = Locked(State())

  init(_ vendor: InProcessServer) { self.vendor = vendor }

  func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

  var arrivals: [Arrival] { state.withLock { $0.arrivals } }
  var foreign: [String] { state.withLock { $0.foreign } }
  var lost: Int { state.withLock { $0.lost } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let mode = state.withLock { $0.mode }
    let isDeed = request.isDeed
    switch mode {
    case .down: throw EngagementError(.unavailable, "Nothing arrives.")
    case .busy: return HTTPResponse(503)
    case .refusing where isDeed: return HTTPResponse(422)
    case .fine, .lost, .refusing, .cut: break
    }
    let response = await vendor.answer(request)
    note(request, response)
    if mode == .lost {
      state.withLock { $0.lost += 1 }
      throw EngagementError(.unavailable, "The answer is lost.")
    }
    if mode == .cut, response.status == 200 {
      return HTTPResponse(
        200, headers: response.headers, body: Array(response.body.prefix(response.body.count / 2)))
    }
    return response
  }

  /// Keeps what the vendor took.
  private func note(_ request: HTTPRequest, _ response: HTTPResponse) {
    let user = request.headers.first("X-User").map { User(UserID($0)) } ?? .anonymous
    let credential = request.headers.secret("Authorization")?.revealed
    let isOwn = user.id.map { credential?.hasPrefix("Bearer memory.\($0).") == true } ?? true
    let arrivals = response.status == 200 && request.isDeed ? request.arrivals(of: user) : []
    state.withLock { state in
      if !isOwn { state.foreign.append(request.line) }
      state.arrivals += arrivals
    }
  }
}

extension HTTPRequest {
  private var path: [String] {
    line.split(separator: " ").last.map { $0.split(separator: "/").map(String.init) } ?? []
  }

  /// Whether it says what a user did.
  var isDeed: Bool {
    guard path.count > 1 else { return false }
    return path[1] == "events" || path[1] == "items" || path[1] == "inbox" && method != .get
  }

  /// What a vendor takes out of it.
  fileprivate func arrivals(of user: User) -> [Network.Arrival] {
    guard path[1] == "events" else {
      let action = method == .delete ? "delete" : path.last ?? ""
      return [Network.Arrival(user: user, item: path[2], id: action, name: nil)]
    }
    let events = (try? JSON(parsing: body ?? []))?["events"]?.array ?? []
    return events.map {
      Network.Arrival(
        user: user, item: $0["item"]?.string, id: $0["id"]?.string ?? "", name: $0["name"]?.string)
    }
  }
}
