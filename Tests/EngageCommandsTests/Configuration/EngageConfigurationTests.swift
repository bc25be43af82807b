import EngagementKit
import EngagementModel
import EngagementVendors
import EngagementVibes
import Foundation
import Testing

@testable import EngageCommands

@Suite struct EngageConfigurationTests {
  /// A configuration with members besides the provider.
  private static func with(_ members: String, provider: String = "") -> String {
    let own = provider.isEmpty ? #""endpoint": "https://a.example", "apiKey": "k""# : provider
    return #"{"providers": {"braze": {"vendor": "braze", \#(own)}}\#(members)}"#
  }

  private static func provider(_ members: String) -> String { with("", provider: members) }

  @Test(
    "a configuration error names the path of its key and suggests the nearest valid name",
    arguments: [
      ("{", "The document cannot be read: line 1, column 1"),
      ("[]", "The document is an array where an object belongs."),
      ("{}", "providers is missing."),
      (with(#", "user": 7"#), "user is a number where a string belongs."),
      (with(#", "user": """#), "user is empty."),
      (with(#", "usr": "u""#), #"usr is not a known key; did you mean "user"?"#),
      (
        with(#", "consent": "ful""#),
        #"consent names "ful", which is no level of consent; did you mean "full"?"#
      ),
      (
        with(#", "certificateAuthorities": "no-such.pem""#),
        #"certificateAuthorities names "no-such.pem", a file that cannot be read: No such file or directory."#
      ),
      (
        with(#", "certificateAuthorities": ".""#),
        "certificateAuthorities leads to something that is no file."
      ),
      (
        with(#", "ledger": {"maximumAge": 90}"#),
        #"ledger.maximumAge is not a known key; did you mean "maximumDays"?"#
      ),
      (
        with(#", "ledger": {"maximumDays": "90d"}"#),
        "ledger.maximumDays is a string where a whole number belongs."
      ),
      (with(#", "ledger": {"maximumEvents": 0}"#), "ledger.maximumEvents is not above zero."),
      (with(#", "ledger": {"maximumDays": 1000001}"#), "ledger.maximumDays is above 1000000."),
      (with(#", "cache": true"#), "cache is true or false where a string belongs."),
      (
        provider(#""endpoint": "https://a.example", "apiKey": "k", "contentKey": "campain""#),
        #"providers.braze.contentKey names "campain", which is no content key; did you mean "campaign"?"#
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": "k", "contentKey": {"extras": "x"}"#),
        #"providers.braze.contentKey.extras is not a known key; did you mean "extra"?"#
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": "k", "contentKey": {"extra": ""}"#),
        "providers.braze.contentKey.extra is empty."
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": "k", "contentKey": 7"#),
        #"providers.braze.contentKey is a number where "campaign", "fingerprint" or {"extra": NAME} belongs."#
      ),
      (#"{"providers": []}"#, "providers is an array where an object belongs."),
      (#"{"providers": {}}"#, "providers names no provider; name at least one."),
      (
        #"{"providers": {"a/b": {"vendor": "braze"}}}"#,
        "providers.a/b is no name of a provider: it is empty or has a slash."
      ),
      (
        #"{"providers": {"a\u001b[2J": {"vendor": "braze"}}}"#,
        "providers.a is no name of a provider: it has a control character."
      ),
      (#"{"providers": {"braze": {"endpoint": "x"}}}"#, "providers.braze.vendor is missing."),
      (
        #"{"providers": {"b": {"vendor": "brze"}}}"#,
        #"providers.b.vendor names "brze", which is no vendor; did you mean "braze"?"#
      ),
      (
        #"{"providers": {"a": {"vendor": "atomic", "endpoint": "https://a.example"}}}"#,
        "providers.a.token is missing."
      ),
      (
        #"{"providers": {"a": {"vendor": "atomic", "token": "secret"}}}"#,
        "providers.a.token is no JSON Web Token."
      ),
      (provider(#""endpoint": "https://a.example""#), "providers.braze.apiKey is missing."),
      (provider(#""apiKey": "k""#), "providers.braze.endpoint is missing."),
      (
        provider(#""endpont": "https://a.example""#),
        #"providers.braze.endpont is not a known key; did you mean "endpoint"?"#
      ),
      (
        provider(#""endpoint": "a.example", "apiKey": "k""#),
        "providers.braze.endpoint is no usable URL (noScheme)."
      ),
      (
        provider(#""endpoint": "wss://a.example", "apiKey": "k""#),
        "providers.braze.endpoint has the scheme of a web socket."
      ),
      (
        provider(#""endpoint": "http://a.example", "apiKey": "k""#),
        "providers.braze.endpoint is plain http to a host that is not this machine; use https, or http://127.0.0.1."
      ),
      (
        provider(#""endpoint": "http://localhost:8400", "apiKey": "k""#),
        "providers.braze.endpoint is plain http to a host that is not this machine; use https, or http://127.0.0.1."
      ),
      (
        provider(#""endpoint": "https://a.example/path", "apiKey": "k""#),
        "providers.braze cannot be used: endpoint: this is no URL of scheme and host alone."
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": 7"#),
        #"providers.braze.apiKey is a number where a string, {"env": NAME} or {"file": PATH} belongs."#
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": {}"#),
        "providers.braze.apiKey needs either env or file."
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": {"evn": "K"}"#),
        #"providers.braze.apiKey.evn is not a known key; did you mean "env"?"#
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": {"env": "NO_SUCH"}"#),
        "providers.braze.apiKey.env names the variable NO_SUCH, which is not set; export it."
      ),
      (
        provider(#""endpoint": "https://a.example", "apiKey": {"file": "no-such"}"#),
        #"providers.braze.apiKey.file names "no-such", a file that cannot be read: No such file or directory."#
      ),
      (
        with(#", "routes": {"card": "none"}"#),
        #"routes.card is not a known key; did you mean "cards"?"#
      ),
      (
        with(#", "routes": {"cards": {"only": "braz"}}"#),
        #"routes.cards.only names "braz", which is no provider; did you mean "braze"?"#
      ),
      (
        with(#", "routes": {"cards": {"merge": ["braze", "vibes"]}}"#),
        #"routes.cards.merge[1] names "vibes", which is no provider; there is "braze"."#
      ),
      (
        with(#", "routes": {"cards": {"merge": ["braze", "braze"]}}"#),
        #"routes.cards.merge[1] names "braze" once more."#
      ),
      (
        with(#", "routes": {"cards": {"merge": []}}"#),
        "routes.cards.merge is empty; name at least one provider."
      ),
      (
        with(#", "routes": {"cards": {"merge": "braze"}}"#),
        "routes.cards.merge is a string where an array of strings belongs."
      ),
      (
        with(#", "routes": {"cards": {}}"#),
        "routes.cards needs one of only, merge, firstReady, shadow and split."
      ),
      (
        with(#", "routes": {"cards": 3}"#),
        #"routes.cards is a number where "none", {"only": PROVIDER}, {"merge": [PROVIDER, …]} or {"firstReady": [PROVIDER, …]} belongs."#
      ),
      (
        with(#", "routes": {"cards": {"firstReady": ["braz"]}}"#),
        #"routes.cards.firstReady[0] names "braz", which is no provider; did you mean "braze"?"#
      ),
      (
        with(#", "routes": {"cards": {"firstReady": ["braze"], "cooldown": "5s"}}"#),
        #"routes.cards.cooldown is not a known key; did you mean "coolDown"?"#
      ),
      (
        with(#", "routes": {"cards": {"firstReady": ["braze"], "failures": 0}}"#),
        "routes.cards.failures is 0; it is 1 or more."
      ),
      (
        with(#", "routes": {"cards": {"firstReady": ["braze"], "return": "maybe"}}"#),
        #"routes.cards.return is "maybe"; use atOnce, byHand or afterRest with a time."#
      ),
      (
        with(#", "routes": {"inbox": {"mirror": ["braze"]}}"#),
        "routes.inbox is mirror, which routes.push, routes.person and routes.events can have: an action on "
          + "an item goes to its own vendor alone. Use merge."
      ),
      (
        with(#", "routes": {"push": {"both": ["braze"]}}"#),
        "routes.push: A route is only, merge, none, firstReady, mirror, shadow or split"
      ),
      (
        with(#", "routes": {"containers": {"news": 3}}"#),
        "routes.containers.news: A route is only, merge, none,"
      ),
      (
        with(#", "containers": {"home": {"braz": "x"}}"#),
        #"containers.home.braz names "braz", which is no provider; did you mean "braze"?"#
      ),
      (
        with(#", "containers": {"home": {"braze": {"extra": "slot"}}}"#),
        "containers.home.braze.is is missing."
      ),
      (
        with(#", "containers": {"home": {"braze": {"extra": "slot", "si": "x"}}}"#),
        #"containers.home.braze.si is not a known key; did you mean "is"?"#
      ),
      (
        with(#", "containers": {"home": {"braze": 1}}"#),
        #"containers.home.braze is a number where a container's name or {"extra": NAME, "is": VALUE} belongs."#
      ),
    ])
  func faults(document: String, message: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(document, to: "engage.json")
    let ending = await stage.engage("providers")
    #expect(ending.status == .failed)
    #expect(ending.output.isEmpty)
    #expect(ending.errors.hasPrefix("engage: engage.json: \(message)"), "\(ending.errors)")
    #expect(ending.errors.contains("[invalidConfiguration]"))
  }

  @Test(
    "V1: an error in a Vibes provider names the path of its key",
    arguments: [
      (#""endpoint": "https://a.example""#, "providers.inbox.appID is missing."),
      (#""appID": "demo""#, "providers.inbox.endpoint is missing."),
      (
        #""endpoint": "https://a.example", "appID": "..""#,
        "providers.inbox cannot be used: appID is empty or no single path segment."
      ),
      (
        #""endpoint": "https://a.example", "appID": "demo", "apiKey": "k""#,
        #"providers.inbox.apiKey is not a known key; there is "vendor", "contentKey", "endpoint", "appID", "association"."#
      ),
      (
        #""endpoint": "https://a.example", "appID": "demo", "association": "onSignin""#,
        #"providers.inbox.association names "onSignin", which is no association; did you mean "onSignIn"?"#
      ),
    ])
  func vibes(members: String, message: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(
      #"{"providers": {"inbox": {"vendor": "vibes", \#(members)}}}"#, to: "engage.json")
    let ending = await stage.engage("providers")
    #expect(ending.status == .failed)
    #expect(ending.errors.hasPrefix("engage: engage.json: \(message)"), "\(ending.errors)")
  }

  @Test("X4: a provider's content key is read from its entry")
  func contentKeys() throws {
    let braze = #""vendor": "braze", "endpoint": "https://a.example", "apiKey": "k""#
    let document = """
      {"providers": {
        "a": {\(braze), "contentKey": {"extra": "sku"}}, "b": {\(braze), "contentKey": "campaign"},
        "c": {\(braze), "contentKey": "fingerprint"}, "d": {\(braze)}}}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    let configuration = try ConfigurationReader(
      file: "engage.json", secrets: secrets, vendors: .shipped
    )
    .read(Array(document.utf8))
    #expect(
      configuration.providers.map(\.contentKey)
        == [.extra("sku"), .campaign, .fingerprint, nil])
  }

  @Test("V1: a Vibes provider is read with its association mode")
  func vibesEverything() throws {
    let document = """
      {"providers": {
        "inbox": {"vendor": "vibes", "endpoint": "https://a.example/mobile_apps", "appID": "demo",
                  "association": "byServer"}}}
      """
    let secrets = SecretReader(environment: { _ in nil }, folder: "/")
    let configuration = try ConfigurationReader(
      file: "engage.json", secrets: secrets, vendors: .shipped
    )
    .read(Array(document.utf8))
    let adapter = configuration.providers.first?.adapter as? VibesAdapter
    #expect(adapter?.configuration.appID == "demo")
    #expect(configuration.providers.map(\.id) == ["inbox"])
    #expect(adapter?.configuration.association == .byServer)
    #expect(configuration.routes == Engagement.Routes(cards: .none, inbox: .only("inbox")))
  }

  @Test("a missing configuration gives an error with the next step")
  func missing() async throws {
    let ending = await (try CommandLineFixture()).engage("sync", "--config", "other.json")
    #expect(ending.status == .failed)
    #expect(
      ending.errors == """
        engage: There is no configuration to read at other.json; run "engage init", or name one \
        with --config. [invalidConfiguration] (No such file or directory)

        """)
  }

  @Test("a configuration that is too long, or that begins with a byte order mark, says so")
  func unusable() async throws {
    let stage = try CommandLineFixture()
    try stage.write(String(repeating: " ", count: 1_000_001), to: "engage.json")
    let long = await stage.engage("sync")
    #expect(long.status == .failed)
    #expect(long.errors.contains("engage.json: The input has more than 1000000 bytes."))
    try stage.write("\u{feff}{}", to: "engage.json")
    let marked = await stage.engage("sync")
    #expect(marked.status == .failed)
    #expect(
      marked.errors.contains(
        "engage.json: It begins with a byte order mark; save it as UTF-8 without one."))
  }

  @Test(
    "C3: a region beside an endpoint that is an address says why the two do not go together",
    arguments: [
      (
        #""region": "eu1", "endpoint": "http://127.0.0.1:8402""#,
        "region does not go with this endpoint: requests would go to eu1.127.0.0.1, and 127.0.0.1 is "
          + "an address, not a name. Leave region out."
      ),
      (#""region": "eu1.x""#, "region is no name without a dot, such as eu1."),
    ])
  func region(members: String, told: String) async throws {
    let stage = try CommandLineFixture()
    try stage.write(
      """
      {"providers": {"clevertap": {"vendor": "clevertap", "accountID": "a", "token": "t", \(members)}}}
      """, to: "engage.json")
    let ending = await stage.engage("providers")
    #expect(ending.status == .failed)
    #expect(
      ending.errors.contains("providers.clevertap cannot be used: \(told)"), "\(ending.errors)")
  }

  @Test("the configuration path comes from --config, then ENGAGE_CONFIG, then engage.json")
  func places() async throws {
    let stage = try CommandLineFixture()
    for name in ["engage.json", "environment.json", "option.json"] {
      try stage.write(Self.with(", \"\(name)\": 1"), to: name)
    }
    let setting = CommandLineFixture.Setting(environment: ["ENGAGE_CONFIG": "environment.json"])
    let endings = [
      await stage.engage("providers"),
      await stage.engage("providers", in: setting),
      await stage.engage("providers", "-c", "option.json", in: setting),
    ]
    for (ending, name) in zip(endings, ["engage.json", "environment.json", "option.json"]) {
      #expect(ending.errors.contains("\(name): \(name) is not a known key"))
    }
  }

  @Test("every documented configuration key is read")
  func everything() throws {
    let stage = try CommandLineFixture()
    try stage.write("file-key\n", to: "key")
    let document = """
      {"cache": "data/cache.sqlite", "certificateAuthorities": "key", "user": "u-1", "consent": "essential",
       "providers": {
         "one": {"vendor": "braze", "endpoint": "http://127.0.0.1:8400", "apiKey": {"file": "key"}},
         "two": {"vendor": "braze", "endpoint": "https://a.example", "apiKey": {"env": "KEY"},
                 "token": "signature"}},
       "containers": {"home": {"one": {"extra": "slot", "is": "home"}}, "offers": {}},
       "routes": {"cards": {"merge": ["two", "one"]}, "inbox": "none"}}
      """
    let secrets = SecretReader(environment: { ["KEY": "env-key"][$0] }, folder: stage.folder.path)
    let configuration = try ConfigurationReader(
      file: "engage.json", secrets: secrets, vendors: .shipped
    )
    .read(Array(document.utf8))
    #expect(configuration.cache == stage.folder.path + "/data/cache.sqlite")
    #expect(configuration.certificateAuthorities == stage.folder.path + "/key")
    #expect(configuration.user == "u-1")
    #expect(configuration.consent == .essential)
    #expect(configuration.providers.map(\.id) == ["one", "two"])
    #expect(configuration.providers.map(\.credential) == [nil, Secret("signature")])
    #expect(configuration.providersWithoutCredential(of: "u-1").isEmpty)
    #expect(configuration.providersWithoutCredential(of: "u-2") == ["two"])
    #expect(configuration.routes == Engagement.Routes(cards: .merge(["two", "one"]), inbox: .none))
    #expect(configuration.containerNames == ["home", "offers"])
    #expect(
      configuration.containers
        == ["home": ["one": .extra("slot", is: "home")], "offers": [:]])
  }
}
