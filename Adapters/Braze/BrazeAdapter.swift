public import EngagementAdapterAPI
import EngagementHTTP
public import EngagementModel
import EngagementPlatform

/// The adapter for Braze: content cards, events, attributes, pushes and SDK authentication.
///
/// It follows the requests and answers of Braze's published clients. The README beside this file
/// lists each choice between contradicting sources. Every call is a `POST` to one of two endpoints;
/// only the body tells the calls apart.
public struct BrazeAdapter: EngagementAdapter {
  public let configuration: BrazeConfiguration
  public let capabilities: AdapterCapabilities
  public var vendor: Vendor { "braze" }
  public var summary: String { "\(vendor), client \(configuration.sdkVersion)" }

  public init(_ configuration: BrazeConfiguration) {
    self.configuration = configuration
    capabilities = AdapterCapabilities(
      abilities: [
        .settings: .idempotentRequest,
        .cards: .idempotentRequest,
        .events: .request,
        .updatePerson: .idempotentRequest,
        .registerPush: .idempotentRequest,
        .unregisterPush: .idempotentRequest,
        .act("impression", on: .cards): .event,
        .act("click", on: .cards): .event,
        .act("dismiss", on: .cards): .event,
      ],
      eventKinds: Set(BrazeEvent.names.keys), pushKinds: [.click],
      pushMarks: PushMarks(keys: ["ab", "_ab"]),
      batching: EventBatching(limit: 50),
      hosts: AllowedHosts([configuration.host]), order: [.cards: .newestFirst],
      credentials: CredentialRules(
        answerWithin: configuration.signsRequests ? Self.signatureWait : nil),
      limits: .init(
        cards: 250, userIDBytes: Self.userIDBytes, eventBytes: BrazeEvent.propertyBytes,
        pushTokens: 1),
      personFields: BrazeAttributes.fields, hasOneUserPerToken: true, needsSession: true,
      sessionTimeout: configuration.sessionTimeout)
  }

  private static let userIDBytes = 997
  /// The vendor sets no limit. Cards should not wait longer for a credential.
  private static let signatureWait = Duration.seconds(5)

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    let memory = BrazeMemory(context.values)
    guard (context.user.id?.rawValue.utf8.count ?? 0) <= Self.userIDBytes else {
      throw EngagementError(.invalidArgument, "Braze takes user ids of at most 997 bytes.")
    }
    // The vendor ties a device to its last user and cannot undo that. After a sign-out, its answers
    // would still concern the former user.
    if context.user.isAnonymous, memory.lastUser != nil {
      // Pending rows stay: the next user may still adopt them.
      throw EngagementError(
        .signedOut, "Braze has no anonymous user after a signed-in one; sign in.")
    }
    if let end = pause(in: context, memory) { return .wait(until: end) }
    for limit in [.requests, BrazeEndpoint(operation).limit] {
      if let date = memory.bucket(limit)?.nextToken(at: context.now) { return .wait(until: date) }
    }
    let requests = BrazeRequests(configuration, context)
    switch operation {
    case .settings: return .send(try requests.data())
    case .cards(nil, let filters) where filters.isEmpty:
      return try cards(in: context, memory, requests)
    case .cards:
      throw EngagementError(.unsupported, "Braze has one feed of cards and no filters.")
    case .events(let events): return try send(events, memory, requests)
    case .updatePerson(let update):
      return try requests.attributes(of: update).map { .send($0) } ?? .done([])
    case .registerPush(let environment): return .send(try requests.pushToken(for: environment))
    // The vendor's device has one token. Giving back the other environment's would take this one.
    case .unregisterPush(let environment) where memory.isPushOfOther(than: environment):
      return .done([])
    case .unregisterPush: return .send(try requests.noPushToken())
    case .device, .inbox, .message, .person, .associate, .metrics, .campaigns,
      .act, .templates, .upload, .optOut, .pushContainers, .vendor:
      throw EngagementError(.unsupported, "Braze does not support this.")
    }
  }

  private func cards(
    in context: AdapterContext, _ memory: BrazeMemory, _ requests: BrazeRequests
  ) throws(EngagementError) -> Step {
    guard memory.cardsEnabled == true else { return .done([]) }
    if context.isUserRequested, let date = memory.bucket(.refreshes)?.nextToken(at: context.now) {
      return .wait(until: date)
    }
    return .send(try requests.cards())
  }

  private func send(
    _ events: [EngagementEvent], _ memory: BrazeMemory, _ requests: BrazeRequests
  ) throws(EngagementError) -> Step {
    let meanings = BrazeEvent.meanings(of: events, knowing: memory)
    let reasons = meanings.compactMap(\.rejection)
    if let reason = reasons.first, reasons.count == events.count {
      throw EngagementError(.invalidArgument, reason)
    }
    let isQuiet = reasons.isEmpty && !meanings.contains(where: \.travels)
    // An answer can accept some events and reject others; a step cannot. So a request is sent even
    // if it would contain no event.
    return isQuiet ? .done([]) : .send(try requests.events(events))
  }
}

// MARK: Opening

extension EngagementAdapter where Self == BrazeAdapter {
  /// Braze, as a value of `providers`: `["braze": .braze(endpoint: endpoint, apiKey: key)]`.
  ///
  /// Throws what `BrazeConfiguration.init` throws.
  public static func braze(
    endpoint: String, apiKey: Secret, signsRequests: Bool = false
  ) throws(EngagementError) -> BrazeAdapter {
    .braze(
      try BrazeConfiguration(endpoint: endpoint, apiKey: apiKey, signsRequests: signsRequests))
  }

  /// Braze with every setting that the adapter has.
  public static func braze(_ configuration: BrazeConfiguration) -> BrazeAdapter {
    BrazeAdapter(configuration)
  }
}

// MARK: Users

extension BrazeAdapter {
  /// A new user adopts anonymous rows if the device has had no user yet or had this user last. On
  /// leaving a signed-in user, the kit sends their pending rows first. The push token goes to the next
  /// user, and is taken back at a sign-out.
  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let memory = BrazeMemory(context.values)
    var steps: [TransitionStep] = []
    if !old.isAnonymous {
      steps.append(.sendPending)
      steps += memory.registeredPush.map {
        new.isAnonymous ? .leave(.unregisterPush($0)) : .enter(.registerPush($0))
      }
    } else if memory.lastUser == nil || memory.lastUser == BrazeMemory.digest(of: new) {
      steps.append(.adoptPending)
    }
    // The vendor does not tell the next user that the feed is switched off.
    if memory.cardsEnabled == false { steps.append(.apply(Self.emptyFeed)) }
    return steps
  }
}
