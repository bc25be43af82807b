public import EngagementAdapterAPI
package import EngagementHTTP
public import EngagementModel
public import EngagementPlatform
public import EngagementVendors

/// An adapter under test: how to make it, its server, and samples of the vendor's data.
///
/// The author of an adapter writes one subject and runs `Law.all` over it. The laws skip empty
/// samples, and `uncovered` names the verbs without one.
public struct AdapterSubject: Sendable, CustomStringConvertible {
  /// The name in test reports.
  public var name: String
  /// Makes the adapter under the application's name for the provider.
  public var makeAdapter: @Sendable (ProviderID) -> any EngagementAdapter
  /// Makes a server without items, at the given time.
  public var makeServer: @Sendable (Date) -> any VendorServer
  /// Headers that must be sent as a `Secret`, besides the common ones.
  public var credentialHeaders: [String] = []
  /// The n-th credential of a user, from 1. Each is valid until the server expires it. Nil for a
  /// vendor without credentials.
  public var credential: @Sendable (UserID, Int) -> Secret?
  /// Samples of the vendor's items, for each surface that it has.
  public var items: [ItemSamples]
  /// Campaigns whose triggers the device evaluates; nil for a vendor without such campaigns.
  public var campaigns: CampaignSamples?
  /// Pushes of the vendor, with their notifications.
  public var pushes: [PushSample]
  /// Pushes of other senders, besides the laws' own. The adapter must accept none of them.
  public var foreignPushes: [JSON]
  /// Operations of verbs for which the laws have no example, such as the vendor's own.
  public var operations: [Operation]
  /// The body that the vendor's refusals have, whatever their status.
  public var refusal: String
  /// Refusals with status 200, with the error code that each must give.
  public var disguisedErrors: [DisguisedError]
  /// Statuses to which this vendor gives a meaning of its own.
  public var statusCodes: [Int: EngagementError.Code]
  /// Messages of the live channel; nil for a vendor without one.
  public var live: LiveSamples?
  /// Secrets of the configuration that the adapter must never reveal, such as an application key.
  public var secrets: [Secret]

  /// Wraps the transport between the engagement and the server. The tests of the laws break it on
  /// purpose.
  package var transport: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }

  public init(
    _ name: String, items: [ItemSamples],
    adapter: @escaping @Sendable (ProviderID) -> any EngagementAdapter,
    server: @escaping @Sendable (Date) -> any VendorServer,
    credential: @escaping @Sendable (UserID, Int) -> Secret? = { _, _ in nil }
  ) {
    self.name = name
    self.items = items
    makeAdapter = adapter
    makeServer = server
    self.credential = credential
    pushes = []
    foreignPushes = []
    operations = []
    refusal = "{}"
    disguisedErrors = []
    statusCodes = [:]
    live = nil
    secrets = []
  }

  public var description: String { name }

  var capabilities: AdapterCapabilities { makeAdapter(Self.provider).capabilities }

  /// The provider's name in every law.
  public static let provider: ProviderID = "subject"
}

/// The items of one surface.
public struct ItemSamples: Sendable {
  /// The feed that lists them.
  public var feed: Feed
  /// One item with every field that the adapter maps.
  public var fullest: [UInt8]
  /// The neutral JSON of the fullest item; its provider is `AdapterSubject.provider`.
  public var meaning: JSON
  /// A small valid item with an id. The vendor's order shows a lower place first.
  public var item: @Sendable (_ id: String, _ place: Int) -> [UInt8]
  /// An item of a kind that does not exist yet; nil where the vendor's items have no kinds.
  public var unknownKind: [UInt8]?
  /// The name of the member that holds the item's id.
  public var idMember: String
  /// Actions on one item, all of which the adapter declares.
  public var actions: [ItemAction]

  public init(
    _ feed: Feed, idMember: String, fullest: String, meaning: JSON, actions: [ItemAction] = [],
    unknownKind: String? = nil,
    item: @escaping @Sendable (_ id: String, _ place: Int) -> String
  ) {
    self.feed = feed
    self.idMember = idMember
    self.fullest = Array(fullest.utf8)
    self.meaning = meaning
    self.actions = actions
    self.unknownKind = unknownKind.map { Array($0.utf8) }
    self.item = { Array(item($0, $1).utf8) }
  }
}

/// A push with its notification.
public struct PushSample: Sendable {
  public var push: JSON
  /// The neutral JSON of the notification.
  public var meaning: JSON

  public init(_ push: JSON, meaning: JSON) {
    self.push = push
    self.meaning = meaning
  }
}

/// A refusal that looks like success.
public struct DisguisedError: Sendable {
  public var operation: Operation
  public var body: [UInt8]
  public var code: EngagementError.Code

  public init(_ operation: Operation, _ body: String, _ code: EngagementError.Code) {
    self.operation = operation
    self.body = Array(body.utf8)
    self.code = code
  }
}

/// Messages of a vendor's live channel about one feed.
public struct LiveSamples: Sendable {
  public var feed: Feed
  /// The server's first messages on an open socket.
  public var greeting: [[UInt8]]
  /// Changes in the order in which the server sends them.
  public var updates: [[UInt8]]
  /// The final state of the whole feed.
  public var full: [UInt8]
  /// The ids of the final state.
  public var ids: Set<String>
  /// The interval at which each side checks the other.
  public var heartbeat: Duration

  public init(
    _ feed: Feed, greeting: [String] = [], updates: [String], full: String, ids: Set<String>,
    heartbeat: Duration
  ) {
    self.feed = feed
    self.greeting = greeting.map { Array($0.utf8) }
    self.updates = updates.map { Array($0.utf8) }
    self.full = Array(full.utf8)
    self.ids = ids
    self.heartbeat = heartbeat
  }
}
