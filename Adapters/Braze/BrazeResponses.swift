public import EngagementAdapterAPI
import EngagementFormats
public import EngagementHTTP
import EngagementJSON
import EngagementModel
import EngagementPlatform

extension BrazeAdapter {
  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    var answer = meaning(of: response, to: operation, in: context)
    let memory = BrazeMemory(context.values)
    let endpoint = BrazeEndpoint(operation)
    answer.changes += endpoint.changes(after: answer.verdict, memory, at: context.now)
    if case .retry(var error) = answer.verdict, error.retryAfter == nil {
      error.retryAfter = memory.backoff?.wait(after: memory.failures(at: endpoint) + 1)
      answer.verdict = .retry(error)
    }
    for limit in limits(of: operation, answer.verdict, in: context) {
      guard var bucket = memory.bucket(limit) else { continue }
      bucket.take(at: context.now)
      answer.changes.append(BrazeMemory.taken(limit, from: bucket))
    }
    return answer
  }

  /// The limits that the request counts towards. A refresh that needs a new signature is not done
  /// yet.
  private func limits(
    of operation: Operation, _ verdict: Verdict, in context: AdapterContext
  ) -> [BrazeMemory.Limit] {
    let limits = [.requests, BrazeEndpoint(operation).limit]
    guard case .cards = operation, context.isUserRequested, verdict != .renew(.credential) else {
      return limits
    }
    return limits + [.refreshes]
  }

  private func meaning(
    of response: HTTPResponse, to operation: Operation, in context: AdapterContext
  ) -> Answer {
    if response.status == 304, case .cards = operation { return Answer([.unchanged(.cards)]) }
    if response.status == 401, isSigned(context),
      response.body.isEmpty || BrazeErrors.isOwn(response)
    {
      return refusal(.init(), in: context)
    }
    guard (200...299).contains(response.status) else {
      return Answer([], BrazeErrors.verdict(on: response, at: context.now))
    }
    guard let reply = try? BrazeReply(response.body) else {
      return Answer([], BrazeErrors.unreadable)
    }
    var answer = Answer(changes(ofConfig: reply.config, in: context))
    if let fault = reply.refusedSignature {
      let refusal = refusal(fault, in: context)
      return Answer(answer.changes + refusal.changes, refusal.verdict)
    }
    if let word = reply.error {
      answer.verdict = BrazeErrors.verdict(on: word)
      return answer
    }
    guard reply.isRecognized else { return Answer([], BrazeErrors.unreadable) }
    answer.changes += acceptance(of: reply, in: context)
    if BrazeEndpoint(operation) == .data { answer.changes += pauses(after: response, in: context) }
    let own = own(reply, response, to: operation, in: context)
    return Answer(answer.changes + own.changes, own.verdict)
  }

  /// The changes and the verdict for this operation alone.
  private func own(
    _ reply: BrazeReply, _ response: HTTPResponse, to operation: Operation,
    in context: AdapterContext
  ) -> Answer {
    switch operation {
    case .cards: return sync(reply, response, in: context)
    case .events(let events):
      let rejected = events.compactMap { event in
        BrazeEvent(event).rejection.map { (event.id, $0) }
      }
      let reasons = Dictionary(rejected, uniquingKeysWith: { first, _ in first })
      return Answer(
        dismissals(among: events, in: context),
        reasons.isEmpty ? .done : .partly(rejected: reasons))
    case .registerPush(let environment):
      return Answer(BrazeMemory.registered(environment))
    case .unregisterPush: return Answer(BrazeMemory.registered(nil))
    case .settings, .device, .inbox, .message, .person, .associate, .updatePerson, .metrics,
      .campaigns, .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      return Answer()
    }
  }

  /// The pause that the vendor asks for beside a success: nothing else goes to the endpoint.
  private func pauses(after response: HTTPResponse, in context: AdapterContext) -> [Change] {
    guard let wait = response.retryAfter(now: context.now) else { return [] }
    let end = context.now.addingTimeInterval(min(wait, .seconds(86_400)) / .seconds(1))
    return BrazeEndpoint.data.verbs.map { .throttled($0, until: end) }
  }

  /// Records that the vendor knows the dismissal of these cards.
  private func dismissals(
    among events: [EngagementEvent], in context: AdapterContext
  ) -> [Change] {
    let memory = BrazeMemory(context.values)
    let meanings = BrazeEvent.meanings(of: events, knowing: memory)
    let new = zip(events, meanings).compactMap { event, meaning in
      event.kind == .dismiss && meaning.travels ? event.item?.id.value : nil
    }
    return new.isEmpty ? [] : [BrazeMemory.dismissed(memory.dismissed + new)]
  }

  /// The changes after any accepted request: the vendor knows the device and the user.
  private func acceptance(of reply: BrazeReply, in context: AdapterContext) -> [Change] {
    let memory = BrazeMemory(context.values)
    var changes: [Change] = []
    let device = BrazeDevice(context.device).digest
    if memory.sentDevice != device { changes.append(BrazeMemory.sentDevice(device)) }
    if let user = BrazeMemory.digest(of: context.user), user != memory.lastUser {
      changes.append(BrazeMemory.lastUser(user))
    }
    if let fault = reply.toleratedSignature {
      changes.append(.ignored(BrazeErrors.refusedSignature(fault.code)))
    } else if memory.refusals > 0 {
      changes += BrazeMemory.refused(nil, times: 0)
    }
    return changes
  }
}

