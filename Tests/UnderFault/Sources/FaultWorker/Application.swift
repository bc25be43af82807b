import EngagementAdapterAPI
import EngagementBraze
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementVibes
import Foundation

/// The worker's application. It signs in, acts, and prints what was accepted.
final class Application: Sendable {
  static let users = ["u-1", "u-2", "u-3"]

  let engagement: Engagement
  let path: String
  private let journal: EngagementJournal
  private let life: Int
  private let moments = Moments()
  /// The number of issued credentials.
  private let credentials = Counter()

  /// Opens the cache in the folder of the arguments.
  init(_ arguments: Arguments) async throws(EngagementError) {
    let port = arguments.number("port")
    life = arguments.number("life", or: 1)
    path = Self.path(in: arguments.text("folder"))
    let cache = Engagement.Cache.file(path)
    journal = try EngagementJournal(cache: cache)
    engagement = try await Engagement.open(
      cache: cache, device: Self.device,
      transport: LifeTransport(life: life),
      providers: Engagement.Providers(try Self.adapters(on: port)),
      routes: Engagement.Routes(cards: .only("braze"), inbox: .only("vibes")),
      options: Engagement.Options(clock: FastClock()))
  }

  static func path(in folder: String) -> String { "\(folder)/engagement.sqlite" }

  static let device = Device(
    id: "device-under-fault", appID: "com.example.fault", system: "Linux", systemVersion: "12",
    locale: "en_US", timeZone: "Etc/UTC")

  static func adapters(
    on port: Int
  ) throws(EngagementError) -> [(ProviderID, any EngagementAdapter)] {
    let braze = try BrazeConfiguration(
      endpoint: "http://127.0.0.1:\(port)", apiKey: Secret("key-of-the-app"), signsRequests: true)
    let vibes = try VibesConfiguration(
      appID: "app", endpoint: "http://127.0.0.1:\(port)/mobile_apps")
    return [("braze", .braze(braze)), ("vibes", .vibes(vibes))]
  }

  // MARK: Users

  func signIn(_ user: String) async throws(EngagementError) {
    say("change")
    defer { say("changed") }
    try await engagement.signIn(User(UserID(user))) { provider in
      self.credential(of: user, for: provider)
    }
    try await engagement.setConsent(.full)
  }

  /// A unique signature that contains its user.
  private func credential(of user: String, for provider: ProviderID) -> Secret? {
    let number = credentials.next()
    say("asked \(provider.rawValue) \(user) \(number)")
    return provider == "braze" ? Secret("signature|\(user)|\(life)|\(number)") : nil
  }

  // MARK: Actions

  /// Performs the deed. Prints it before the attempt, and the result afterwards.
  @discardableResult
  func perform(_ deed: Deed, _ number: Int) async -> Bool {
    let line = deed.line(number)
    await moments.wait(for: line)
    defer { moments.note(line) }
    say("try \(number) \(line)")
    do throws(EngagementError) {
      switch deed {
      case .track(let user):
        _ = try await engagement.track("action", Payload.make(number, of: user))
      case .leave(let user):
        try journal.track("left", Payload.make(number, of: user), of: UserID(user))
      case .act(let action, let id, _): _ = try await engagement.perform(action, on: id)
      }
      say("accepted \(number)")
      return true
    } catch {
      say("refused \(number) \(error.code)")
      return false
    }
  }

  /// All possible actions on the visible items.
  func deeds(of user: String) -> [Deed] {
    let cards = engagement.cards(in: Self.container).cards.prefix(3).flatMap { card in
      [ItemAction.impression, .click, .dismiss].map { Deed.act($0, card.id, user) }
    }
    let messages = engagement.inbox.messages.prefix(3).flatMap { message in
      [ItemAction.open, .read, .expire(at: nil)].map { Deed.act($0, message.id, user) }
    }
    return cards + messages
  }

  static let container: ContainerID = "home"

  func refresh() async {
    _ = await engagement.refresh(.settings)
    _ = await engagement.refresh(.cards)
    _ = await engagement.refresh(.inbox)
  }

  /// Waits up to the limit until no row is pending. Later lives deliver the rest.
  func settle(within limit: Duration) async {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      if await pending() ?? 0 == 0 { return }
      // The task is never cancelled before the process ends.
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  func pending() async -> Int? {
    try? await engagement.pendingCounts.values.reduce(0, +)
  }
}

/// An action of a user.
enum Deed: Sendable {
  case track(String)
  /// An event that an extension of the application leaves in the journal.
  case leave(String)
  case act(ItemAction, ItemID, String)

  /// Provider, user, verb and target, in the format of the driver's books.
  func line(_ number: Int) -> String {
    switch self {
    case .track(let user): "braze \(user) track \(number)"
    case .leave(let user): "braze \(user) leave \(number)"
    case .act(let action, let id, let user):
      "\(id.provider.rawValue) \(user) \(action.name) \(id.value)"
    }
  }
}
