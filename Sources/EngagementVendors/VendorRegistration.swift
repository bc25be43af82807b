public import EngagementAdapterAPI
public import EngagementAnalytics
public import EngagementModel

/// All that the command line and the emulator know of one vendor. One registration a vendor: help,
/// completions, ports, the starter configuration and the provider table follow from the list.
public struct VendorRegistration: Sendable {
  /// As `engage.json` and `--vendor` name it.
  public var name: String
  /// As people write it, such as `CleverTap`.
  public var title: String
  /// The port of its server on this machine, from 8400 to 8408.
  public var port: Int
  /// The keys of a provider in `engage.json`, besides `vendor`.
  public var configurationKeys: [String] = []
  /// The request headers that carry a credential of this vendor, in lower case, besides the
  /// common ones. The emulator's record names them and never holds their values.
  public var credentialHeaders: [String] = []
  /// Makes the provider of an entry in `engage.json`; nil for a vendor that this version knows by
  /// name alone.
  public var makeProvider: ProviderFactory?
  /// Makes an adapter that only reads payloads; nil for a vendor known by name alone.
  public var makeReader: ReaderFactory?
  /// The vendor's server; nil where there is none.
  public var server: (any VendorServer.Type)?
  /// The provider that `engage init` writes, with the server's address on this machine.
  public var starter: JSONObject?
  /// The definitions of templates that `engage init` writes beside it, under the name that `starter`
  /// has for `templates`; nil for a vendor without campaigns.
  public var starterTemplates: String?
  /// The vendor's own name of the container `home` in what `engage init` writes; nil for a vendor
  /// without containers.
  public var starterContainer: String?
  /// What help shows of the vendor.
  public var examples = Examples()
  /// How the vendor's own exports of events correspond to ours.
  public var eventTables: [VendorEventTable] = []

  /// The user whom `engage init` writes, and to whom a credential in `starter` belongs.
  public static let starterUser: UserID = "u-1"

  /// The headers that carry a credential at any vendor.
  package static let commonCredentialHeaders = [
    "authorization", "cookie", "proxy-authorization", "x-api-key",
  ]

  /// Makes a provider of an entry in `engage.json`.
  public typealias ProviderFactory =
    @Sendable (ProviderFields) throws(EngagementError) -> ConfiguredProvider
  /// Makes an adapter that reads payloads and sends nothing.
  public typealias ReaderFactory = @Sendable () throws(EngagementError) -> any EngagementAdapter

  /// A vendor that the command line can use.
  public init(
    name: String, title: String, port: Int, configurationKeys: [String],
    credentialHeaders: [String] = [], starter: JSONObject,
    starterTemplates: String? = nil, starterContainer: String? = nil,
    examples: Examples = Examples(), eventTables: [VendorEventTable] = [],
    server: any VendorServer.Type, reader: @escaping ReaderFactory,
    provider: @escaping ProviderFactory
  ) {
    self.name = name
    self.title = title
    self.port = port
    self.configurationKeys = configurationKeys
    self.credentialHeaders = credentialHeaders
    self.starter = starter
    self.starterTemplates = starterTemplates
    self.starterContainer = starterContainer
    self.examples = examples
    self.eventTables = eventTables
    self.server = server
    makeReader = reader
    makeProvider = provider
  }

  /// A vendor whose name and port are taken and whose adapter is not there yet. A configuration
  /// that names it is refused with its name.
  public init(planned name: String, title: String, port: Int) {
    self.name = name
    self.title = title
    self.port = port
  }

  /// What help shows of a vendor.
  public struct Examples: Sendable {
    /// The id of a card, such as `card-1`; nil for a vendor without cards.
    public var card: String?
    /// The id of a message; nil for a vendor without an inbox.
    public var message: String?
    /// Payloads to decode.
    public var payloads: [Payload]
    /// An event that makes a campaign of the vendor's server due; nil for a vendor without campaigns.
    public var event: Event?

    public init(
      card: String? = nil, message: String? = nil, payloads: [Payload] = [], event: Event? = nil
    ) {
      self.card = card
      self.message = message
      self.payloads = payloads
      self.event = event
    }
  }

  /// An event that an application records.
  public struct Event: Sendable {
    public var name: String
    public var properties: JSONObject

    public init(_ name: String, _ properties: JSONObject = [:]) {
      self.name = name
      self.properties = properties
    }
  }

  /// A payload that `engage decode` reads, as help shows it.
  public struct Payload: Sendable {
    /// The kind, such as `cards`.
    public var kind: String
    /// How the payload is named on the command line, such as `sync.json`.
    public var file: String
    /// What it is, such as `an answer with cards`.
    public var meaning: String
    /// The members of an answer that list the items, for a payload without any.
    public var lists: [String]

    public init(_ kind: String, _ file: String, _ meaning: String, lists: [String] = []) {
      self.kind = kind
      self.file = file
      self.meaning = meaning
      self.lists = lists
    }
  }
}

// MARK: Providers on this machine

extension VendorRegistration {
  /// The provider that `engage init` would configure, with the server at another address.
  package func emulated(at endpoint: String) throws(EngagementError) -> ConfiguredProvider {
    var members = starter ?? [:]
    members["endpoint"] = .string(endpoint)
    let whole = ConfigurationField(value: .object(members), path: name)
    guard let makeProvider else { throw whole.fault("is not available in this version") }
    let fields = Dictionary(
      try whole.members().map { ($0.name, $0.field) }, uniquingKeysWith: { first, _ in first })
    return try makeProvider(
      ProviderFields(id: ProviderID(name), whole: whole, members: fields) {
        (field) throws(EngagementError) in Secret(try field.string())
      })
  }
}
