import EngagementAdapterAPI
import EngagementModel
import EngagementTesting
import Testing

@testable import EngagementKit

/// A configuration with one fault, and its error message.
struct ConfigurationFault: Sendable, CustomTestStringConvertible {
  var message: String
  var spoil: @Sendable (inout ConfigurationParts) -> Void
  var testDescription: String { message }

  init(_ message: String, _ spoil: @escaping @Sendable (inout ConfigurationParts) -> Void) {
    self.message = message
    self.spoil = spoil
  }
}

struct ConfigurationParts {
  var cache = Cache.file("cache.sqlite")
  var device = Device.test
  var providers = [
    Provider("braze", PuppetAdapter("braze")),
    Provider("atomic", PuppetAdapter("atomic", hasContainers: true)),
    Provider("bare", PuppetAdapter("bare", abilities: [.person: .request])),
  ]
  var routes = Routes(cards: .merge(["braze", "atomic"]), inbox: .only("braze"))
  var containers: ContainerMap = [
    "home": ["atomic": .container("c-1"), "braze": .extra("slot", is: "home")]
  ]
  var options = Options()

  func check() throws(EngagementError) {
    try Configuration(
      cache: cache, device: device, providers: providers, routes: routes,
      containers: containers, options: options
    ).check()
  }
}

@Suite("engagement configuration") struct ConfigurationTests {
  static let table: [ConfigurationFault] = [
    ConfigurationFault("cache is empty.") { $0.cache = .file("") },
    ConfigurationFault("device.appID is empty.") { $0.device.appID = "" },
    ConfigurationFault("options.environment is empty.") { $0.options.environment = "" },
    ConfigurationFault("options.limits.rows is not above zero.") { $0.options.limits.rows = 0 },
    ConfigurationFault("options.limits.bytes is not above zero.") { $0.options.limits.bytes = -1 },
    ConfigurationFault("options.ledgerRetention.maximumAge is not above zero.") {
      $0.options.ledgerRetention.maximumAge = .zero
    },
    ConfigurationFault("options.ledgerRetention.maximumEvents is not above zero.") {
      $0.options.ledgerRetention.maximumEvents = 0
    },
    ConfigurationFault("providers is empty; name at least one.") { $0.providers = [] },
    ConfigurationFault("providers[3].id is empty.") {
      $0.providers.append(Provider("", PuppetAdapter("x")))
    },
    ConfigurationFault("providers[3].id \"braze\" is there twice; name them apart.") {
      $0.providers.append(Provider("braze", PuppetAdapter("braze")))
    },
    ConfigurationFault(
      "routes.cards names \"brase\", which is no provider; did you mean \"braze\"?"
    ) {
      $0.routes.cards = .only("brase")
    },
    ConfigurationFault(
      "routes.inbox names \"nothing-like-it\", which is no provider; there is \"braze\", \"atomic\", \"bare\"."
    ) { $0.routes.inbox = .merge(["braze", "nothing-like-it"]) },
    ConfigurationFault("routes.cards names \"braze\" twice.") {
      $0.routes.cards = .merge(["braze", "braze"])
    },
    ConfigurationFault("routes.cards merges nothing; name at least one provider.") {
      $0.routes.cards = .merge([])
    },
    ConfigurationFault(
      "routes.cards names \"bare\", which has no cards; use \"braze\" or \"atomic\"."
    ) {
      $0.routes.cards = .only("bare")
    },
    ConfigurationFault(
      "routes.inbox names \"bare\", which has no inbox; no provider has; use none."
    ) {
      $0.providers = [Provider("bare", PuppetAdapter("bare", abilities: [:]))]
      $0.routes = Routes(cards: .none, inbox: .only("bare"))
    },
    ConfigurationFault("containers has an empty name.") { $0.containers = ["": [:]] },
    ConfigurationFault(
      "containers[\"home\"] names \"atomik\", which is no provider; did you mean \"atomic\"?"
    ) {
      $0.containers = ["home": ["atomik": .container("c")]]
    },
    ConfigurationFault("containers[\"home\"][\"atomic\"] is empty.") {
      $0.containers = ["home": ["atomic": .container("")]]
    },
    ConfigurationFault("containers[\"home\"][\"braze\"].extra is empty.") {
      $0.containers = ["home": ["braze": .extra("", is: "home")]]
    },
    ConfigurationFault(
      "containers[\"home\"][\"braze\"] is a container, and the vendor has none; use an extra."
    ) {
      $0.containers = ["home": ["braze": .container("c")]]
    },
  ]

  @Test("a configuration fault fails the check, and the error names the field", arguments: table)
  func faults(fault: ConfigurationFault) throws {
    var parts = ConfigurationParts()
    try parts.check()
    fault.spoil(&parts)
    let error = #expect(throws: EngagementError.self) { try parts.check() }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message == fault.message)
  }

  @Test(
    "X1: opening with an unknown provider in a route fails before any request and names a likely one"
  )
  func opens() async {
    let transport = ScriptedTransport([:])
    let error = await #expect(throws: EngagementError.self) {
      _ = try await Engagement.open(
        cache: .temporary, device: .test, transport: transport,
        providers: ["braze": PuppetAdapter("braze")],
        routes: Routes(cards: .only("braxe"), inbox: .none))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains("did you mean \"braze\"?") == true)
    #expect(transport.requests.isEmpty)
  }
}
