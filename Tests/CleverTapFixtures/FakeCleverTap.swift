package import EngagementHTTP
import EngagementJSON
package import EngagementModel
package import EngagementTesting

/// The vendor in memory, written from its protocol: the handshake, batches on two hosts, the inbox
/// of each device.
package actor FakeCleverTap {
  package init() {}

  /// What came in one request.
  package struct Batch: Sendable {
    package var host: String
    package var path: String
    package var meta: JSON
    package var items: [JSON]

    /// The id of the device that asked.
    package var guid: String? { meta["g"]?.string }

    /// What the items are: an event by its name, anything else by its type and first word.
    package var names: [String] {
      items.map { item in
        let word = item["profile"]?.object?.members.first?.key ?? item["data"]?["action"]?.string
        return item["evtName"]?.string
          ?? [item["type"]?.string, word].compactMap(\.self).joined(separator: " ")
      }
    }
  }

  /// The host that the handshake names, and the one for what was viewed.
  package private(set) var domain = "eu1.clevertap-prod.com"
  package private(set) var viewedDomain = "eu1-spiky.clevertap-prod.com"
  package private(set) var handshakes = 0
  package private(set) var batches: [Batch] = []
  /// What each host says to its next requests, in order; then `{}`.
  private var answers: [String: [HTTPResponse]] = [:]
  /// The messages of each device's inbox.
  private var inbox: [String: [String]] = [:]
  private var deadHosts: Set<String> = []

  /// The next requests to a path of the host are answered like this.
  package func reply(_ place: String, _ responses: HTTPResponse...) {
    answers[place, default: []] += responses
  }

  /// Gives the device messages for its inbox.
  package func seed(_ device: String, _ messages: [String]) {
    inbox[device, default: []] += messages
  }

  /// The account moves: the old host is silent from now on.
  package func move(to domain: String) {
    deadHosts.insert(self.domain)
    self.domain = domain
  }

  /// The batches on one host.
  package func batches(at host: String) -> [Batch] { batches.filter { $0.host == host } }

  // MARK: Answering

  package nonisolated var script: ScriptedTransport.Script {
    { request throws(EngagementError) in try await self.respond(to: request) }
  }

  package func respond(to request: HTTPRequest) throws(EngagementError) -> HTTPResponse {
    let url = try request.target()
    if deadHosts.contains(url.host.text) {
      throw EngagementError(.unavailable, "The host does not answer.")
    }
    guard request.headers.secret("X-CleverTap-Token") == CleverTap.token else {
      return HTTPResponse(401)
    }
    let place = "\(url.host)\(url.path)"
    if url.path == "/hello" { handshakes += 1 } else { try take(request, url) }
    if let answer = answers[place]?.first {
      answers[place]?.removeFirst()
      return answer
    }
    return url.path == "/hello" ? greeting : body(of: url.path)
  }

  private var greeting: HTTPResponse {
    .json(
      200, "{}", headers: [("X-WZRK-RD", domain), ("X-WZRK-SPIKY-RD", viewedDomain)])
  }

  private func take(_ request: HTTPRequest, _ url: HTTPURL) throws(EngagementError) {
    guard case .array(let elements)? = try? JSON(parsing: request.body ?? []),
      let meta = elements.first, meta["type"] == "meta"
    else { throw EngagementError(.internalFailure, "A body begins with its header.") }
    batches.append(
      Batch(host: url.host.text, path: url.path, meta: meta, items: Array(elements.dropFirst())))
  }

  private func body(of path: String) -> HTTPResponse {
    guard path == "/inbox/v2/getMessages", let guid = batches.last?.guid else {
      return .json(200, "{}")
    }
    return .json(200, #"{"inbox_notifs_v2":[\#((inbox[guid] ?? []).joined(separator: ","))]}"#)
  }
}
