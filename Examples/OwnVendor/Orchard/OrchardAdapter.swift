public import EngagementAdapterAPI
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel
import EngagementPlatform

/// The adapter of Orchard, a vendor that does not exist: cards, and clicks on them.
///
/// - `GET /v1/cards` lists all cards of a user, `{"cards": [{"id", "title", "text", "link"}]}`.
/// - `POST /v1/clicks` takes `{"clicks": [{"id", "card", "at"}]}` and knows a click by its id.
/// - `X-Orchard-Key` carries the key, `X-Orchard-User` the signed-in user.
public struct OrchardAdapter: EngagementAdapter {
  public let vendor: Vendor = "orchard"
  public let capabilities: AdapterCapabilities
  private let endpoint: HTTPURL
  private let key: Secret
  private let provider: ProviderID

  /// Throws `invalidConfiguration` for an endpoint that is no URL and for an empty key.
  public init(endpoint: String, key: Secret, provider: ProviderID) throws(EngagementError) {
    guard let url = try? HTTPURL(endpoint), url.origin.isConfidential else {
      throw EngagementError(.invalidConfiguration, "endpoint: this is no https URL.")
    }
    guard !key.revealed.isEmpty else {
      throw EngagementError(.invalidConfiguration, "key: it is empty.")
    }
    self.endpoint = url
    self.key = key
    self.provider = provider
    capabilities = AdapterCapabilities(
      abilities: [
        .cards: .idempotentRequest,
        .events: Ability(.request, deduplication: .eventID),
        .act("click", on: .cards): .deduplicatedEvent,
      ], eventKinds: [.click], batching: EventBatching(limit: 20),
      hosts: [try HostPattern(validating: url.host.text)])
  }

  // MARK: Requests

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    switch operation {
    case .cards(nil, []): .send(try request(.get, "cards", nil, context))
    case .events(let events):
      .send(
        try request(.post, "clicks", ["clicks": .array(events.map(Self.click))], context))
    default: throw EngagementError(.unsupported, "Orchard has no such call.")
    }
  }

  private func request(
    _ method: HTTPMethod, _ name: String, _ body: JSON?, _ context: AdapterContext
  ) throws(EngagementError) -> HTTPRequest {
    var headers = HTTPHeaders()
    try headers.append("X-Orchard-Key", key)
    if let user = context.user.id { try headers.append("X-Orchard-User", user.rawValue) }
    if body != nil { try headers.append("Content-Type", "application/json") }
    let url = try endpoint.appending(path: ["v1", name])
    return HTTPRequest(method, url.text, headers: headers, body: body?.encoded())
  }

  private static func click(_ event: EngagementEvent) -> JSON {
    let milliseconds = (event.time.timeIntervalSince1970 * 1_000).rounded()
    return [
      "id": .string(event.id.rawValue), "card": .string(event.item?.id.value ?? ""),
      "at": .integer(Int64(exactly: milliseconds) ?? 0),
    ]
  }

  // MARK: Answers

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    if let failure = failure(response, context) { return Answer([], failure) }
    do throws(JSONFault) {
      guard case .cards = operation else {
        _ = try JSONFields(response.body[...])
        return Answer()
      }
      guard let items = try Self.cards(in: response.body) else {
        return .retry(.malformedResponse, "The answer has no cards.")
      }
      return Answer([.items(.cards, .replace(.nothing), items)])
    } catch {
      return Answer([], .retry(EngagementError(error)))
    }
  }

  private static func cards(in body: [UInt8]) throws(JSONFault) -> [RawItem]? {
    var cursor = JSONCursor(body)
    var items: [RawItem]?
    if try cursor.enterObject() {
      while let key = try cursor.nextKey() {
        if key == "cards" { items = try cursor.items() }
      }
    }
    try cursor.finish()
    return items
  }

  /// Nil for an answer that is to be read.
  private func failure(_ response: HTTPResponse, _ context: AdapterContext) -> Verdict? {
    func error(_ code: EngagementError.Code) -> EngagementError {
      EngagementError(
        code, "Orchard refused the request.", retryAfter: response.retryAfter(now: context.now),
        underlying: "\(response.status)")
    }
    return switch response.status {
    case 200...299: nil
    case 401: .refused(error(.unauthenticated))
    case 403: .refused(error(.permissionDenied))
    case 404: .refused(error(.notFound))
    case 409: .refused(error(.conflict))
    case 429: .retry(error(.rateLimited))
    case 408, 425, 500..., ..<400: .retry(error(.unavailable))
    default: .refused(error(.invalidArgument))
    }
  }

  // MARK: Items

  /// A card without a usable `id` is set aside; every other field may be absent.
  public func card(in item: RawItem) throws(EngagementError) -> Card {
    let fields: JSONFields
    do throws(JSONFault) { fields = try JSONFields(item) } catch { throw EngagementError(error) }
    guard let id = fields.string("id"), !id.isEmpty else {
      throw EngagementError(.malformedResponse, "A card has no id.")
    }
    var card = Card(ItemID(provider, id), vendor: vendor, kind: .classic)
    card.title = fields.string("title")
    card.text = fields.string("text")
    card.urlText = VendorURL.checked(fields.string("link"))
    return card
  }
}
