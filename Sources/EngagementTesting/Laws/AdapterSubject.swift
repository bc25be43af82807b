public import EngagementAdapterAPI
package import EngagementHTTP
public import EngagementModel
public import EngagementPlatform
public import EngagementVendors

/// An adapter as the laws try it: how it is made, a server to talk to, and samples of what the
/// vendor sends.
///
/// The author of an adapter writes one of these and runs `Law.all` over it. What is left empty is
/// not tried, and `uncovered` names it.
public struct AdapterSubject: Sendable, CustomStringConvertible {
  /// What test reports call it.
  public var name: String
  /// Makes the adapter under the name that an application gives the provider.
  public var makeAdapter: @Sendable (ProviderID) -> any EngagementAdapter
  /// Makes a fresh server that has no items, at a time.
  public var makeServer: @Sendable (Date) -> any VendorServer
  /// The headers that have to be sent as a `Secret`, besides the common ones.
  public var credentialHeaders: [String] = []
  /// The n-th credential of a user, from 1: each is good until the server expires it. Nil for a
  /// vendor that wants none.
  public var credential: @Sendable (UserID, Int) -> Secret?
  /// What the vendor's items look like, for each surface that it has.
  public var items: [ItemSamples]
  /// Pushes of the vendor, with what each means.
  public var pushes: [PushSample]
  /// Pushes of others, besides the ones that the laws bring: none may be taken.
  public var foreignPushes: [JSON]
  /// Operations of verbs that the laws have no example of, such as the vendor's own.
  public var operations: [Operation]
  /// Answers with status 200 that are refusals, with the code that each has to give.
  public var disguisedErrors: [DisguisedError]
  /// Statuses that mean something else with this vendor than the table says.
  public var statusCodes: [Int: EngagementError.Code]
  /// What the live channel says; nil where there is none.
  public var live: LiveSamples?
  /// What the adapter was configured with and must never reveal, such as the key of an
  /// application.
  public var secrets: [Secret]

  /// Wraps the transport between the engagement and the server: the tests of the laws
  /// break it on purpose.
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
    disguisedErrors = []
    statusCodes = [:]
    live = nil
    secrets = []
  }

  public var description: String { name }

  /// What the adapter can do.
  var capabilities: AdapterCapabilities { makeAdapter(Self.provider).capabilities }

  /// The provider's name in every law.
  public static let provider: ProviderID = "subject"
}

/// The items of one surface.
public struct ItemSamples: Sendable {
  /// Where they are listed.
  public var feed: Feed
  /// One item with every field that the adapter maps.
  public var fullest: [UInt8]
  /// The neutral JSON of the fullest item; its provider is `AdapterSubject.provider`.
  public var meaning: JSON
  /// A small sound item with an id, such that the vendor's order shows a lower place first.
  public var item: @Sendable (_ id: String, _ place: Int) -> [UInt8]
  /// An item of a kind that does not exist yet; nil where the vendor's items have no kinds.
  public var unknownKind: [UInt8]?
  /// The name of the member that holds the item's id.
  public var idMember: String
  /// What a user does to one item, all of which the adapter declares.
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

/// A push with what it means.
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

/// What a vendor's live channel says about one feed.
public struct LiveSamples: Sendable {
  public var feed: Feed
  /// What the server says before anything else, once the socket is open.
  public var greeting: [[UInt8]]
  /// Changes one after another, as they come when nothing goes wrong.
  public var updates: [[UInt8]]
  /// The whole feed as it is at last.
  public var full: [UInt8]
  /// The ids that are there at last.
  public var ids: Set<String>
  /// How often either side makes sure of the other.
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
