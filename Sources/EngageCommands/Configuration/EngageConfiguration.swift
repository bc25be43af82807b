import EngagementAdapterAPI
import EngagementKit
import EngagementModel
import EngagementVendors

/// What `engage.json` says, checked.
struct EngageConfiguration: Sendable {
  /// Where the document is.
  var file: String
  /// Where the cache is.
  var cache: String
  /// A file of certificate authorities that are trusted beside the system's.
  var certificateAuthorities: String?
  /// Who is signed in when the cache first hears of them.
  var user: User?
  /// What a user allows who was not asked yet.
  var consent: Consent?
  /// How long recorded events are kept.
  var ledgerRetention: LedgerRetention
  /// How often templates may interrupt one user.
  var caps: Engagement.Options.Caps
  /// In the order of the document.
  var providers: [ConfiguredProvider]
  var routes: Engagement.Routes
  /// The surfaces for which the document has a route.
  var writtenRoutes: Set<String> = []
  var containers: Engagement.ContainerMap
  /// The application's containers in the order of the document.
  var containerNames: [ContainerID]
  /// Where the configured user's credentials are, for each provider that has one.
  var credentialPlaces: [ProviderID: CredentialPlace]

  /// The providers as the kit takes them.
  var namedAdapters: Engagement.Providers {
    Engagement.Providers(providers.map { ($0.id, $0.adapter) })
  }

  /// The sources of content keys as the kit takes them.
  var contentKeys: Engagement.ContentKeys {
    Engagement.ContentKeys(
      providers.compactMap { provider in provider.contentKey.map { (provider.id, $0) } })
  }

  /// The templates as the kit takes them, all with the same presenter.
  func templates(shownBy presenter: TerminalPresenter) -> Engagement.Templates {
    Engagement.Templates(
      providers.filter { !$0.templates.isEmpty }.map {
        (
          $0.id,
          Engagement.PresentedTemplate.all($0.templates, shownBy: presenter, runBy: presenter)
        )
      })
  }

  /// What templates may do in a command. URLs are printed and not opened.
  func presentations(by presenter: TerminalPresenter) -> Engagement.Options.Presentations {
    Engagement.Options.Presentations(
      openURL: { presenter.tell("open", .string($0)) },
      takeKeyValues: { presenter.tell("hand over", .object($0)) },
      fileHosts: providers.flatMap(\.fileHosts), withoutScene: true, caps: caps)
  }

  /// Whether the configured credentials are this user's. Without a configured user they are everybody's.
  func hasCredentials(of signedIn: User) -> Bool { user == nil || user == signedIn }

  /// The providers whose configured credential is another user's.
  func providersWithoutCredential(of signedIn: User) -> [ProviderID] {
    providers.map(\.id).filter { credentialPlaces[$0] != nil && !hasCredentials(of: signedIn) }
  }

  /// The providers whose cards the configuration wants and that have them in containers, of which it
  /// names none.
  var providersWithoutContainer: [ProviderID] {
    guard containerNames.isEmpty else { return [] }
    return providers.filter {
      routes.cards.providers.contains($0.id) && $0.hasContainers
    }.map(\.id)
  }

  /// The container that is meant where none is named.
  var mainContainer: ContainerID { containerNames.first ?? "home" }

  /// Every container that a command looks for cards in.
  var shownContainers: [ContainerID] {
    containerNames.isEmpty ? [mainContainer] : containerNames
  }
}

/// What is said of a provider that has its cards in containers, where the configuration names none.
enum MissingContainer {
  static let fault = "no cards are fetched, because engage.json has no \"containers\""

  static func advice(at provider: ProviderID) -> String {
    """
    Add "containers": {"home": {"\(provider)": "ID"}}, where ID is the vendor's own id of the container.
    """
  }

  static func text(at provider: ProviderID) -> String {
    "\(provider): \(fault). \(advice(at: provider))"
  }
}

extension ConfiguredProvider {
  /// Whether the vendor has its cards in containers of its own.
  var hasContainers: Bool { adapter.capabilities.hasContainers }
}
