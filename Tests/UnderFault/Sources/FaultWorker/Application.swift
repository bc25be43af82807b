import EngagementAdapterAPI
import EngagementAtomic
import EngagementBraze
import EngagementCleverTap
import EngagementHTTP
import EngagementKit
import EngagementModel
import EngagementVibes
import Foundation

/// The worker's application. It signs in, acts, and prints what was accepted.
final class Application: Sendable {
  static let users = ["u-1", "u-2", "u-3"]
  /// A user who changes their mind about consent, and is erased at times.
  static let undecided = "u-4"

  let engagement: Engagement
  let path: String
  private let journal: EngagementJournal
  private let life: Int
  /// Whether the vendor with campaigns is among the providers.
  private let hasCampaigns: Bool
  /// Whether the vendor with a live channel is.
  let isLive: Bool
  private let moments = Moments()
  /// The number of issued credentials.
  private let credentials = Counter()

  /// Opens the cache in the folder of the arguments.
  init(_ arguments: Arguments) async throws(EngagementError) {
    let port = arguments.number("port")
    life = arguments.number("life", or: 1)
    path = Self.path(in: arguments.text("folder"))
    hasCampaigns = arguments.flag("campaigns")
    isLive = arguments.flag("live")
    let cache = Engagement.Cache.file(path)
    journal = try EngagementJournal(cache: cache)
    let providers = Engagement.Providers(
      try Self.adapters(on: port) + (hasCampaigns ? Self.campaigns(on: port) : [])
        + (isLive ? Self.live(on: port) : []))
    let routes = Engagement.Routes(
      cards: isLive ? .merge(["braze", Self.liveProvider]) : .only("braze"), inbox: .only("vibes"))
    let presenter = RecordingPresenter { () throws(EngagementError) in
      try .open(cache: cache, providers: providers, routes: routes)
    }
    let templates: [(ProviderID, [Engagement.PresentedTemplate])] =
      hasCampaigns
      ? [("clevertap", [.template(try RecordingPresenter.offer(), shownBy: presenter)])] : []
    engagement = try await Engagement.open(
      cache: cache, device: Self.device,
      transport: LifeTransport(life: life), providers: providers, routes: routes,
      templates: Engagement.Templates(templates),
      options: Engagement.Options(
        clock: FastClock(), presentations: .init(fileHosts: ["127.0.0.1"], withoutScene: true)))
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

  /// The vendor with campaigns.
  static func campaigns(
    on port: Int
  ) throws(EngagementError) -> [(ProviderID, any EngagementAdapter)] {
    let configuration = try CleverTapConfiguration(
      accountID: "account", token: Secret("token-of-the-account"),
      endpoint: "http://127.0.0.1:\(port)", hasServerInbox: false)
    return [("clevertap", .clevertap(configuration))]
  }

  static let liveProvider: ProviderID = "atomic"

  /// The vendor with a live channel.
  static func live(
    on port: Int
  ) throws(EngagementError) -> [(ProviderID, any EngagementAdapter)] {
    let configuration = try AtomicConfiguration(
      endpoint: "http://127.0.0.1:\(port)/atomic", environmentID: "env-1",
      apiKey: Secret("key-of-atomic"))
    return [(liveProvider, .atomic(configuration))]
  }

  /// Shows the cards until the task is cancelled. A change of user ends an observation.
  func show() async {
    while !Task.isCancelled {
      for await _ in engagement.cardUpdates(in: Self.container) {}
      await Task.yield()
    }
  }

  // MARK: Users

  func signIn(_ user: String) async throws(EngagementError) {
    try await change(to: user) { () async throws(EngagementError) in
      try await engagement.signIn(User(UserID(user))) { provider in
        self.credential(of: user, for: provider)
      }
    }
    if user == Self.undecided {
      say("consent found \(try await engagement.consent)")
    } else {
      try await engagement.setConsent(.full)
    }
  }

  func signOut() async throws(EngagementError) {
    try await change(to: Self.anonymous) { () async throws(EngagementError) in
      _ = try await engagement.signOut()
    }
    try await engagement.setConsent(.full)
  }

  /// Erases the undecided user, who is the current one.
  func eraseUndecided() async throws(EngagementError) {
    say("erase try")
    try await change(to: Self.anonymous) { () async throws(EngagementError) in
      _ = try await engagement.eraseData(of: User(UserID(Self.undecided)))
    }
    say("erase done")
  }

  /// Sets the consent of the undecided user, who is the current one.
  func decide(_ consent: Consent) async throws(EngagementError) {
    say("consent try \(consent)")
    try await engagement.setConsent(consent)
    say("consent set \(consent)")
  }

  private static let anonymous = "anonymous"

  private func change(
    to user: String, _ body: () async throws(EngagementError) -> Void
  ) async throws(EngagementError) {
    say("change \(user)")
    var end = "changed"
    defer { say(end) }
    try await body()
    end = "changed \(user)"
  }

  // MARK: Routes

  /// The routes of the cards by the names that the driver knows.
  private static let routes: KeyValuePairs<String, Engagement.Route> = [
    "both": .merge(["braze", liveProvider]), "braze": .only("braze"),
    liveProvider.rawValue: .only(liveProvider), "none": Engagement.Route.none,
  ]

  /// Prints the route that the cache has kept.
  func sayRoute() {
    let route = engagement.routes.cards
    let name = Self.routes.first { $0.value == route }?.key ?? Self.migrating(route)
    say("route found \(name ?? "\(route)")")
  }

  /// The name of a route that only a migration sets.
  private static func migrating(_ route: Engagement.Route) -> String? {
    if case .shadow = route { return "shadow" }
    if case .split = route { return "split" }
    return nil
  }

  func changeRoute(_ random: inout Randomness) async throws(EngagementError) {
    guard isLive, let route = Self.routes.randomElement(using: &random) else { return }
    try await setRoute(route.key, route.value)
  }

  func showAllCards() async throws(EngagementError) {
    if isLive { try await setRoute(Self.routes[0].key, Self.routes[0].value) }
  }

  func setRoute(
    _ name: String, _ route: Engagement.Route
  ) async throws(EngagementError) {
    say("route try \(name)")
    try await engagement.setRoute(route, for: .cards)
    say("route set \(name)")
    sayShown()
  }

  /// Prints the current user and the items that are shown, with the version of those that have one.
  func sayShown() {
    let cards = engagement.cards(in: Self.container).cards.map { card in
      card.id.value + (card.metadata["version"]?.integer.map { "@\($0)" } ?? "")
    }
    let messages = engagement.inbox.messages.map(\.id.value)
    let user = engagement.user.id?.rawValue ?? Self.anonymous
    say("lists \(user) \((cards + messages).joined(separator: ","))")
  }

  /// A unique signature or token that contains its user.
  private func credential(of user: String, for provider: ProviderID) -> Secret? {
    let number = credentials.next()
    say("asked \(provider.rawValue) \(user) \(number)")
    switch provider {
    case "braze": return Secret("signature|\(user)|\(life)|\(number)")
    case Self.liveProvider: return Self.token(of: user, "\(life).\(number)")
    default: return nil
    }
  }

  private static func token(of user: String, _ id: String) -> Secret {
    let end = Int(Date().timeIntervalSince1970) + 86_400
    let parts = [
      #"{"alg":"none"}"#, #"{"sub":"\#(user)","jti":"\#(id)","exp":\#(end)}"#, "signature",
    ]
    let texts = parts.map { part in
      Data(part.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return Secret(texts.joined(separator: "."))
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
      case .visit:
        _ = try await engagement.track("visited", Payload.make(number, of: Self.anonymous))
      case .choose(let isAllowed):
        let name = isAllowed ? "allowed" : "forbidden"
        _ = try await engagement.track(name, Payload.make(number, of: Self.undecided))
      case .leave(let user):
        try journal.track("left", Payload.make(number, of: user), of: UserID(user))
      case .act(.submit, let id, _): try await submit(id)
      case .act(let action, let id, _): _ = try await engagement.perform(action, on: id)
      }
      say("accepted \(number)")
      return true
    } catch {
      say("refused \(number) \(error.code)")
      return false
    }
  }

  /// Submits a card with a file of its own, which has to come first.
  private func submit(_ id: ItemID) async throws(EngagementError) {
    let card = engagement.cards(in: Self.container).cards.first { $0.id == id }
    guard let card, let button = card.buttons.first else {
      throw EngagementError(.notFound, "The card is not shown any more.")
    }
    var form = card.form()
    let bytes: [UInt8] = [0xff, 0xd8, 0xff] + Array(id.value.utf8)
    try form.choose(CardFile(name: "\(id.value).jpg", bytes: bytes), for: "proof")
    _ = try await engagement.submit(form, by: button, on: card)
  }

  /// All possible actions on the visible items.
  func deeds(of user: String) -> [Deed] {
    let all = engagement.cards(in: Self.container).cards
    let cards = all.filter { $0.id.provider == "braze" }.prefix(3).flatMap { card in
      [ItemAction.impression, .click, .dismiss].map { Deed.act($0, card.id, user) }
    }
    let liveCards = all.filter { $0.id.provider == Self.liveProvider }.prefix(3).flatMap { card in
      Self.liveActions.map { Deed.act($0, card.id, user) }
    }
    let messages = engagement.inbox.messages.prefix(3).flatMap { message in
      [ItemAction.open, .read, .expire(at: nil)].map { Deed.act($0, message.id, user) }
    }
    return cards + liveCards + messages
  }

  private static let liveActions: [ItemAction] = [
    .dismiss, .snooze(seconds: 1), .submit(button: "pay", values: ["amount": 5]),
    .vote(useful: true, reason: nil, message: nil),
  ]

  static let container: ContainerID = "home"

  func refresh() async {
    _ = await engagement.refresh(.settings)
    _ = await engagement.refresh(.cards(in: Self.container))
    _ = await engagement.refresh(.inbox)
    if hasCampaigns { _ = await engagement.refresh(.campaigns) }
    sayShown()
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
  /// An event before a sign-in, which the next user takes over.
  case visit
  /// An event of the undecided user, whose consent allows it or does not.
  case choose(isAllowed: Bool)
  case act(ItemAction, ItemID, String)

  /// Provider, user, verb and target, in the format of the driver's books.
  func line(_ number: Int) -> String {
    switch self {
    case .track(let user): "braze \(user) track \(number)"
    case .leave(let user): "braze \(user) leave \(number)"
    case .visit: "braze anonymous visit \(number)"
    case .choose(let isAllowed):
      "braze \(Application.undecided) \(isAllowed ? "allowed" : "forbidden") \(number)"
    case .act(let action, let id, let user):
      "\(id.provider.rawValue) \(user) \(action.name) \(id.value)"
    }
  }
}
