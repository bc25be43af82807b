import EngagementAdapterAPI
import EngagementModel
import EngagementStore
import EngagementTesting
import Foundation

@testable import EngagementKit

/// One installation and its vendors, with their invariants.
final class World {
  private let vendors: [ProviderID: InProcessServer]
  private let network: Network
  private let clock = TestClock()
  private let secrets = MemorySecretStore()
  private let folder: URL
  private let serial = Locked(0)
  private(set) var engagement: Engagement
  var reference = Reference()
  private(set) var user = User.anonymous
  private var made = 0
  /// The routes that hold.
  var routes = World.configured

  static let providers: [ProviderID] = ["memory", "second"]
  static let configured = Engagement.Routes(
    cards: .merge(providers), inbox: .only("memory"))
  private static let home: ContainerID = "home"

  init(in parent: URL) async throws {
    folder = parent.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let clock = clock
    vendors = Dictionary(
      uniqueKeysWithValues: Self.providers.map {
        ($0, InProcessServer(MemoryServer(seed: nil, at: clock.now), clock: clock))
      })
    network = Network(vendors)
    engagement = try await Self.open(folder, network, clock, secrets)
    try await consent()
  }

  deinit {
    // A folder that remains does not affect other runs.
    try? FileManager.default.removeItem(at: folder)
  }

  private static func open(
    _ folder: URL, _ network: Network, _ clock: TestClock, _ secrets: MemorySecretStore
  ) async throws -> Engagement {
    try await Engagement.open(
      cache: .file(folder.appending(path: "cache.sqlite").path), device: .test,
      transport: network,
      providers: Engagement.Providers(
        providers.map { ($0, MemoryAdapter(as: $0, at: Network.host(of: $0))) }),
      routes: configured, contentKeys: ["memory": .extra("key"), "second": .extra("key")],
      options: Options(secrets: secrets, clock: clock))
  }

  static func user(_ number: Int) -> User { number == 0 ? .anonymous : User(UserID("u\(number)")) }

  // MARK: Steps

  func take(_ step: ScheduleStep) async throws {
    switch step {
    case .signIn(let number): try await signIn(Self.user(number))
    case .signOut(let wiping): try await signOut(wiping: wiping)
    case .refresh(let inbox): _ = await engagement.refresh(inbox ? .inbox : .cards(in: Self.home))
    case .dismiss(let place): try await act(.dismiss, "dismissal", onCard: place)
    case .click(let place): try await act(.click, "click", onCard: place)
    case .read(let place): try await act(.read, "read", onMessage: place)
    case .delete(let place): try await act(.delete, "delete", onMessage: place)
    case .track:
      let number = reference.accept("track", on: nil, by: user, to: toldOfEvents)
      try await engagement.track("n\(number)")
    case .send: try await send()
    case .network(let mode, let vendor): network.set(mode, at: Self.providers[vendor])
    case .vendorAdds(let number, let inbox, let vendor):
      await add(number, inbox, at: Self.providers[vendor])
    case .vendorEmpties(let number, let inbox, let vendor):
      await vendors[Self.providers[vendor]]?.clear(
        inbox ? .inbox : Feed(.cards, in: Self.home), of: Self.user(number))
    case .vendorExpiresCredentials(let vendor):
      await vendors[Self.providers[vendor]]?.expireCredentials()
    case .vendorForgetsDevices(let vendor):
      try await vendors[Self.providers[vendor]]?.configure(["forgetDevices": true])
    case .crash: try await crash()
    case .clock(let days): clock.set(to: clock.now.addingTimeInterval(Double(days) * 86_400))
    case .wait(let seconds): clock.advance(by: .seconds(seconds))
    case .erase(let number): try await erase(Self.user(number))
    case .route(let place, let choice): try await setRoute(of: place, choice)
    }
  }

  /// Sets full consent, as an application does after asking the user.
  private func consent() async throws { try await engagement.setConsent(.full) }

  private func signIn(_ next: User) async throws {
    noteSending()
    try await engagement.signIn(next, within: .seconds(5), credentials: credentials(of: next))
    if user.isAnonymous, next != user { reference.adopt(next) }
    user = next
    try await consent()
  }

  private func credentials(of user: User) -> CredentialSource {
    { [serial] _ in
      let number = serial.withLock { number in
        number += 1
        return number
      }
      return user.id.map { Secret("memory.\($0).\(number)") }
    }
  }

  private func signOut(wiping: Bool) async throws {
    guard !user.isAnonymous else { return }
    noteSending()
    let pending = try await engagement.pendingActions().compactMap(\.item)
    _ = try await engagement.signOut(within: .seconds(5), undelivered: wiping ? .discard : .keep)
    if wiping {
      reference.wipe(user)
      // A vendor that never hears of a removal keeps the item, and so does the cache.
      reference.gone[user]?.subtract(pending)
    }
    reference.leave(user)
    user = .anonymous
    try await consent()
  }

  private func erase(_ someone: User) async throws {
    guard !someone.isAnonymous else { return }
    noteSending()
    do throws(EngagementError) {
      _ = try await engagement.eraseData(of: someone)
    } catch {
      // Nothing was ever held about this user.
      guard error.code == .notFound else { throw error }
    }
    reference.wipe(someone)
    reference.gone[someone] = nil
    if someone == user {
      reference.leave(user)
      user = .anonymous
    }
    try await consent()
  }

  private func send() async throws {
    noteSending()
    try await engagement.compareShadows()
    for provider in Self.providers {
      _ = await engagement.outboxSender.drain(
        provider, as: engagement.dependencies.currentUser.userSession, within: .seconds(5))
    }
  }

