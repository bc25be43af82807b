import EngagementAdapterAPI
import EngagementFormats
import EngagementHTTP
import EngagementModel
import EngagementStore

/// What every part of the kit works with.
struct House: Sendable {
  let store: Store
  let secrets: any SecretStore
  let transport: any HTTPTransport
  let clock: any EngagementClock
  /// What vendors are told about the installation, asked for each time: zones and locales change.
  let device: @Sendable () -> Device
  let random: @Sendable () -> UInt64
  let log: Log
  let environment: String
  /// In the order in which the application named them.
  let providers: [Provider]
  let occupancy: Occupancy
  let bulletin: Bulletin
  /// Push tokens that vendors are still to be told of.
  let retired: RetiredTokens
  /// The ids of events, each later than the one before.
  let eventIDs = Locked(UUIDv7Sequence())

  func provider(_ id: ProviderID) throws(EngagementError) -> Provider { try providers.named(id) }

  var strongbox: Strongbox { Strongbox(store: secrets, environment: environment) }

  /// A fresh key: 128 random bits.
  func key() -> OperationKey { OperationKey(random(), random()) }
}
