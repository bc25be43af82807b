public import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementJSON
import EngagementModel
import FoundationEssentials

let now = Date(timeIntervalSince1970: 1_790_845_200)

/// Gives an adapter arbitrary bytes and checks rules that must hold for any input.
public struct Probe: Sendable {
  public let subject: Subject
  private let context: AdapterContext

  public init(_ subject: Subject) {
    self.subject = subject
    var context = AdapterContext(
      user: "u-1",
      device: Device(
        id: "device-1", appID: "com.example.app", system: "Linux", systemVersion: "12",
        locale: "en_US", timeZone: "Europe/Sofia"),
      credential: Self.token, now: now, key: OperationKey(1, 2))
    context.secrets[.installation, "token"] = Secret("canary-s")
    self.context = context
  }

  /// A credential for every vendor: a token of the user that ends in a day.
  private static let token: Secret = {
    let end = Int64(now.timeIntervalSince1970) + 86_400
    let claims: JSONObject = ["sub": "u-1", "exp": .integer(end)]
    let parts = [["alg": "none"], claims].map { Base64URL.text(of: JSON.object($0).encoded()) }
    return Secret((parts + ["canary-c"]).joined(separator: "."))
  }()

  /// A violated rule; nil if there is none.
  public typealias Finding = String

  /// The statuses to test; the last one is not a valid status.
  public static let statuses = [200, 201, 204, 304, 400, 401, 403, 404, 409, 413, 429, 500, 503, 0]

  /// Checks the answer to one operation and the items in it.
  public func answer(
    to operation: Operation, _ status: Int, _ body: [UInt8]
  ) -> Finding? {
    var headers = HTTPHeaders()
    try? headers.append("Content-Type", "application/json")
    try? headers.append("Retry-After", "120")
    let response = HTTPResponse(status, headers: headers, body: body)
    let answer = subject.adapter.answer(to: operation, from: response, in: context)
    guard answer == subject.adapter.answer(to: operation, from: response, in: context) else {
      return "the same response has two answers"
    }
    if describesSecret(answer.verdict) { return "a verdict prints a secret" }
    for change in answer.changes {
      if let finding = items(of: change) { return finding }
    }
    return nil
  }

  /// Checks a push, if the bytes are an object.
  public func push(_ bytes: [UInt8]) -> Finding? {
    guard let push = try? JSON(parsing: bytes) else { return nil }
    let received = subject.adapter.received(push, in: context)
    guard let received else { return nil }
    if received.notification.vendor != subject.adapter.vendor { return "a push changed its vendor" }
    return received.changes.lazy.compactMap(items).first
  }

  /// Checks a message on the live channel, in every state that a few messages lead to.
  public func socket(_ bytes: [UInt8]) -> Finding? {
    for action in socketActions(bytes) {
      if describesSecret(action) { return "a socket action prints a secret" }
      guard case .commit(let changes) = action else { continue }
      if let finding = changes.lazy.compactMap(items).first { return finding }
    }
    return nil
  }

  /// What a message on the live channel changes in the cache, all states together.
  public func liveChanges(_ bytes: [UInt8]) -> [Change] {
    socketActions(bytes).flatMap { action -> [Change] in
      if case .commit(let changes) = action { changes } else { [] }
    }
  }

  private func socketActions(_ bytes: [UInt8]) -> [SocketAction] {
    guard var conversation = subject.adapter.conversation(in: context) else { return [] }
    let welcome = SocketEvent.message(Array(#"{"messageType":"auth-success"}"#.utf8))
    let events: [SocketEvent] = [
      .started, .message(bytes), .showing([Feed(.cards, in: "home")]), .opened, .message(bytes),
      welcome, .message(bytes), .message(bytes), .timer("unknown"), .timer("pulse"),
      .message(bytes), .showing([]), .message(bytes), .credential(isAvailable: false),
      .message(bytes), .closed(code: 1011), .message(bytes), .timer("connect"), .opened,
      .closed(code: 1006), .message(bytes), .ended(.background), .message(bytes),
    ]
    return events.flatMap { conversation.respond(to: $0, in: context) }
  }

  private func items(of change: Change) -> Finding? {
    guard case .items(let feed, _, let items) = change else { return nil }
    for item in items {
      switch feed.surface {
      case .inbox:
        guard let message = try? subject.adapter.message(in: item) else { continue }
        if addresses(of: message).contains(where: { $0 != VendorURL.checked($0) }) {
          return "an address that could run code reached the model"
        }
      case .campaigns: _ = try? subject.adapter.campaign(in: item)
      default:
        guard let card = try? subject.adapter.card(in: item) else { continue }
        if [card.urlText, card.imageURLText].contains(where: { $0 != VendorURL.checked($0) }) {
          return "an address that could run code reached the model"
        }
      }
    }
    return nil
  }

  private func addresses(of message: InboxMessage) -> [String?] {
    let contents = message.furtherContents
    let buttons = (message.buttons + contents.flatMap(\.buttons)).map { button -> String? in
      if case .openURL(let url) = button.action { url } else { nil }
    }
    return [message.detailURLText, message.iconURLText, message.imageURLText] + buttons
      + contents.flatMap { [$0.detailURLText, $0.iconURLText, $0.imageURLText] }
  }

  private func describesSecret(_ value: Any) -> Bool {
    String(describing: value).contains("canary")
  }
}
