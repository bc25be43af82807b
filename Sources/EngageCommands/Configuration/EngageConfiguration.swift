import EngagementAdapterAPI
import EngagementKit
import EngagementModel

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
  var routes: Routes
  var containers: ContainerMap
  /// The application's containers in the order of the document.
  var containerNames: [ContainerID]

  /// The providers as the kit takes them.
  var namedAdapters: [Provider] { providers.map { Provider($0.id, $0.adapter) } }

  /// The container that is meant where none is named.
  var mainContainer: ContainerID { containerNames.first ?? "home" }
}

/// A provider with what is needed to reach it.
struct ConfiguredProvider: Sendable {
  var id: ProviderID
  var adapter: any EngagementAdapter
  /// The application's credential for whoever is signed in.
  var credential: Secret?
  /// Where the vendor is.
  var endpoint: String
}
