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
  /// In the order of the document.
  var providers: [ConfiguredProvider]
  var routes: Engagement.Routes
  var containers: Engagement.ContainerMap
  /// The application's containers in the order of the document.
  var containerNames: [ContainerID]

  /// The providers as the kit takes them.
  var namedAdapters: Engagement.Providers {
    Engagement.Providers(providers.map { ($0.id, $0.adapter) })
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
      fileHosts: providers.flatMap(\.fileHosts), withoutScene: true)
  }

  /// The credential for each provider, as long as the user is signed in. The configured ones are the
  /// configured user's; without a configured user they are everybody's.
  func credentials(of signedIn: User) -> Engagement.CredentialSource {
    guard user == nil || user == signedIn else { return { _ in nil } }
    let known = Dictionary(
      providers.map { ($0.id, $0.credential) },
      uniquingKeysWith: { first, _ in first })
    return { provider in known[provider] ?? nil }
  }

  /// The providers whose configured credential is another user's.
  func providersWithoutCredential(of signedIn: User) -> [ProviderID] {
    user == nil || user == signedIn ? [] : providers.filter { $0.credential != nil }.map(\.id)
  }

  /// The container that is meant where none is named.
  var mainContainer: ContainerID { containerNames.first ?? "home" }

  /// Every container that a command looks for cards in.
  var shownContainers: [ContainerID] {
    containerNames.isEmpty ? [mainContainer] : containerNames
  }
}
