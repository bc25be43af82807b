public import EngagementAdapterAPI
import EngagementHTTP
public import EngagementModel
import FoundationEssentials

/// Braze behind the door: content cards, events, attributes, pushes and SDK authentication.
///
/// Written from what its published clients send and accept; the README beside this file says
/// which readings were chosen. Every call is a `POST` to one of two
/// endpoints; nothing but the body tells what it is about.
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
        .act("impression", on: .cards): .event,
        .act("click", on: .cards): .event,
        .act("dismiss", on: .cards): .event,
      ],
      eventKinds: Set(BrazeEvent.names.keys), pushMarks: PushMarks(keys: ["ab", "_ab"]),
      batching: EventBatching(limit: 50),
      hosts: AllowedHosts([configuration.host]), order: [.cards: .newestFirst],
      credentials: CredentialRules(
        answerWithin: configuration.signsRequests ? Self.signatureWait : nil),
      limits: .init(
        cards: 250, userIDBytes: Self.userIDBytes, eventBytes: BrazeEvent.propertyBytes),
      sessionTimeout: configuration.sessionTimeout)
  }

  private static let userIDBytes = 997
  /// The vendor sets no time; nobody should have to wait longer for cards.
  private static let signatureWait = Duration.seconds(5)

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    let memory = BrazeMemory(context.values)
    guard (context.user.id?.text.utf8.count ?? 0) <= Self.userIDBytes else {
      throw EngagementError(.invalidArgument, "Braze takes user ids of at most 997 bytes.")
    }
    // The vendor ties a device to the user it saw last and has no way back: what it would answer
    // after a sign-out is the former user's.
    if context.user.isAnonymous, memory.lastUser != nil {
      return try signedOut(operation, at: context.now)
    }
    if let end = pause(in: context, memory) { return .wait(until: end) }
    if let date = memory.bucket(.requests)?.nextToken(at: context.now) {
      return .wait(until: date)
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
    default: throw EngagementError(.unsupported, "Braze does not support this.")
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
    // Only an answer can take some of the events and reject others, so one is asked for even
    // where none of them travels.
    return isQuiet ? .done([]) : .send(try requests.events(events))
  }

  private func signedOut(
    _ operation: Operation, at now: Date
  ) throws(EngagementError) -> Step {
    switch operation {
    case .settings, .cards: return .done([])
    // They may still be adopted.
    case .events: return .wait(until: now.addingTimeInterval(BrazeErrors.pause))
    default:
      throw EngagementError(.signedOut, "Braze has no anonymous user after a signed-in one.")
    }
  }
}

// MARK: Users

extension BrazeAdapter {
  /// What was done anonymously belongs to the user that the vendor sees on the device: to the
  /// first one, or to the last one again. Otherwise the former user's rows are sent before.
  public func transition(
    from old: User, to new: User, in context: AdapterContext
  ) -> [TransitionStep] {
    let memory = BrazeMemory(context.values)
    var steps: [TransitionStep] = []
    if !old.isAnonymous {
      steps.append(.sendPending)
    } else if memory.lastUser == nil || memory.lastUser == BrazeMemory.digest(of: new) {
      steps.append(.adoptPending)
    }
    // The vendor does not repeat to the next user that the feed is switched off.
    if memory.cardsEnabled == false { steps.append(.apply(Self.emptyFeed)) }
    return steps
  }
}
