import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel

/// A vendor whose answers the test defines. Cards and messages are `{"id": …}` in a list; a request
/// names the user in its query and carries the credential.
struct PuppetAdapter: EngagementAdapter {
  typealias Operation = EngagementAdapterAPI.Operation

  let provider: ProviderID
  let vendor: Vendor = "puppet"
  var capabilities: AdapterCapabilities
  var onStep: @Sendable (Operation, AdapterContext) throws(EngagementError) -> Step? = { _, _ in
    nil
  }
  var onAnswer: @Sendable (Operation, HTTPResponse, AdapterContext) -> Answer? = { _, _, _ in nil }
  var onTransition: @Sendable (User, User, AdapterContext) -> [TransitionStep] = { _, _, _ in
    [.sendPending]
  }
  var onPush: @Sendable (JSON, AdapterContext) -> Received? = { _, _ in nil }
  var onConversation: @Sendable (AdapterContext) -> (any Conversation)? = { _ in nil }

  /// Adds further fields to a card.
  var shape: @Sendable (inout Card) -> Void = { _ in }
  /// Adds further fields to a message.
  var shapeMessage: @Sendable (inout InboxMessage) -> Void = { _ in }

  static let able: [Operation.Verb: Ability] = [
    .settings: .idempotentRequest, .cards: .idempotentRequest, .inbox: .idempotentRequest,
    .person: .idempotentRequest, .registerPush: .idempotentRequest,
    .unregisterPush: .idempotentRequest, .updatePerson: .request, .associate: .idempotentRequest,
    .optOut: .idempotentRequest, .device(.register): .request,
    .act("dismiss", on: .cards): .idempotentRequest, .vendor("farewell"): .request,
    .vendor("welcome"): .request,
  ]

  init(
    _ provider: ProviderID, abilities: [Operation.Verb: Ability] = able,
    hasContainers: Bool = false
  ) {
    self.provider = provider
    let host = try? HostPattern(validating: "\(provider.rawValue).example")
    capabilities = AdapterCapabilities(
      abilities: abilities, hosts: AllowedHosts([host].compactMap(\.self)),
      hasContainers: hasContainers)
  }

  func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    if let step = try onStep(operation, context) { return step }
    return .send(request(for: operation, in: context))
  }

  func request(for operation: Operation, in context: AdapterContext) -> HTTPRequest {
    var request = HTTPRequest(
      operation.isReading ? "GET" : "POST",
      "https://\(provider).example/\(operation.verb)?user=\(context.user.id?.rawValue ?? "nobody")")
    if let credential = context.credential {
      try? request.headers.append("Authorization", credential)
    }
    return request
  }

  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    if let answer = onAnswer(operation, response, context) { return answer }
    switch response.status {
    case 200: return Answer(changes(by: operation, response.body))
    case 304: return Answer([.unchanged(operation == .inbox ? .inbox : .cards)])
    case 401: return Answer([], .renew(.credential))
    case 404: return .refused(.notFound, "The item does not exist.")
    default: return .retry(.unavailable, "The vendor is down.")
    }
  }

  private func changes(by operation: Operation, _ body: [UInt8]) -> [Change] {
    switch operation {
    case .cards(let container, let filters):
      let feed = Feed(.cards, in: container, matching: filters)
      return [.items(feed, .replace(.nothing), items(in: body))]
    case .inbox: return [.items(.inbox, .replace(.nothing), items(in: body))]
    default: return []
    }
  }

  private func items(in body: [UInt8]) -> [RawItem] {
    let ids = (try? JSON(parsing: body))?.array?.compactMap(\.string) ?? []
    return ids.enumerated().map { index, id in
      RawItem(index: index, bytes: JSON.object(["id": .string(id)]).encoded()[...])
    }
  }

  private func id(of item: RawItem) throws(EngagementError) -> String {
    guard let id = (try? JSON(parsing: Array(item.bytes)))?["id"]?.string else {
      throw EngagementError(.malformedResponse, "An item has no id.")
    }
    return id
  }

  func conversation(in context: AdapterContext) -> (any Conversation)? { onConversation(context) }

  func card(in item: RawItem) throws(EngagementError) -> Card {
    var card = Card(ItemID(provider, try id(of: item)), vendor: vendor, kind: .classic)
    shape(&card)
    return card
  }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    var message = InboxMessage(ItemID(provider, try id(of: item)), vendor: vendor)
    shapeMessage(&message)
    return message
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    do { return try Campaign(json: JSON(parsing: Array(item.bytes))) } catch {
      throw EngagementError(.malformedResponse, "The item is no campaign.")
    }
  }

  /// An event of the application's own happens under its name.
  func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    guard case .events(let events) = operation else { return [] }
    return events.compactMap { event in
      event.name.map { Campaign.Occurrence($0, properties: event.properties) }
    }
  }

  func received(_ push: JSON, in context: AdapterContext) -> Received? { onPush(push, context) }

  func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] { onTransition(old, new, context) }
}

extension PuppetAdapter.Operation {
  fileprivate var isReading: Bool {
    switch self {
    case .settings, .cards, .inbox, .person: true
    default: false
    }
  }
}

/// A card of a puppet as its vendor sends it.
struct RawCard {
  let item: RawItem

  init(_ id: String) {
    item = RawItem(index: 0, bytes: JSON.object(["id": .string(id)]).encoded()[...])
  }
}
