import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementModel
import EngagementStore

/// The store, clock, transport, log and other objects that all parts of the kit share.
struct KitDependencies: Sendable {
  let store: Store
  let secrets: any SecretStore
  let transport: any HTTPTransport
  let clock: any EngagementClock
  /// The installation as vendors see it. It is read at each use: time zones and locales change.
  let device: @Sendable () -> Device
  let random: @Sendable () -> UInt64
  let log: Log
  let environment: String
  /// In the order in which the application named them.
  let providers: [Provider]
  /// By what each provider's items are known as copies of contents.
  let contentKeys: [ProviderID: ContentKeySource]
  let currentUser: CurrentUser
  let commitPublisher: CommitPublisher
  let receiptOutcomes = ReceiptOutcomes()
  let lifecycle = Lifecycle()
  let tokensToUnregister: TokensToUnregister
  let providerSecrets: ProviderSecrets
  /// Makes the ids of events, each later than the one before.
  let eventIDs = Locked(UUIDv7Sequence())

  func provider(_ id: ProviderID) throws(EngagementError) -> Provider { try providers.named(id) }

  /// A fresh key: 128 random bits.
  func key() -> OperationKey { OperationKey(random(), random()) }
}
