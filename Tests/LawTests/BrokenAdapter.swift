import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementTesting

typealias Operation = EngagementAdapterAPI.Operation

/// A valid adapter whose results can be changed: each closure receives the adapter's result and
/// returns another one.
struct BrokenAdapter: EngagementAdapter {
  typealias Stepping = () throws(EngagementError) -> Step

  let inner: any EngagementAdapter
  var capabilities: AdapterCapabilities
  var context: @Sendable (AdapterContext) -> AdapterContext = { $0 }
  var asked: @Sendable (Operation, AdapterContext) -> Operation = { operation, _ in operation }
  var step: @Sendable (Operation, AdapterContext) -> Step? = { _, _ in nil }
  var stepped: @Sendable (Operation, Step) -> Step = { $1 }
  var answer: @Sendable (Operation, HTTPResponse, AdapterContext, Answer) -> Answer = { $3 }
  var item: @Sendable (RawItem) throws -> RawItem = { $0 }
  var card: @Sendable (RawItem, Card) throws -> Card = { $1 }
  var cardError: @Sendable (EngagementError) -> EngagementError = { $0 }
  var occurred: @Sendable ([Campaign.Occurrence]) -> [Campaign.Occurrence] = { $0 }
  var received: @Sendable (Received?) -> Received? = { $0 }
  var conversation: @Sendable (any Conversation) -> any Conversation = { $0 }

  init(_ inner: any EngagementAdapter) {
    self.inner = inner
    capabilities = inner.capabilities
  }

  var vendor: Vendor { inner.vendor }

  func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    let context = self.context(context)
    if let step = step(operation, context) { return step }
    let asked = asked(operation, context)
    return stepped(operation, try inner.step(for: asked, in: context))
  }

  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    let context = self.context(context)
    return answer(
      operation, response, context, inner.answer(to: operation, from: response, in: context))
  }

  func card(in item: RawItem) throws(EngagementError) -> Card {
    do {
      return try card(item, inner.card(in: self.item(item)))
    } catch let error as EngagementError {
      throw cardError(error)
    } catch {
      throw EngagementError(.malformedResponse, "The item is broken.")
    }
  }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try inner.message(in: item)
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try inner.campaign(in: item)
  }

  func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    occurred(inner.occurrences(in: operation))
  }

  func received(_ push: JSON, in context: AdapterContext) -> Received? {
    received(inner.received(push, in: context))
  }

  func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] { inner.transition(from: old, to: new, in: context) }

  func conversation(in context: AdapterContext) -> (any Conversation)? {
    inner.conversation(in: context).map(conversation)
  }
}

extension AdapterSubject {
  /// The in-memory adapter, broken in one place.
  static func broken(
    _ change: @escaping @Sendable (inout BrokenAdapter) -> Void
  ) -> AdapterSubject {
    var subject = AdapterSubject.memory
    let make = subject.makeAdapter
    subject.makeAdapter = { provider in
      var adapter = BrokenAdapter(make(provider))
      change(&adapter)
      return adapter
    }
    return subject
  }
}

/// A network that replaces failures by another result.
struct BrokenTransport: HTTPTransport {
  let inner: any HTTPTransport
  let failed: @Sendable (EngagementError) -> HTTPResponse?

  func send(_ request: HTTPRequest) async throws(EngagementError) -> HTTPResponse {
    do throws(EngagementError) {
      return try await inner.send(request)
    } catch {
      guard let response = failed(error) else { throw error }
      return response
    }
  }
}

/// A conversation that replaces some of its actions.
struct BrokenConversation: Conversation {
  var inner: any Conversation
  let change: @Sendable (SocketAction) -> SocketAction?

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    inner.respond(to: event, in: context).compactMap(change)
  }
}