// MARK: Cards

extension BrazeAdapter {
  private func sync(
    _ reply: BrazeReply, _ response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    // A full sync without a list is not an empty list, which would remove every card. A delta may
    // lack one where nothing is new, but then it has watermarks.
    let isEmptyDelta = !reply.isFullSync && !reply.hasNoList && reply.updatedAt != nil
    guard reply.cards != nil || isEmptyDelta else { return Answer([], BrazeErrors.unreadable) }
    let memory = BrazeMemory(context.values)
    let sync = BrazeSync(reply.cards ?? [], isFull: reply.isFullSync)
    var changes = sync.changes
    let kept = sync.dismissals(among: memory.dismissed)
    if kept != memory.dismissed { changes.append(BrazeMemory.dismissed(kept)) }
    let before = memory.watermarks(for: configuration.sdkVersion)
    let watermarks = BrazeMemory.watermarks(
      full: reply.fullSyncAt ?? before.full, updated: reply.updatedAt ?? before.updated,
      version: configuration.sdkVersion)
    let verdict = response.retryAfter(now: context.now).map(BrazeErrors.incomplete)
    return Answer(changes + watermarks, verdict ?? .done)
  }
}

// MARK: Settings

extension BrazeAdapter {
  /// Empties the feed. Without watermarks it is complete again when the vendor switches it on.
  static let emptyFeed: [Change] =
    [.items(.cards, .replace(.nothing), [])] + BrazeMemory.noWatermarks

  /// The changes from the settings, if they are newer than the known ones.
  private func changes(ofConfig config: JSONFields?, in context: AdapterContext) -> [Change] {
    guard let config else { return [] }
    guard let time = config.integer("time") else {
      return [.ignored(EngagementError(.malformedResponse, "The settings have no time."))]
    }
    if let known = BrazeMemory(context.values).configTime, time <= known { return [] }
    let cards = config.fields("content_cards")
    let isEnabled = cards?.flag("enabled") ?? false
    // `messaging_session_timeout` is about the vendor's in-app messages and not about sessions.
    let least = config.integer("minimum_session_timeout").flatMap {
      (1...86_400).contains($0) ? $0 : nil
    }
    let settings = VendorSettings(
      cardsEnabled: isEnabled,
      sessionTimeout: least.map { max(.seconds($0), configuration.sessionTimeout) })
    let memory =
      BrazeMemory.config(
        time: time, cardsEnabled: isEnabled, blocklists: BrazeBlocklists(config),
        backoff: BrazeBackoff(config.fields("request_backoff")))
      + BrazeMemory.limit(.refreshes, BrazeBucket.refreshes(in: cards))
      + BrazeMemory.limit(.requests, BrazeBucket.requests(in: config))
      + BrazeEndpoint.allCases.flatMap {
        BrazeMemory.limit($0.limit, BrazeBucket.requests(in: config, to: $0))
      }
    return [.settings(settings)] + memory + (isEnabled ? [] : Self.emptyFeed)
  }
}

// MARK: Signatures

extension BrazeAdapter {
  /// When to check again while the vendor has refused the current signature too often; nil to
  /// continue.
  ///
  /// The operation waits instead of failing, so that no pending action is lost. A new signature
  /// ends the wait.
  func pause(in context: AdapterContext, _ memory: BrazeMemory) -> Date? {
    guard isSigned(context), memory.refusals >= BrazeErrors.mostRefusals,
      let refused = memory.refusedSignature, refused == digest(ofSignatureIn: context)
    else { return nil }
    return context.now.addingTimeInterval(BrazeErrors.pause)
  }

  private func refusal(
    _ fault: BrazeReply.SignatureFault, in context: AdapterContext
  ) -> Answer {
    let error = BrazeErrors.refusedSignature(fault.code)
    guard isSigned(context) else { return Answer([], .refused(error)) }
    let count = BrazeMemory(context.values).refusals + 1
    return Answer(
      BrazeMemory.refused(digest(ofSignatureIn: context), times: count),
      count < BrazeErrors.mostRefusals ? .renew(.credential) : .refused(error))
  }

  private func isSigned(_ context: AdapterContext) -> Bool {
    configuration.signsRequests && !context.user.isAnonymous && context.credential != nil
  }

  private func digest(ofSignatureIn context: AdapterContext) -> String? {
    context.credential.map { BrazeMemory.digest(of: $0.revealed) }
  }
}
