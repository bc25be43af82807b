import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

/// A faulty network between the installation and its vendors, with a record of arrivals.
final class Network: HTTPTransport {
  enum Mode: CaseIterable {
    case fine
    /// Nothing arrives.
    case down
    /// Every request arrives, and every answer is lost.
    case lost
    /// The vendor is overloaded.
    case busy
    /// The vendor refuses actions and events permanently.
    case refusing
    /// Answers are cut off in the middle.
    case cut
  }

  /// An arrived event or action.
  struct Arrival: Hashable {
    var provider: ProviderID
    var user: User
    /// The item; nil for an event without one.
    var item: String?
    /// The event's id, or the action's name.
    var id: String
    /// The application's own name of an event.
    var name: String?
  }

  private struct State {
    var modes: [ProviderID: Mode] = [:]
    var arrivals: [Arrival] = []
    /// Requests with another user's credential.
    var foreign: [String] = []
    var lost = 0
  }

  private let vendors: [ProviderID: InProcessServer]
  private let state = Locked(State())

  init(_ vendors: [ProviderID: InProcessServer]) { self.vendors = vendors }

  /// The host of a vendor.
  static func host(of provider: ProviderID) -> String { "\(provider).example" }

  func set(_ mode: Mode, at provider: ProviderID) { state.withLock { $0.modes[provider] = mode } }

  func mode(at provider: ProviderID) -> Mode { state.withLock { $0.modes[provider] ?? .fine } }

  var arrivals: [Arrival] { state.withLock { $0.arrivals } }
  var foreign: [String] { state.withLock { $0.foreign } }
  var lost: Int { state.withLock { $0.lost } }

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    let host = try HTTPURL(request.url).host.text
    guard let (provider, vendor) = vendors.first(where: { Self.host(of: $0.key) == host }) else {
      throw EngagementError(.unavailable, "No vendor has the host \(host).")
    }
    let (mode, isDeed) = (mode(at: provider), request.isDeed)
    switch mode {
    case .down: throw EngagementError(.unavailable, "Nothing arrives.")
    case .busy: return HTTPResponse(503)
    case .refusing where isDeed: return HTTPResponse(422)
    case .fine, .lost, .refusing, .cut: break
    }
    let response = await vendor.answer(request)
    note(request, response, at: provider)
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

  /// Records the arrivals that the vendor accepted.
  private func note(
    _ request: HTTPRequest, _ response: HTTPResponse, at provider: ProviderID
  ) {
    let user = request.headers.first("X-User").map { User(UserID($0)) } ?? .anonymous
    let credential = request.headers.secret("Authorization")?.revealed
    let isOwn = user.id.map { credential?.hasPrefix("Bearer memory.\($0).") == true } ?? true
    let arrivals =
      response.status == 200 && request.isDeed
      ? request.arrivals(of: user, at: provider) : []
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

  /// Whether the request reports a user's actions or events.
  var isDeed: Bool {
    guard path.count > 1 else { return false }
    return path[1] == "events" || path[1] == "items" || path[1] == "inbox" && method != .get
  }

  /// The request's events or action.
  fileprivate func arrivals(of user: User, at provider: ProviderID) -> [Network.Arrival] {
    guard path[1] == "events" else {
      let action = method == .delete ? "delete" : path.last ?? ""
      return [
        Network.Arrival(provider: provider, user: user, item: path[2], id: action, name: nil)
      ]
    }
    let events = (try? JSON(parsing: body ?? []))?["events"]?.array ?? []
    return events.map {
      Network.Arrival(
        provider: provider, user: user, item: $0["item"]?.string, id: $0["id"]?.string ?? "",
        name: $0["name"]?.string)
    }
  }
}
