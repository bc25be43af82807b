import EngagementAdapterAPI
import EngagementModel
import EngagementStore

/// Several customer-engagement vendors as if they were one.
///
/// An application opens one and keeps it. What the user sees is there at once, from the cache;
/// what the user does is accepted at once and delivered when it can be. Only `run()` does anything
/// by itself.
public final class Engagement: Sendable {
  /// The version of the library.
  public static let version = "0.4.0"

  let house: House
  let houses: [ProviderID: ProviderHouse]
  let exchanges: [ProviderID: Exchange]
  let desk: CredentialDesk
  let courier: Courier
  let showcase: Showcase
  let sessions: Sessions
  let users: Users
  let refresher: Refresher
  let containers: ContainerMap
  let pushes: PushRouter
  let journal: JournalKeeper
  private let place: CachePlace
  private let life = Life()

  init(
    _ house: House, houses: [ProviderID: ProviderHouse], exchanges: [ProviderID: Exchange],
    desk: CredentialDesk, courier: Courier, showcase: Showcase, sessions: Sessions,
    containers: ContainerMap, pushes: PushRouter, journal: JournalKeeper, place: CachePlace
  ) {
    self.house = house
    self.houses = houses
    self.exchanges = exchanges
    self.desk = desk
    self.courier = courier
    self.showcase = showcase
    self.sessions = sessions
    self.containers = containers
    self.pushes = pushes
    self.journal = journal
    self.place = place
    users = Users(
      house, houses: houses, exchanges: exchanges, desk: desk, courier: courier,
      showcase: showcase, sessions: sessions, journal: journal)
    refresher = Refresher(
      house, houses: houses, exchanges: exchanges, containers: containers,
      routes: { showcase.routes })
  }

  /// The folder that goes when this is closed; nil for a cache that stays.
  var folder: String? { place.folder }

  // MARK: Running

  /// Delivers what was accepted and keeps what is shown and counted in time, until the task is
  /// cancelled or `close()` is called; it is cleanly stopped when it returns.
  ///
  /// Throws `busy` while it runs already, `conflict` once it is closed.
  public func run() async throws(EngagementError) {
    let (house, courier, showcase, sessions) = (house, courier, showcase, sessions)
    try await life.run {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await courier.run() }
        group.addTask { await showcase.keepTime() }
        group.addTask { await sessions.keepTime() }
        group.addTask { await house.keepTidy() }
      }
    }
  }

  /// Stops what runs, and lets go of the cache, so that the process may be frozen. Other processes
  /// read the cache all the same, and leave in the journal what is to be taken in. Whatever is
  /// asked meanwhile opens the cache again.
  public func suspend() async throws(EngagementError) {
    await life.suspend()
    try await house.store.suspend()
  }

  /// Goes on after `suspend()`, and takes in what extensions left in the meantime.
  public func resume() async throws(EngagementError) {
    try await house.store.resume()
    await journal.foldOrLog()
    life.resume()
  }

  /// Stops what runs and lets go of the cache for good; a temporary one is gone then. Safe to call
  /// more than once, and before anything runs.
  public func close() async throws(EngagementError) {
    guard await life.close() else { return }
    defer { place.remove() }
    // An application's own source may hold the application, and with it this.
    desk.dismissEveryone()
    try await house.store.suspend()
  }
}
