public import EngagementAdapterAPI
import EngagementFormats
public import EngagementHTTP
public import EngagementJSON
public import EngagementModel
import EngagementPlatform

/// The adapter for CleverTap: templates that campaigns fill in, an inbox, a person, pushes and
/// events.
///
/// The client makes an id for each user's installation. A handshake names the host for the account.
/// Any answer may name another host or ask for silence, and any answer to a batch may bring
/// campaigns and messages.
public struct CleverTapAdapter: EngagementAdapter {
  public let vendor: Vendor = "clevertap"
  public let capabilities: AdapterCapabilities
  public let configuration: CleverTapConfiguration

  public var summary: String {
    "\(vendor), client \(configuration.clientRevision), account \(configuration.accountID)"
  }

  public init(_ configuration: CleverTapConfiguration) {
    self.configuration = configuration
    var abilities = Self.abilities
    if configuration.definesTemplates { abilities[.templates] = .idempotentRequest }
    capabilities = AdapterCapabilities(
      abilities: abilities, eventKinds: Set(CleverTapEvent.words.keys),
      pushKinds: [.receive, .click],
      pushMarks: PushMarks(prefixes: ["W$", "wzrk_"]),
      batching: EventBatching(limit: CleverTapLimits.batch, groups: CleverTapEvent.groups),
      hosts: configuration.hosts, order: [.inbox: .newestFirst],
      reservedTemplates: CleverTapTemplates.systemNames,
      sessionTimeout: .seconds(Self.sessionTimeout))
  }

  private static let sessionTimeout: Int64 = 20 * 60

  private static let abilities: [Operation.Verb: Ability] = [
    .settings: .idempotentRequest,
    // This side makes the id; the vendor learns it from the next request.
    .device(.register): .localOnly,
    .registerPush: .idempotentRequest,
    .unregisterPush: .idempotentRequest,
    .associate: .idempotentRequest,
    // Commands such as `$incr` have an effect each time.
    .updatePerson: .request,
    .optOut: .idempotentRequest,
    .inbox: .idempotentRequest,
    // The request is an event at the vendor, which may change what it sends next.
    .campaigns: Ability(.request, readingHasSideEffects: true),
    .events: .request,
    .act("impression", on: .inbox): .event,
    .act("read", on: .inbox): .event,
    .act("open", on: .inbox): .event,
    .act("click", on: .inbox): .event,
    .act("delete", on: .inbox): .idempotentRequest,
    // The vendor cannot dismiss a message, so dismissing deletes it.
    .act("dismiss", on: .inbox): .idempotentRequest,
    .act("impression", on: .campaigns): .event,
    .act("click", on: .campaigns): .event,
    .act("open", on: .push): .event,
    .act("click", on: .push): .event,
  ]

  // MARK: Steps

  public func step(
    for operation: Operation, in context: AdapterContext
  ) throws(EngagementError) -> Step {
    guard capabilities.ability(operation.verb).travel != .unsupported else {
      throw CleverTapErrors.unsupported
    }
    let memory = CleverTapMemory(configuration, context)
    let envelope = CleverTapEnvelope(
      configuration: configuration, memory: memory, context: context)
    if let changes = try settled(operation, envelope) { return .done(changes) }
    let call = try CleverTapCall(operation, envelope)
    if let date = pause(operation, envelope) { return .wait(until: date) }
    if let needed = call.missing(envelope) { return .first(needed) }
    return .send(try call.request(envelope))
  }

  /// The changes of an operation that needs no request; nil if it needs one.
  private func settled(
    _ operation: Operation, _ envelope: CleverTapEnvelope
  ) throws(EngagementError) -> [Change]? {
    let memory = envelope.memory
    switch operation {
    case .device(.register): return memory.guid == nil ? [newDevice(envelope.context)] : []
    case .settings where configuration.region != nil: return []
    // The vendor does not know the device, and so not its token.
    case .unregisterPush where memory.guid == nil: return []
    case .inbox where !configuration.hasServerInbox: return []
    case .inbox where isInboxOff(envelope): throw CleverTapErrors.noInbox
    case .act(.delete, let item), .act(.dismiss, let item):
      let isHere = item.surface == .inbox && !CleverTapHandle(item.handle).isOnServer
      return isHere ? [.removed(CleverTapFeed.messagesHere, ids: [item.id.value])] : nil
    case .events(let events): return try settled(events, envelope)
    case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
      .associate, .updatePerson, .metrics, .campaigns, .act, .templates, .upload, .optOut,
      .pushContainers, .vendor:
      return nil
    }
  }

