import EngagementAdapterAPI
import EngagementHTTP
import EngagementJSON
import EngagementKit
import EngagementModel
import EngagementVendors

/// Tells when a live channel is lost and polling begins, when it is there again, and whether the vendor has
/// refused the credential meanwhile.
final class LiveNotes: Sendable {
  enum News: Hashable {
    /// Polling begins; whether there was a socket before.
    case polls(every: Duration, wasOpen: Bool)
    case isBack
  }

  private struct State {
    var opened: Set<ProviderID> = []
    var polling: Set<ProviderID> = []
    var refused: Set<ProviderID> = []
    var news: [(ProviderID, News)] = []
    var onNews: @Sendable () -> Void = {}
  }

  private let state = Locked(State())

  /// Calls this whenever there is something to tell.
  func onNews(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onNews = body } }

  /// What was not told yet.
  func take() -> [(ProviderID, News)] {
    state.withLock { state in
      defer { state.news = [] }
      return state.news
    }
  }

  /// Whether the vendor has refused the user's credential and no channel was opened with another since.
  func hasRefused(_ provider: ProviderID) -> Bool {
    state.withLock { $0.refused.contains(provider) }
  }

  fileprivate func noteRefusal(by provider: ProviderID) {
    state.withLock { _ = $0.refused.insert(provider) }
  }

  fileprivate func note(_ event: SocketEvent, _ actions: [SocketAction], at provider: ProviderID) {
    let tell = state.withLock { state -> (@Sendable () -> Void)? in
      let count = state.news.count
      if event == .opened { state.opened.insert(provider) }
      if event == .started { state.refused.remove(provider) }
      if case .message = event, actions.contains(.renewCredential) {
        state.refused.insert(provider)
      }
      // What follows is the end of the command, or another user's channel.
      if case .ended = event {
        state.polling.remove(provider)
        return nil
      }
      for action in actions {
        guard case .poll(let interval) = action else { continue }
        if let interval, state.polling.insert(provider).inserted {
          let wasOpen = state.opened.contains(provider)
          state.news.append((provider, .polls(every: interval, wasOpen: wasOpen)))
        } else if interval == nil, state.polling.remove(provider) != nil {
          state.refused.remove(provider)
          state.news.append((provider, .isBack))
        }
      }
      return state.news.count > count ? state.onNews : nil
    }
    tell?()
  }
}

extension EngageConfiguration {
  /// The same providers, with notes of what becomes of their live channels.
  func noting(_ notes: LiveNotes) -> EngageConfiguration {
    var configuration = self
    for index in providers.indices where providers[index].adapter.capabilities.isLive {
      let provider = providers[index]
      configuration.providers[index].adapter = NotedAdapter(provider.adapter, provider.id, notes)
    }
    return configuration
  }
}

/// An adapter whose live conversations are noted.
private struct NotedAdapter: EngagementAdapter {
  private let adapter: any EngagementAdapter
  private let provider: ProviderID
  private let notes: LiveNotes

  init(_ adapter: any EngagementAdapter, _ provider: ProviderID, _ notes: LiveNotes) {
    (self.adapter, self.provider, self.notes) = (adapter, provider, notes)
  }

  func conversation(in context: AdapterContext) -> (any Conversation)? {
    adapter.conversation(in: context).map {
      NotedConversation(conversation: $0, provider: provider, notes: notes)
    }
  }

  func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    let answer = adapter.answer(to: operation, from: response, in: context)
    if answer.verdict == .renew(.credential) { notes.noteRefusal(by: provider) }
    return answer
  }

  // MARK: As the adapter does it

  var vendor: Vendor { adapter.vendor }
  var summary: String { adapter.summary }
  var capabilities: AdapterCapabilities { adapter.capabilities }

  func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step { try adapter.step(for: operation, in: context) }

  func card(in item: RawItem) throws(EngagementError) -> Card { try adapter.card(in: item) }

  func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try adapter.message(in: item)
  }

  func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try adapter.campaign(in: item)
  }

  func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    adapter.occurrences(in: operation)
  }

  func received(_ push: JSON, in context: AdapterContext) -> Received? {
    adapter.received(push, in: context)
  }

  func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] { adapter.transition(from: old, to: new, in: context) }
}

private struct NotedConversation: Conversation {
  var conversation: any Conversation
  let provider: ProviderID
  let notes: LiveNotes

  mutating func respond(to event: SocketEvent, in context: AdapterContext) -> [SocketAction] {
    let actions = conversation.respond(to: event, in: context)
    notes.note(event, actions, at: provider)
    return actions
  }
}