  /// Pending deeds need not arrive while the vendor refuses, and their items may reappear.
  private func noteSending() {
    for provider in Self.providers where network.mode(at: provider) == .refusing {
      let deeds = reference.deeds.filter { $0.user == user && $0.provider == provider }
      reference.mayBeRefused[provider, default: []].formUnion(deeds.map(\.number))
      reference.gone[user] = reference.gone[user]?.filter { $0.provider != provider }
    }
  }

  private func act(_ action: ItemAction, _ name: String, onCard place: Int) async throws {
    let cards = engagement.cards(in: Self.home).cards
    guard !cards.isEmpty else { return }
    try await act(action, name, on: cards[place % cards.count].id, .cards)
  }

  private func act(_ action: ItemAction, _ name: String, onMessage place: Int) async throws {
    let messages = engagement.inbox.messages
    guard !messages.isEmpty else { return }
    try await act(action, name, on: messages[place % messages.count].id, .inbox)
  }

  private func act(
    _ action: ItemAction, _ name: String, on id: ItemID, _ surface: Surface
  ) async throws {
    _ = try await engagement.perform(action, on: id, surface: surface)
    _ = reference.accept(name, on: id.value, by: user, to: [id.provider])
    if name == "dismissal" || name == "delete" {
      reference.gone[user, default: []].insert(id)
    }
  }

  private func add(_ number: Int, _ inbox: Bool, at provider: ProviderID) async {
    made += 1
    let id = "u\(number)-\(inbox ? "m" : "c")\(made)"
    await vendors[provider]?.put(
      [Array(#"{"id":"\#(id)","title":"\#(id)","subject":"\#(id)"}"#.utf8)],
      in: inbox ? .inbox : Feed(.cards, in: Self.home), for: Self.user(number))
  }

  /// Ends the engagement without notice, as a kill does.
  private func crash() async throws {
    engagement = try await Self.open(folder, network, clock, secrets)
    if !user.isAnonymous {
      try await engagement.signIn(user, credentials: credentials(of: user))
    }
  }

  // MARK: Invariants

  /// The broken invariants after a step.
  func faults() async throws -> [String] {
    var faults: [String] = []
    for (provider, tally) in try await engagement.dependencies.store.deliveryCounts()
    where !tally.isConserved {
      faults.append("\(provider) is not conserved: \(tally)")
    }
    if engagement.user != user {
      faults.append("the current user is \(engagement.user), not \(user)")
    }
    faults += network.foreign.map { "another user's credential: \($0)" }
    faults += visibleFaults + orderFaults + routeFaults
    return faults
  }

  private var visibleFaults: [String] {
    let feeds = [
      ("cards", routes.cards, engagement.cards(in: Self.home).cards.map(\.id)),
      ("inbox", routes.inbox, engagement.inbox.messages.map(\.id)),
    ]
    let own = "\(user.id?.rawValue ?? "u0")-"
    var faults: [String] = []
    for (surface, route, ids) in feeds {
      for id in ids where !id.value.hasPrefix(own) { faults.append("\(id) is visible to \(user)") }
      for id in ids where reference.gone[user]?.contains(id) == true {
        faults.append("removed item \(id) is visible")
      }
      if let fault = fault(of: ids, by: route) { faults.append("\(surface): \(fault)") }
    }
    return faults
  }

  private var orderFaults: [String] {
    var ids: [String: [ProviderID: String]] = [:]
    var last: [ProviderID: [User: Int]] = [:]
    var faults: [String] = []
    for arrival in network.arrivals {
      guard let name = arrival.name, let number = Int(name.dropFirst()) else { continue }
      let former = ids[name] ?? [:]
      if former.values.contains(where: { $0 != arrival.id }) {
        faults.append("\(name) arrived under two ids")
      }
      ids[name, default: [:]][arrival.provider] = arrival.id
      // It may arrive again at a vendor, which knows its id.
      guard former[arrival.provider] == nil else { continue }
      if number < last[arrival.provider]?[arrival.user] ?? 0 {
        faults.append("\(name) arrived out of order")
      }
      last[arrival.provider, default: [:]][arrival.user] = number
    }
    return faults
  }

  /// Delivers everything possible, and returns the missing deeds.
  func settle() async throws -> [String] {
    for provider in Self.providers { network.set(.fine, at: provider) }
    for number in [1, 2, 3, 0] {
      if number == 0 {
        try await signOut(wiping: false)
      } else {
        try await signIn(Self.user(number))
      }
      for _ in 0..<50 where try await !isIdle() {
        try await send()
        clock.advance(by: .seconds(600))
      }
      if try await !isIdle() { return ["\(Self.user(number)) still has pending rows"] }
      let repeated = try await exposureFaults()
      if !repeated.isEmpty { return repeated }
    }
    let late = try await faults()
    return late + missing
  }

  private func isIdle() async throws -> Bool {
    try await engagement.pendingCounts.values.allSatisfy { $0 == 0 }
  }

  private var missing: [String] {
    Self.providers.flatMap { provider in
      let arrivals = network.arrivals.filter { $0.provider == provider }
      let names = Set(arrivals.compactMap(\.name))
      let items = Set(arrivals.compactMap { arrival in arrival.item.map { "\($0) \(arrival.id)" } })
      let clicks = Dictionary(grouping: arrivals.filter { $0.name == nil }, by: \.item)
      let deeds = reference.deeds.filter { $0.provider == provider && reference.mustArrive($0) }
      return deeds.compactMap { deed -> String? in
        let arrived =
          switch (deed.item, deed.action) {
          case (nil, _): names.contains("n\(deed.number)")
          case (let item?, "click"): clicks[item] != nil
          case (let item?, let action): items.contains("\(item) \(action)")
          }
        return arrived ? nil : "\(deed.action) \(deed.item ?? "n\(deed.number)") was lost"
      }
    }
  }
}