  /// A batch without an event to send needs no request.
  private func settled(
    _ events: [EngagementEvent], _ envelope: CleverTapEnvelope
  ) throws(EngagementError) -> [Change]? {
    let batch = try CleverTapBatch(events, envelope.memory) { [:] }
    guard batch.entries.isEmpty else { return nil }
    guard batch.rejected.isEmpty else {
      let reason = batch.rejected.min { $0.key < $1.key }?.value
      throw EngagementError(.invalidArgument, reason ?? "CleverTap takes none of these events.")
    }
    return [.settled(batch.kept)]
  }

  /// The form of the vendor's own clients: a dash and a UUID without dashes.
  private func newDevice(_ context: AdapterContext) -> Change {
    .keep(.user, CleverTapMemory.Name.guid, "-" + context.id(0).filter { $0 != "-" })
  }

  /// Until when the operation waits; nil to continue.
  private func pause(_ operation: Operation, _ envelope: CleverTapEnvelope) -> Date? {
    let now = envelope.context.now
    switch operation {
    case .act where isInboxOff(envelope):
      return now.addingTimeInterval(TimeInterval(Self.sessionTimeout))
    case .inbox where envelope.context.isUserRequested:
      let next = envelope.memory.inboxTime(in: envelope.context.session)?
        .addingTimeInterval(CleverTapResponses.inboxInterval)
      return next.flatMap { $0 > now ? $0 : nil }
    case .settings, .device, .registerPush, .unregisterPush, .cards, .inbox, .message, .person,
      .associate, .updatePerson, .metrics, .campaigns, .act, .events, .templates, .upload, .optOut,
      .pushContainers, .vendor:
      return nil
    }
  }

  private func isInboxOff(_ envelope: CleverTapEnvelope) -> Bool {
    envelope.memory.isInboxOff(in: envelope.context.session)
  }

  // MARK: Answers

  public func answer(
    to operation: Operation, from response: HTTPResponse, in context: AdapterContext
  ) -> Answer {
    CleverTapResponses(configuration, context).answer(to: operation, from: response)
  }

  public func message(in item: RawItem) throws(EngagementError) -> InboxMessage {
    try CleverTapItems(configuration).message(in: item)
  }

  public func campaign(in item: RawItem) throws(EngagementError) -> Campaign {
    try CleverTapCampaigns(configuration).campaign(in: item)
  }

  public func occurrences(in operation: Operation) -> [Campaign.Occurrence] {
    CleverTapOccurrences(configuration.platform).occurrences(in: operation)
  }

  public func received(_ push: JSON, in context: AdapterContext) -> Received? {
    CleverTapPush(push, accountID: configuration.accountID).map { Received($0.notification) }
  }
}

extension EngagementAdapter where Self == CleverTapAdapter {
  /// CleverTap, as a value of `providers`:
  /// `["clevertap": .clevertap(accountID: "ACC-1", token: token)]`.
  ///
  /// Throws what `CleverTapConfiguration.init` throws.
  public static func clevertap(
    accountID: String, token: Secret, region: String? = nil,
    endpoint: String = CleverTapConfiguration.handshake, definesTemplates: Bool = false
  ) throws(EngagementError) -> CleverTapAdapter {
    .clevertap(
      try CleverTapConfiguration(
        accountID: accountID, token: token, region: region, endpoint: endpoint,
        definesTemplates: definesTemplates))
  }

  /// CleverTap with every setting that the adapter has.
  public static func clevertap(_ configuration: CleverTapConfiguration) -> CleverTapAdapter {
    CleverTapAdapter(configuration)
  }
}
