public import EngagementModel

/// An event as a comparison sees it.
public struct ObservedEvent: Hashable, Sendable {
  /// Stands for the person, such as eight bytes of a hash of the person's id.
  public var person: UInt64
  public var kind: EngagementEvent.Kind
  /// When it happened, in milliseconds since 1970.
  public var time: Int64
  public var provider: ProviderID?
  /// The name of the experiment that the person was assigned or exposed to.
  public var name: String?
  /// Needed only for the kinds of `kindsWithProperties`: `arm`, `version` and strata of an assignment
  /// or an exposure, `milliseconds` of a request, and the `reason` and `count` of what the outbox dropped.
  public var properties: JSONObject

  public init(
    person: UInt64, kind: EngagementEvent.Kind, time: Int64, provider: ProviderID? = nil,
    name: String? = nil, properties: JSONObject = [:]
  ) {
    self.person = person
    self.kind = kind
    self.time = time
    self.provider = provider
    self.name = name
    self.properties = properties
  }

  /// Whether its provider has sent something to the person.
  public var isOfReceiver: Bool { ComparedKinds.ofReceivers.contains(kind) }

  /// The kinds whose properties a comparison reads.
  public static let kindsWithProperties: Set<EngagementEvent.Kind> = [
    .experimentAssigned, .experimentExposed, .providerRequest, .providerFailed, .outboxDropped,
  ]
}
